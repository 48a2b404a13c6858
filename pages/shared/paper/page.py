"""The paper page: one of its tables, ours beside it, and what is still to be run for it."""

from typing import Any

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from core import paths
from core.analysis import exported_runs, paper, paper_beside
from core.analysis.paper_values import TITLES
from core.runs.run import FINISHED
from pages.shared.access.runs import store
from pages.shared.experiments.table_files import draw_text_files
from pages.shared.paper.missing import draw_missing
from pages.shared.ui.exports import as_percent, name_exports
from pages.shared.ui.tables import TEXT, draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import switch

TINTS = (  # up to so many standard deviations from the paper's value; readable in light and dark
    (1.0, "rgba(0,158,115,0.30)", "within 1 sd"),
    (2.0, "rgba(194,128,0,0.30)", "1 to 2 sd"),
    (float("inf"), "rgba(213,94,0,0.38)", "more than 2 sd"),
)
ALONE = "rgba(128,128,128,0.22)"  # one run: no standard deviation


def draw_paper() -> None:
    """The chosen table, its legend, files and missing cells."""
    numbers = {str(number): f"Table {number}" for number in TITLES}
    number = int(switch("table", "Table", numbers, label_visibility="collapsed"))
    name_exports("paper")
    records = _records(*_state())
    frame = paper_beside.beside(records, number)
    run = int((frame.n > 0).sum())
    st.markdown(f"**Table {number}**: {escape(TITLES[number])}.")
    st.caption(
        f"Each cell: the paper's value | ours, mean ± standard deviation (n runs); a dash where "
        f"nothing was run. {run} of {counted(len(frame), 'cell')} have been run."
    )
    shown = paper_beside.shown(frame)
    coloured = number != 8
    table = _coloured(shown, frame) if coloured else shown
    draw_table(table, _widths(shown), key="paper", height="content")
    if coloured:
        _draw_legend()
    else:
        st.caption("Seconds a task on one V100 in the paper, on this machine's device in ours.")
    title = f"The paper's Table {number}, ours beside it: mean ± sd over n orders and seeds."
    data = as_percent(frame, percent=["value", "mean", "sd"]) if coloured else frame
    draw_text_files(shown, f"table{number}", title, data=data)
    reads = "; ".join(sorted(set(frame.reads) - {""}))
    st.caption(escape(paper.beside([]) + (f" Ours read {reads}." if reads else "")))
    draw_missing(records, number)


def _widths(shown: pd.DataFrame) -> dict[str, Any]:
    """Each column as wide as its longest cell: Streamlit cuts what it has not seen at first."""
    longest = {name: max(len(name), *map(len, shown[name])) for name in shown.columns}
    return {name: TEXT(width=max(70, 20 + 7 * n)) for name, n in longest.items()}


def _coloured(shown: pd.DataFrame, frame: pd.DataFrame) -> Styler:
    """Our cells tinted by how many standard deviations they lie from the paper's."""
    tints = paper_beside.shown(frame, _tint).reindex(columns=shown.columns)
    words = [name for name in ("Method", "Note", "Sampler") if name in shown.columns]
    tints[words] = ""
    return shown.style.apply(lambda _: tints, axis=None)


def _tint(row: object) -> str:
    n, distance = row.n, row.distance  # type: ignore[attr-defined]
    if not n:
        return ""
    if pd.isna(distance):
        return f"background-color: {ALONE}"
    return next(f"background-color: {tint}" for most, tint, _ in TINTS if abs(distance) <= most)


def _draw_legend() -> None:
    """What the tints mean, as small squares of them."""
    marks = [*((tint, words) for _, tint, words in TINTS), (ALONE, "one run, no sd")]
    squares = "".join(
        f'<span style="margin-right:1.2rem;white-space:nowrap"><span style="display:inline-block;'
        f"width:.9em;height:.9em;background:{tint};border-radius:2px;margin-right:.4em;"
        f'vertical-align:-.1em"></span>{words}</span>'
        for tint, words in marks
    )
    st.html(
        f'<div style="font-size:.875rem;opacity:.85">Ours less the paper\'s:&ensp;{squares}</div>'
    )


def _state() -> tuple[str, int, int]:
    """Changes with every run that finishes or is deleted."""
    return paths.database_url(), *exported_runs.tally(store())


@st.cache_resource(ttl=600, max_entries=4, show_spinner="Reading the finished runs …")
def _records(database: str, count: int, newest: int) -> list[exported_runs.ExportedRun]:
    finished = store().runs(statuses=[FINISHED])[::-1]
    return exported_runs.merge(exported_runs.of_runs(store(), finished))
