"""Figures as files: what each file is, that it holds the figure, that it needs nothing else."""

import asyncio
import logging
import re
import struct
from html.parser import HTMLParser

import plotly.graph_objects as go
import pytest

from core.charts import export
from core.charts.export import ExportError, find_chrome, to_html, to_image
from core.charts.template import blank
from tests.conftest import missing

NASTY = "</script><script>alert(1)</script> ü 🦊 & <b>"
HEIGHT = 320


@pytest.fixture
def figure() -> go.Figure:
    made = blank(HEIGHT)
    made.add_trace(go.Scatter(x=[1, 2, 3], y=[1.25, 3, 2], name="one", text=NASTY))
    made.add_trace(go.Scatter(x=[1, 2], y=[3, 1], name="two"))
    return made.update_xaxes(title_text="tasks learned")


@pytest.fixture
def chrome() -> str:
    path = find_chrome()
    if path is None:
        missing("there is no Chrome or Chromium here")
    return path


class Page(HTMLParser):
    """What a page refers to: addresses in its tags, and how many scripts it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.scripts = 0
        self.title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.title |= tag == "title"
        self.addresses += [value for name, value in attributes if name in ("src", "href")]


def test_the_page_stands_alone(figure) -> None:
    text = to_html(figure, "acc <whole>").decode()
    page = Page(text)
    assert page.addresses == []
    assert page.title
    assert page.scripts == Page(to_html(blank()).decode()).scripts  # no name has become one
    assert "<title>acc &lt;whole&gt;</title>" in text
    assert "tasks learned" in text
    assert "1.25" in text
    assert len(text) > 3_000_000  # plotly.js itself


def test_the_figure_is_left_as_it_was(figure) -> None:
    before = figure.to_json()
    to_html(figure)
    assert figure.to_json() == before


@pytest.mark.slow
def test_svg_is_drawn_from_the_figure(figure, chrome) -> None:
    text = to_image(figure, "svg").decode()
    assert text.startswith("<svg")
    assert f'height="{HEIGHT}"' in text
    assert "tasks learned" in text
    assert len(re.findall(r'class="trace scatter', text)) == 2
    assert "<script" not in text
    pipe = logging.getLogger("choreographer.channels.pipe")  # its farewell is no fault to report
    assert not pipe.isEnabledFor(logging.ERROR)


@pytest.mark.slow
def test_png_has_the_figures_size(figure, chrome) -> None:
    data = to_image(figure, "png")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    scale = export.SCALE
    assert struct.unpack(">II", data[16:24]) == (export.WIDTH * scale, HEIGHT * scale)


@pytest.mark.slow
def test_pdf_is_one_page_of_the_figures_size(figure, chrome) -> None:
    data = to_image(figure, "pdf")
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1
    (box,) = re.findall(rb"/MediaBox\s*\[([^\]]*)\]", data)
    width, height = (float(number) for number in box.split()[2:])
    assert width == pytest.approx(export.WIDTH * 0.75, abs=2)  # 72 points for 96 pixels
    assert height == pytest.approx(HEIGHT * 0.75, abs=2)


@pytest.mark.parametrize("kind", export.IMAGES)
def test_without_a_chrome_it_is_said_what_is_missing(figure, kind, no_chrome) -> None:
    assert find_chrome() is None
    with pytest.raises(ExportError, match=rf"{kind.upper()} takes a Chrome or Chromium"):
        to_image(figure, kind)


@pytest.mark.parametrize("script", ["exit 3", "echo nothing"])
def test_a_chrome_that_fails_is_told(figure, script, monkeypatch, tmp_path) -> None:
    program = tmp_path / "browser"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(program))
    with pytest.raises(ExportError, match=f"{program} has not drawn the figure: ."):
        to_image(figure, "png")


def test_a_program_that_cannot_be_run_is_told(figure, monkeypatch, tmp_path) -> None:
    program = tmp_path / "browser"
    program.write_text("no program")
    monkeypatch.setenv("BROWSER_PATH", str(program))
    with pytest.raises(ExportError, match=f"{program} has not drawn the figure: ."):
        to_image(figure, "svg")


@pytest.mark.slow
def test_a_figure_is_drawn_in_a_thread_beside_a_running_loop(figure, chrome) -> None:
    """Streamlit makes files in a thread of a process that has a loop of its own."""

    async def draw() -> bytes:
        return await asyncio.to_thread(to_image, figure, "svg")

    assert asyncio.run(draw()).startswith(b"<svg")
