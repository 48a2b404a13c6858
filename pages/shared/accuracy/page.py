"""The accuracy page: runs over one another, their final values, the matrix of one of them."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import accuracy, paper
from core.analysis.accuracy import MEASURES, Group
from core.charts.accuracy import curves
from core.charts.matrix import matrix
from core.data.naming import same_data
from core.runs.run import RUNNING, Run
from pages.shared.access.runs import (
    SHOWN,
    beside,
    look_again,
    pick_runs,
    say_nothing,
    store,
    title_of,
)
from pages.shared.ui.address import follow, publish, read_whole
from pages.shared.ui.figures import download, present
from pages.shared.ui.text import escape

FORMULA = {
    "whole": "ACC_whole pools the test rows of all tasks learned so far.",
    "avg": "ACC_avg is the mean over the tasks learned so far.",
}


@dataclass(frozen=True)
class View:
    """What the page shows: the chosen runs, put together by seed, and their tables."""

    runs: list[Run]
    groups: tuple[Group, ...]
    cells: pd.DataFrame
    curves: pd.DataFrame
    spread: pd.DataFrame
    published: pd.DataFrame


def pick() -> View:
    """Let runs be chosen and read their tables; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    ended = accuracy.latest(store(), [run.id for run in runs])
    told = [run for run in runs if run.id in set(ended.run)]
    if not told:
        say_nothing("No run has learned a task yet.")
    asked = st.query_params.get("run")
    chosen = pick_runs("Runs", told, default=beside(told[0], told))
    if not chosen:
        early = "" if asked is None else "What was asked for has not learned a task yet. "
        st.info(f"{early}Choose a run above.", icon=":material/arrow_upward:")
        st.stop()
    _warn(chosen)
    groups = accuracy.group(chosen)
    cells = accuracy.cells(store(), chosen)
    table = accuracy.curves(cells)
    spread = accuracy.spread(table, groups)
    return View(chosen, groups, cells, table, spread, _published(groups, table))


def _warn(runs: list[Run]) -> None:
    if not all(same_data(run.config, runs[0].config) for run in runs):
        st.warning(
            "These runs learn different data: their curves don't compare.",
            icon=":material/warning:",
        )
    if any(run.status == RUNNING for run in runs):
        look_again("Some of these runs are still going on; this is how far they were.")


def _published(groups: tuple[Group, ...], table: pd.DataFrame) -> pd.DataFrame:
    """The paper's values for these groups: group, label, measure, value (percent)."""
    rows = [
        (group.label, paper.label(value), value.measure, value.value)
        for group in groups
        for value in paper.comparable(group.runs[0].config, len(group.runs[0].tasks))
    ]
    return pd.DataFrame(rows, columns=["group", "label", "measure", "value"])


def _switch(name: str, label: str, help: str) -> bool:
    """A toggle that is on unless the address says otherwise."""
    key = follow(name, True, lambda text: text != "off")
    on = st.toggle(label, key=key, help=help)
    publish(name, None if on else "off")
    return on


def draw_curves(view: View) -> None:
    """ACC_whole or ACC_avg after each task, for all groups."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="large"):
        key = follow("measure", "whole")
        if st.session_state[key] not in MEASURES:
            st.session_state[key] = "whole"
        measure = st.segmented_control(
            "Measure", list(MEASURES), format_func=MEASURES.get, key=key, required=True
        )
        publish("measure", None if measure == "whole" else measure)
        bound = _switch("ceiling", "Upper bound", "Test rows whose form the known actions cover.")
        values = False
        if not view.published.empty:
            values = _switch("paper", "The paper's values", escape(paper.PROTOCOL))
    published = view.published[view.published.measure == measure]
    figure = curves(
        view.spread,
        measure=measure,
        name=MEASURES[measure],
        published=published if values else None,
        upper_bound=bound,
    )
    sentence = (
        f"{FORMULA[measure]} Lines are means over seeds, bands one standard deviation; the paper "
        "shows ACC_whole so in its figures and both after the last task in Table 1."
    )
    columns = ["group", "after", "task", "runs", measure, f"{measure}_deviation"]
    data = view.spread[[*columns, f"bound_{measure}"]]
    present(figure, sentence, data, key="curves", file_name=f"acc_{measure}.csv")


def draw_table(view: View) -> None:
    """The end of each curve in numbers, beside the paper's."""
    rows = []
    for row in view.spread.groupby("group", sort=False).tail(1).to_dict("records"):
        learned = row["after"] + 1
        spread = {m: row[f"{m}_deviation"] for m in MEASURES}
        rows.append(_table_row(row["group"], learned, row["runs"], row, spread))
        limits = {m: row[f"bound_{m}"] for m in MEASURES}
        rows.append(_table_row("  upper bound", learned, None, limits, {}))
        mine = view.published[view.published.group == row["group"]]
        for source, values in mine.groupby("label", sort=False):
            shares = dict(zip(values.measure, values.value / 100, strict=True))
            rows.append(_table_row(f"  {source}", learned, 10, shares, {}))
    table = pd.DataFrame(rows)
    st.subheader("After the last task")
    st.markdown(
        "Exact match in percent: the mean over seeds with the sample's standard deviation (SD), "
        "and what it may be held against."
    )
    percent = st.column_config.NumberColumn(format="%.2f", width=110)
    shown = {name: percent for name in table.columns if "ACC" in name}
    wide = st.column_config.TextColumn(width=340)
    st.dataframe(
        table.astype({"n": "Int64"}),
        hide_index=True,
        placeholder="–",
        key="table",
        height="content",
        column_config={"Runs": wide, **shown},
    )
    if not view.published.empty:
        st.caption(escape(paper.PROTOCOL[:1].upper() + paper.PROTOCOL[1:]) + ".")
    download(table, key="table/csv", file_name="accuracy.csv")


def _table_row(
    name: str, learned: int, runs: int | None, shares: dict, spread: dict
) -> dict[str, Any]:
    """A line of the table; what is not known stays empty."""
    line = {"Runs": name, "n": runs, "Tasks learned": learned}
    for measure, label in MEASURES.items():
        line[label] = 100 * shares.get(measure, math.nan)
        line[f"SD of {label}"] = 100 * spread.get(measure, math.nan)
    return line


def draw_matrix(view: View) -> None:
    """acc[k, i] of one of the runs."""
    st.subheader("Task by task")
    by_id = {run.id: run for run in view.runs}
    first = view.runs[0].id
    key = follow("matrix", first, read_whole)
    if st.session_state[key] not in by_id:
        st.session_state[key] = first
    if len(by_id) > 1:
        st.selectbox("Run", list(by_id), format_func=lambda id: title_of(by_id[id]), key=key)
    run = st.session_state[key]
    publish("matrix", None if run == first else str(run))
    cells = view.cells[view.cells.run == run]
    sentence = (
        "acc[k, i]: how many of task i's test rows are parsed exactly after learning task k. "
        "Down a column a task is forgotten; the paper's measures are means over a row."
    )
    present(matrix(cells), sentence, cells, key="matrix_figure", file_name=f"acc_run_{run}.csv")
