"""A real server and a real browser: from the launch of a run to its end, watched all the way."""

import importlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from core.paths import PROJECT
from pages.shared.ui.opening import pages
from tests.conftest import missing

if os.environ.get("CI"):  # a browser test that was skipped there would pass for one that ran
    playwright = importlib.import_module("playwright.sync_api")
else:
    playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run",
]  # fmt: skip
PATIENCE = 90_000  # milliseconds; the machine may be busy
PAGES = pages(
    tuple((f, 0) for f in [PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py"))])
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
]

POINTS = """() => {
  const plot = document.querySelector('.js-plotly-plot');
  if (!plot || !plot.data) return 0;
  return plot.data.reduce((n, trace) => n + Array.from(trace.x).filter(x => x !== null).length, 0);
}"""


@dataclass
class Server:
    address: str
    log: Path

    def complaints(self) -> list[str]:
        """Lines of the log that a healthy server does not write."""
        bad = re.compile(r"Traceback|missing ScriptRunContext|Error|Exception")
        return [line for line in self.log.read_text().splitlines() if bad.search(line)]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The app as people start it, with a home of its own."""
    if CHROMIUM is None:
        missing("chromium is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "server.log"
    environment = os.environ | {
        "TOTAL_RECALL_HOME": str(tmp_path / "home"),
        "TOTAL_RECALL_DATA": str(tmp_path / "data"),
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("w") as out:
        process = subprocess.Popen(
            command, cwd=PROJECT, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/_stcore/health", process)
        yield Server(address, log)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(address: str, process: subprocess.Popen) -> None:
    for _ in range(600):
        assert process.poll() is None, "the server ended at once"
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.fixture
def page(server: Server) -> Iterator["playwright.Page"]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 1200})
        page.set_default_timeout(PATIENCE)
        yield page
        browser.close()


def badge(page: "playwright.Page", word: str) -> "playwright.Locator":
    """The status beside the run's name."""
    return page.locator(".stMarkdownBadge", has_text=re.compile(rf"{word}$")).first


def wait_for_points(page: "playwright.Page", more_than: int) -> int:
    page.wait_for_function(f"({POINTS})() > {more_than}", timeout=PATIENCE)
    return page.evaluate(POINTS)


def settle(page: "playwright.Page") -> None:
    """Wait until the page's script has run through; a little longer, for it may be about to."""
    page.wait_for_timeout(300)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def fill(page: "playwright.Page", label: str, value: str) -> None:
    settle(page)
    field = page.get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")


def launch(page: "playwright.Page", server: Server) -> None:
    """Two tasks of the demo, a small parser, enough passes to be stopped in time."""
    page.goto(server.address)
    page.get_by_role("button", name="Launch a run").click()
    page.get_by_role("heading", name="Launch").wait_for()
    page.get_by_text("python -m core train").wait_for()  # all of the form is there
    page.get_by_text("Parser: sizes").click()
    for label, value in (("Hidden size", "16"), ("Word size", "16"), ("Epochs", "35")):
        fill(page, label, value)
    page.wait_for_url("**epochs=35**")
    choose = page.get_by_role("combobox", name="Tasks, in the order of learning")
    for name in ("library", "events"):
        settle(page)
        choose.click()
        choose.fill(name)
        page.get_by_role("option", name=name).click()
        page.wait_for_url(re.compile(rf"task_order=[^&]*{name}"))
    page.keyboard.press("Escape")
    fill(page, "Name", "from the <browser>")
    page.get_by_text("--epochs 35 ").wait_for()
    page.get_by_role("button", name="Launch", exact=True).click()
    page.wait_for_url("**/runs?run=1")


def test_a_run_from_launch_to_end(server: Server, page: "playwright.Page") -> None:
    launch(page, server)
    badge(page, "running").wait_for()
    page.get_by_role("heading", name="from the <browser>").wait_for()

    first = wait_for_points(page, 1)
    grown = wait_for_points(page, first)
    settings = page.get_by_text("Settings and facts")
    places = set()
    for _ in range(12):
        places.add(round(settings.bounding_box()["y"]))
        page.wait_for_timeout(250)
    assert len(places) == 1, "the page jumps while it polls"

    page.reload()
    page.get_by_role("heading", name="from the <browser>").wait_for()
    grown = wait_for_points(page, grown)

    page.get_by_role("button", name="Stop").click()
    badge(page, "stopped").wait_for()
    stopped_at = page.evaluate(POINTS)
    page.get_by_role("button", name="Rename").click()
    page.get_by_test_id("stPopoverBody").get_by_label("Name").fill("renamed *so*")
    page.wait_for_timeout(4000)  # several polls, which must not take the text away
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="renamed *so*").wait_for()
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Resume").click()
    badge(page, "finished").wait_for(timeout=4 * PATIENCE)
    wait_for_points(page, stopped_at)

    page.get_by_test_id("stMain").get_by_role("link", name="Accuracy").click()
    page.get_by_role("heading", name="Task by task").wait_for()
    page.wait_for_url("**/accuracy?run=1")
    page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length == 3")
    assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []


def test_every_page_opens_by_its_address_on_a_fresh_server(
    server: Server, page: "playwright.Page"
) -> None:
    for entry in reversed(PAGES):  # the last first: no other page has run before it
        path = "" if entry.file == "app.py" else Path(entry.file).stem
        page.goto(f"{server.address}/{path}")
        page.get_by_role("heading", level=1).wait_for()
        expect = playwright.expect
        expect(page).to_have_title(f"{entry.title} · Total Recall", timeout=PATIENCE)
        links = page.get_by_test_id("stSidebarUserContent").get_by_test_id("stPageLink")
        titles = [re.compile(rf"{each.title}$") for each in PAGES]
        expect(links).to_have_text(titles, timeout=PATIENCE)  # asks again until it holds
        settle(page)
        assert page.get_by_test_id("stException").count() == 0
    assert server.complaints() == []
