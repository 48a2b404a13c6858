"""A figure on a page: what it shows in one sentence, itself, and buttons that save it as files."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.charts.cells import width_of_cells
from core.charts.export import IMAGES, find_chrome, to_html, to_image
from core.charts.room import PAGE, make_room
from pages.shared.ui.exports import export_name
from pages.shared.ui.glossary import prose

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "svg", "filename": "figure"},
}
PHONE = 358  # pixels that a page has on a phone
HELP = {
    "csv": "The data of the figure.",
    "html": "A page with the figure that opens anywhere, without a network (5 MB).",
    "svg": "The figure as a vector graphic, on white.",
    "png": "The figure as a picture, on white.",
    "pdf": "The figure as a page of its size.",
}
NO_CHROME = (
    "PNG and PDF take a Chrome or Chromium on the machine that runs the app (on Debian: apt "
    "install chromium), and none was found. SVG is saved by the camera over the figure."
)


@dataclass(frozen=True)
class Offer:
    """A file that can be made of a figure: what it is and how it is made, once it is wanted."""

    kind: str  # csv, html, svg, png, pdf: the file's ending
    mime: str
    make: Callable[[], bytes]


def draw_figure(figure: go.Figure, *, key: str, select: bool = False, columns: int = 1) -> None:
    """The figure alone, in the app's colours for text and grid, one of so many side by side.

    With `select` a click on a point is kept under the key, and the page is drawn again.
    """
    make_room(figure, PAGE / columns)
    with st.container(key=f"wide/{key}") if width_of_cells(figure) > PHONE else nullcontext():
        if select:
            st.plotly_chart(
                figure, key=key, config=CONFIG, on_select="rerun", selection_mode="points"
            )
        else:
            st.plotly_chart(figure, key=key, config=CONFIG)


def present(
    figure: go.Figure,
    sentence: str,
    data: pd.DataFrame,
    *,
    key: str,
    file_name: str,
    select: bool = False,
    columns: int = 1,
) -> None:
    """The figure with the sentence that says what it shows, and buttons that save it; one of so
    many side by side.
    """
    prose(sentence)
    draw_figure(figure, key=key, select=select, columns=columns)
    save(figure, data, key=key, file_name=file_name)


def save(figure: go.Figure, data: pd.DataFrame, *, key: str, file_name: str) -> None:
    """Buttons for the figure's data and for the figure; a file is made when it is asked for."""
    stem = PurePath(export_name(file_name)).stem
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for offer in offers(figure, data, stem):
            st.download_button(
                offer.kind.upper(),
                offer.make,
                file_name=f"{stem}.{offer.kind}",
                mime=offer.mime,
                icon=":material/download:",
                type="tertiary",
                key=f"{key}/{offer.kind}",
                help=HELP[offer.kind],
                on_click="ignore",
            )
        if find_chrome() is None:
            st.button("PNG, PDF", key=f"{key}/none", type="tertiary", disabled=True, help=NO_CHROME)


def offers(figure: go.Figure, data: pd.DataFrame, title: str) -> list[Offer]:
    """The files that can be made here: pictures only where there is a Chrome to draw them."""
    files = [
        Offer("csv", "text/csv", lambda: data.to_csv(index=False).encode()),
        Offer("html", "text/html", partial(to_html, figure, title)),
    ]
    if find_chrome() is not None:
        files += [
            Offer(kind, mime, partial(to_image, figure, kind)) for kind, mime in IMAGES.items()
        ]
    return files
