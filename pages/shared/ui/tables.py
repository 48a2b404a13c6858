"""A table on a page, with the button that saves it."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from pages.shared.ui.exports import export_name

NUMBER, TEXT = st.column_config.NumberColumn, st.column_config.TextColumn
LETTER, AROUND = 6.8, 18  # pixels of a cell's letter, and to both sides of the text
WIDEST = 440  # pixels of a column that is as wide as its texts


def fitting(texts: Iterable[str], low: int) -> int:
    """Pixels of a column that shows each of the texts whole, from `low` to WIDEST."""
    longest = max((len(text) for text in texts), default=0)
    return min(WIDEST, max(low, round(LETTER * longest) + AROUND))


def draw_table(
    table: pd.DataFrame | Styler,
    columns: Mapping[str, Any],
    *,
    key: str,
    file_name: str = "",
    data: pd.DataFrame | None = None,
    missing: str = "n/a",
    **more: Any,
) -> None:
    """The table with its columns' headings; saved as `data` (default: itself) where it has a
    file's name. `more` goes to Streamlit.
    """
    st.dataframe(
        table, column_config=columns, hide_index=True, placeholder=missing, key=key, **more
    )
    if data is None and isinstance(table, pd.DataFrame):
        data = table
    if file_name and data is not None:
        download(data, key=f"{key}/csv", file_name=file_name)


def pick_row(table: pd.DataFrame, columns: Mapping[str, Any], *, key: str, **more: Any) -> None:
    """The same table, of whose rows one can be chosen: see `clicked.selected_row`."""
    draw_table(table, columns, key=key, on_select="rerun", selection_mode="single-row", **more)


def download(
    data: pd.DataFrame, *, key: str, file_name: str, label: str = "CSV of what is shown"
) -> None:
    """A button that saves a table: as CSV, or with tabs where the file's name ends so."""
    tabs = file_name.endswith(".tsv")
    st.download_button(
        label,
        data.to_csv(index=False, sep="\t" if tabs else ",").encode(),
        file_name=export_name(file_name),
        mime="text/tab-separated-values" if tabs else "text/csv",
        icon=":material/download:",
        type="tertiary",
        key=key,
        on_click="ignore",
    )
