"""A figure on a page: what it shows in one sentence, itself, its data as CSV."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

CONFIG = {"displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"]}


def draw_figure(figure: go.Figure, *, key: str) -> None:
    """The figure alone, in the app's colours for text and grid."""
    st.plotly_chart(figure, key=key, config=CONFIG)


def present(
    figure: go.Figure, sentence: str, data: pd.DataFrame, *, key: str, file_name: str
) -> None:
    """The figure with the sentence that says what it shows, and a button for its data."""
    st.markdown(sentence)
    draw_figure(figure, key=key)
    download(data, key=f"{key}/csv", file_name=file_name)


def download(data: pd.DataFrame, *, key: str, file_name: str) -> None:
    """A button that saves a table as CSV."""
    st.download_button(
        "CSV of what is shown",
        data.to_csv(index=False).encode(),
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        key=key,
        on_click="ignore",
    )
