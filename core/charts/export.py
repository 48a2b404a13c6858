"""Figures as files: a page of HTML that needs no network, and pictures that a Chrome draws.

SVG, PNG and PDF are drawn by kaleido in a Chrome or Chromium of this machine, without a window and
without a network; where there is none, the page of HTML is what there is, and the browser that
shows the app saves SVG by the camera over each figure.
"""

import logging
import os
from functools import lru_cache
from pathlib import Path

import plotly.graph_objects as go

from core.charts.browser import Browser
from core.charts.template import plain

IMAGES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
WIDTH = 960  # pixels, of a figure that takes what it is given
SCALE = 2  # pixels of a PNG for each of the figure's
CONFIG = {"displaylogo": False, "toImageButtonOptions": {"format": "svg", "filename": "figure"}}

log = logging.getLogger(__name__)


class ExportError(RuntimeError):
    """A figure that can't be drawn to a file: what is missing or what went wrong."""


def to_html(figure: go.Figure, title: str = "") -> bytes:
    """A page that shows the figure wherever it is opened: plotly.js stands in it (4.8 MB)."""
    page: str = _on_white(figure).to_html(
        include_plotlyjs=True, full_html=True, config=CONFIG, div_id="figure"
    )
    meta = '<meta charset="utf-8" />'
    return page.replace(meta, f"{meta}<title>{plain(title)}</title>", 1).encode()


def find_chrome() -> str | None:
    """The program that draws pictures: $BROWSER_PATH, else the first of the usual ones."""
    from choreographer.browsers.chromium import Chromium  # here and below: half a second

    path = Chromium.find_browser(skip_local=False)
    return path if path and Path(path).is_file() else None


def to_image(figure: go.Figure, kind: str) -> bytes:
    """The figure as "svg", "png" or "pdf" on white; ExportError says what is missing or wrong."""
    chrome = find_chrome()
    if chrome is None:
        raise ExportError(
            f"{kind.upper()} takes a Chrome or Chromium on the machine that runs the app, and none "
            "was found on the PATH (or at BROWSER_PATH)."
        )
    size = {"width": figure.layout.width or WIDTH, "height": figure.layout.height or 450}
    options = {"format": kind, "scale": SCALE if kind == "png" else 1, **size}
    try:
        return _browser(chrome).draw(_on_white(figure).to_dict(), options)
    except Exception as error:  # whatever a program that is not ours may do
        log.warning("%s has not drawn a figure.", chrome, exc_info=error)
        why = type(error).__name__ if isinstance(error, TimeoutError) else str(error.args[0])
        raise ExportError(f"{chrome} has not drawn the figure: {why}") from error


@lru_cache(maxsize=4)
def _browser(chrome: str) -> Browser:
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chrome has no sandbox for root
    return Browser(chrome, sandbox=not as_root)


def _on_white(figure: go.Figure) -> go.Figure:
    """A copy with the ground that its own colours of text are made for."""
    return go.Figure(figure).update_layout(paper_bgcolor="white", plot_bgcolor="white")
