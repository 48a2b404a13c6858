"""How long pages take in a real browser, from click to settled: `python -m tests.browser.measure`.

A home of ten finished runs of Overnight's size is made up (or, with --home, taken as it is), the
app is started on it as people do, and a browser walks the side bar, switches views and saves files.
`--training` says how many runs train meanwhile. What is printed is a Markdown table of medians and
95th percentiles beside the targets, with the machine's load. A page is settled at its last change
before QUIET milliseconds without any, its script having ended.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from core import paths
from core.config import RunConfig
from core.runs.store import Store
from tests.browser.driving import Server, browsing, playwright, serving
from tests.made_up import full_run

RUNS = 10
METHODS = ("finetune", "ewc", "emr", "derpp", "total_recall")
PAGES = (
    "Home", "Launch", "Runs", "Experiments", "Results", "Paper", "Accuracy", "Forgetting",
    "Drill-down", "Error curves", "Playground", "Memories", "Clusters", "Report",
)  # fmt: skip
SWITCHES = {
    "Forgetting": ("Curves", "Actions", "Memory", "Groups", "Two runs", "At a glance"),
    "Accuracy": ("A − B", "Side by side", "ACC_avg", "ACC_whole"),
}
FIRST = ("", "accuracy", "forgetting", "drilldown", "playground", "clusters")
FILES = ("CSV", "HTML", "SVG", "PNG", "PDF")
QUIET = 400
SETTLED = r"""([selector, text, title, quiet]) => new Promise((done, fail) => {
  const began = performance.now();
  let last = began;
  const watch = new MutationObserver(() => { last = performance.now(); });
  watch.observe(document.body, {childList: true, subtree: true, attributes: true});
  if (selector) {
    const found = [...document.querySelectorAll(selector)].filter(
      each => each.innerText.trim().split('\n').pop() === text && each.offsetParent);
    if (!found.length) return fail(new Error('nothing is called ' + text));
    found[0].click();
  }
  const look = () => {
    const state = document.querySelector('[data-testid=stApp]')?.dataset.testScriptState;
    const heading = document.querySelector('h1')?.innerText.trim();
    const busy = document.querySelector('[data-testid=stMain] [data-testid=stSkeleton]');
    const now = performance.now();
    const right = heading && (!title || heading === title) && state === 'notRunning' && !busy;
    if (right && now - last > quiet) { watch.disconnect(); done((last - began) / 1000); return; }
    if (now - began > 120000) { watch.disconnect(); fail(new Error('never settled')); return; }
    setTimeout(look, 20);
  };
  setTimeout(look, 60);
})"""


def settled(page: "playwright.Page", selector: str = "", text: str = "", title: str = "") -> float:
    """Seconds from a click on what is called `text` (or from now) until the page is settled."""
    seconds: float = page.evaluate(SETTLED, [selector, text, title, QUIET])
    return seconds


def make_home() -> None:
    """Ten finished runs on Overnight, in the home that the environment names."""
    store = Store()
    for number in range(RUNS - len(store.runs())):
        method = METHODS[number % len(METHODS)]
        full_run(store, RunConfig(dataset="overnight", method=method, seed=number // len(METHODS)))
        print(f"run {number + 1} of {RUNS} made up", file=sys.stderr, flush=True)
    store.close()


@contextmanager
def training(count: int) -> Iterator[None]:
    """So many runs that train, each in a process of its own, until they are no longer wanted."""
    store = Store()
    ids = [store.create(RunConfig(dataset="overnight", seed=90 + n)) for n in range(count)]
    store.close()
    command = [sys.executable, "-m", "core", "worker", "--workers", str(max(1, count))]
    worker = subprocess.Popen(command, stdout=subprocess.DEVNULL) if count else None
    try:
        time.sleep(20 if count else 0)  # until they have read their data
        yield
    finally:
        if worker is not None:
            worker.terminate()
            worker.wait(60)
        store = Store()
        for id in ids:
            store.delete(id)
        store.close()


class Times:
    """Seconds by what was done."""

    def __init__(self) -> None:
        self.taken: dict[tuple[str, float], list[float]] = {}

    def note(self, what: str, target: float, seconds: float) -> None:
        self.taken.setdefault((what, target), []).append(seconds)

    def table(self) -> str:
        """As Markdown."""
        lines = ["| what | n | median | p95 | target | |", "| --- |" + " ---: |" * 4 + " --- |"]
        for (what, target), seconds in self.taken.items():
            middle, high = np.median(seconds), np.quantile(seconds, 0.95)
            verdict = "met" if middle <= target else f"missed by {middle - target:.1f} s"
            numbers = f"{len(seconds)} | {middle:.2f} s | {high:.2f} s | {target:g} s"
            lines.append(f"| {what} | {numbers} | {verdict} |")
        return "\n".join(lines)


def walk(page: "playwright.Page", server: Server, times: Times, rounds: int, target: float) -> None:
    """Every page by the side bar, every view by its segment, files of one figure."""
    page.goto(f"{server.address}/accuracy")
    settled(page, title="Accuracy")
    for number in range(rounds + 1):
        for title in PAGES:
            heading = "Learn the new, keep the old" if title == "Home" else title
            link = "[data-testid=stSidebar] [data-testid=stPageLink-NavLink]"
            seconds = settled(page, link, title, heading)
            if number:  # the first round reads what is read once
                times.note(f"page: {title}", target, seconds)
                times.note("any page", target, seconds)
            for view in SWITCHES.get(title, ()):
                button = "[data-testid=stButtonGroup] button"
                seconds = settled(page, button, view, heading)
                if number:
                    times.note("switching a view", 0.5, seconds)


def save_files(page: "playwright.Page", server: Server, times: Times) -> None:
    """Each kind of file of one figure, and the report."""
    page.goto(f"{server.address}/accuracy")
    settled(page, title="Accuracy")
    for _ in range(3):
        for kind in FILES:
            began = time.perf_counter()
            with page.expect_download() as saved:
                page.get_by_role("button", name=kind, exact=True).first.click()
            saved.value.path()
            times.note(f"export: {kind}", 2.0, time.perf_counter() - began)


def first_loads(folder: Path, data: Path, times: Times) -> None:
    """The first page that a new server draws, for a browser that is open."""
    for name in FIRST:
        with serving(folder, data=data) as server, browsing() as page:
            began = time.perf_counter()
            page.goto(f"{server.address}/{name}")
            settled(page)
            taken = time.perf_counter() - began - QUIET / 1000
            times.note("first load after the server's start", 4.0, taken)


def demo(folder: Path, times: Times, live: bool) -> None:
    """In a new home: from the server's start to the recorded demo; the live one from its click."""
    drawn = "document.querySelectorAll('.js-plotly-plot .main-svg').length"
    with browsing() as page:
        began = time.perf_counter()
        with serving(folder, workers=2) as server:
            page.goto(server.address)
            page.wait_for_function(f"{drawn} >= 2")
            times.note("recorded demo, from the server's start", 5.0, time.perf_counter() - began)
            if not live:
                return
            began = time.perf_counter()
            page.get_by_role("button", name="Run it here").click()
            page.get_by_text("finished in").nth(1).wait_for(timeout=900_000)
            times.note("live demo, both runs, page open", 60.0, time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="walks over all pages (5)")
    parser.add_argument("--training", type=int, default=0, help="runs that train meanwhile (0)")
    parser.add_argument("--folder", type=Path, help="kept for the next time (a temporary one)")
    parser.add_argument("--live", action="store_true", help="train the live demo too")
    parser.add_argument("--demo", action="store_true", help="the demo alone")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp())
    data, times, load = paths.data_folder(), Times(), os.getloadavg()[0]
    if not args.demo:
        os.environ["TOTAL_RECALL_HOME"] = str(folder / "home")
        make_home()
        with training(args.training), serving(folder, data=data) as server, browsing() as page:
            walk(page, server, times, args.rounds, 0.7 if args.training else 0.4)
            print(times.table(), file=sys.stderr, flush=True)
            save_files(page, server, times)
        if not args.training:
            first_loads(folder, data, times)
    demo(Path(tempfile.mkdtemp()), times, args.live)
    print(
        f"{os.cpu_count()} cores, load {load:.1f} before and {os.getloadavg()[0]:.1f} after; "
        f"{args.training} training.\n\n{times.table()}"
    )


if __name__ == "__main__":
    main()
