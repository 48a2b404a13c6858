"""The app on a real server, and a real browser that drives it: Debian's chromium by playwright."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from core.paths import PROJECT
from tests.conftest import missing

try:
    from playwright import sync_api as playwright
except ImportError:
    playwright = None
CHROMIUM = shutil.which("chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 90_000  # milliseconds; the machine may be busy

POINTS = """() => {
  const plot = document.querySelector('.js-plotly-plot');
  if (!plot || !plot.data) return 0;
  return plot.data.reduce((n, trace) => n + Array.from(trace.x).filter(x => x !== null).length, 0);
}"""


@dataclass
class Server:
    address: str
    log: Path
    process: subprocess.Popen

    def complaints(self) -> list[str]:
        """Lines of the log that a healthy server does not write."""
        bad = re.compile(r"Traceback|missing ScriptRunContext|Error|Exception")
        return [line for line in self.log.read_text().splitlines() if bad.search(line)]


@contextmanager
def serving(tmp_path: Path, workers: int = 1, data: Path | None = None) -> Iterator[Server]:
    """The app as people start it, with a home of its own, so many workers, and data of its own
    unless given some.
    """
    if CHROMIUM is None or playwright is None:
        missing(f"{'chromium' if CHROMIUM is None else 'playwright'} is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "server.log"
    environment = os.environ | {
        "TOTAL_RECALL_HOME": str(tmp_path / "home"),
        "TOTAL_RECALL_DATA": str(data or tmp_path / "data"),
        "TOTAL_RECALL_WORKERS": str(workers),
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
        yield Server(address, log, process)
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


@contextmanager
def browsing() -> Iterator["playwright.Page"]:
    """A page of a browser of its own."""
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
