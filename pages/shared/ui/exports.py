"""What saved files are called: data set, runs and task first, so that none overwrites another."""

import re
from collections.abc import Sequence

import pandas as pd
import streamlit as st

MOST = 80  # letters of what a file's name begins with
_KEY = "exports"


def name_exports(dataset: str, runs: Sequence[int] = (), task: str = "") -> None:
    """Files saved from this page begin with these from here on."""
    numbers = "-".join(map(str, runs))
    words = [dataset, *([f"run{'s' * (len(runs) > 1)}-{numbers}"] if runs else []), task]
    st.session_state[_KEY] = "_".join(filter(None, map(_plain, words)))[:MOST]


def forget_exports() -> None:
    """A page begins: its files have no such beginning yet."""
    st.session_state[_KEY] = ""


def export_name(file_name: str) -> str:
    """The whole name of a file that a page calls so."""
    start = st.session_state.get(_KEY, "")
    return f"{start}_{file_name}" if start else file_name


def as_percent(
    table: pd.DataFrame,
    shares: Sequence[str] = (),
    percent: Sequence[str] = (),
    points: Sequence[str] = (),
) -> pd.DataFrame:
    """The table as files have it: as on pages, what is a share is in percent, and named so.
    `percent` and `points` are columns that are so already.
    """
    units = dict.fromkeys((*shares, *percent), "%") | dict.fromkeys(points, "points")
    scaled = table.assign(**{name: 100 * table[name] for name in shares})
    return scaled.rename(columns={name: f"{name} ({unit})" for name, unit in units.items()})


def _plain(word: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]+", "-", word).strip("-.").lower()
