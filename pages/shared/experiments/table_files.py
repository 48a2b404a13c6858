"""A table as text to copy into a paper: buttons for LaTeX (booktabs), Markdown and CSV."""

import pandas as pd
import streamlit as st

from core.analysis.table_text import as_text
from pages.shared.ui.exports import export_name

KINDS = {"latex": ("LaTeX", "tex"), "markdown": ("Markdown", "md"), "csv": ("CSV", "csv")}


def draw_text_files(
    table: pd.DataFrame, name: str, caption: str, data: pd.DataFrame | None = None
) -> None:
    """A button for each kind; the CSV holds `data`, numbers in full, where that is given."""
    with st.container(horizontal=True, gap="small"):
        for kind, (label, ending) in KINDS.items():
            saved = data if kind == "csv" and data is not None else table
            st.download_button(
                label,
                as_text(saved, kind, caption),
                file_name=export_name(f"{name}.{ending}"),
                mime="text/csv" if kind == "csv" else "text/plain",
                icon=":material/download:",
                type="tertiary",
                key=f"{name}/{kind}",
                on_click="ignore",
            )
