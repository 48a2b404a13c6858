"""Figures as files: a page of HTML that needs no network, and pictures drawn by a Chrome.

plotly draws in a browser only. A Chrome or Chromium of this machine, without a window, opens the
figure's page and hands back SVG, PNG or PDF; where there is none, the page of HTML is what there
is, and the browser that shows the app saves SVG by the camera over each figure.
"""

import base64
import logging
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import unquote_to_bytes

import plotly.graph_objects as go

from core.charts.template import plain

IMAGES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
)
WIDTH = 960  # pixels, of a figure that takes what it is given
SCALE = 2  # pixels of a PNG for each of the figure's
PATIENCE = 90  # seconds
CONFIG = {"displaylogo": False, "toImageButtonOptions": {"format": "svg", "filename": "figure"}}

_OPTIONS = (
    "--headless", "--disable-gpu", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--hide-scrollbars",
)  # fmt: skip
_PAGE = """<!DOCTYPE html><html><head><meta charset="utf-8"><style>
@page {{ size: {width}px {height}px; margin: 0 }} body {{ margin: 0 }}
</style></head><body>{body}</body></html>"""
_DRAW = """Plotly.toImage("{id}", {{format: "{format}", width: {width}, height: {height},
scale: {scale}}}).then(url => {{
  const told = document.createElement("pre"); told.id = "told";
  told.textContent = btoa(url); document.body.replaceChildren(told);
}});"""
_TOLD = re.compile(rb'<pre id="told">([A-Za-z0-9+/=]+)</pre>')

log = logging.getLogger(__name__)


class ExportError(RuntimeError):
    """A figure that can't be drawn to a file: what is missing or what went wrong."""


def to_html(figure: go.Figure, title: str = "") -> bytes:
    """A page that shows the figure wherever it is opened: plotly.js stands in it (4.8 MB)."""
    page = _on_white(figure).to_html(
        include_plotlyjs=True, full_html=True, config=CONFIG, div_id="figure"
    )
    meta = '<meta charset="utf-8" />'
    return page.replace(meta, f"{meta}<title>{plain(title)}</title>", 1).encode()


def find_chrome() -> str | None:
    """The program that draws pictures: $BROWSER_PATH, else the first of the usual ones."""
    given = os.environ.get("BROWSER_PATH")
    found = [given] if given else [*map(shutil.which, NAMES), *PLACES]
    return next((path for path in found if path and Path(path).is_file()), None)


def to_image(figure: go.Figure, kind: str) -> bytes:
    """The figure as "svg", "png" or "pdf" on white; ExportError says what is missing or wrong."""
    chrome = find_chrome()
    if chrome is None:
        raise ExportError(
            f"{kind.upper()} takes a Chrome or Chromium on the machine that runs the app, and none "
            "was found on the PATH (or at BROWSER_PATH)."
        )
    figure = _on_white(figure)
    height = int(figure.layout.height or 450)
    width = int(figure.layout.width or WIDTH)
    figure.update_layout(width=width, height=height)
    draw = "" if kind == "pdf" else _DRAW.format(
        id="figure", format=kind, width=width, height=height, scale=SCALE if kind == "png" else 1
    )  # fmt: skip
    body = figure.to_html(
        include_plotlyjs=True, full_html=False, div_id="figure", post_script=draw or None,
        config={"staticPlot": True},
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="figure", ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "figure.html"
        page.write_text(_PAGE.format(width=width, height=height, body=body), encoding="utf-8")
        return _print(chrome, page) if kind == "pdf" else _dump(chrome, page)


def _on_white(figure: go.Figure) -> go.Figure:
    """A copy with the ground that its own colours of text are made for."""
    return go.Figure(figure).update_layout(paper_bgcolor="white", plot_bgcolor="white")


def _dump(chrome: str, page: Path) -> bytes:
    """What the page's script has drawn, decoded from its data URL."""
    shown = _run(chrome, page, "--dump-dom")
    told = _TOLD.search(shown)
    if told is None:
        raise ExportError("Chrome has opened the figure and drawn nothing.")
    kind, _, data = base64.b64decode(told[1]).decode().partition(",")
    return base64.b64decode(data) if kind.endswith(";base64") else unquote_to_bytes(data)


def _print(chrome: str, page: Path) -> bytes:
    target = page.with_suffix(".pdf")
    _run(chrome, page, f"--print-to-pdf={target}", "--no-pdf-header-footer")
    if not target.is_file():
        raise ExportError("Chrome has opened the figure and printed nothing.")
    return target.read_bytes()


def _run(chrome: str, page: Path, *what: str) -> bytes:
    """Let Chrome open the page in a profile of its own and give time for its script to end."""
    command = [chrome, *_OPTIONS, f"--user-data-dir={page.parent / 'profile'}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chrome refuses to run as root with it
    command += ["--virtual-time-budget=20000", *what, page.as_uri()]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise ExportError(f"Chrome has not drawn the figure within {PATIENCE} seconds.") from None
    except OSError as error:
        raise ExportError(f"{chrome} can't be run: {error.strerror or error}.") from error
    if done.returncode:
        log.warning("%s: %s", chrome, done.stderr.decode(errors="replace")[-500:])
        raise ExportError(f"Chrome ended with status {done.returncode} and drew nothing.")
    return done.stdout
