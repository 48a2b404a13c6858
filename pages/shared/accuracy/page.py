"""The accuracy page: runs over one another, their final values, the matrix of one of them."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import accuracy, paper
from core.analysis.accuracy import MEASURES, Group
from core.analysis.encoders import encoder_inputs
from core.analysis.error_curves import task_names
from core.analysis.short_names import named_groups
from core.charts.accuracy import curves
from core.charts.marks import Mark, of_groups
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, store, warn_of_other_data
from pages.shared.tray import arm_groups, arm_mark, marks, tray_runs_and_arms, with_records
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import remembered
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import switch, toggle

FORMULA = {
    "whole": "ACC_whole pools the test rows of all tasks learned so far.",
    "avg": "ACC_avg is the mean over the tasks learned so far.",
}
APART = (
    "A matrix and a curve for each run; off: one for those that differ in seeds and order alone."
)


@dataclass(frozen=True)
class View:
    """What the page shows: the chosen runs, put together by seed, and their tables."""

    runs: list[Run]
    groups: tuple[Group[Run], ...]
    arms: frozenset[str]  # which of the groups are arms of experiments, by label
    looks: dict[str, Mark]  # of the groups, by label
    cells: pd.DataFrame
    curves: pd.DataFrame
    spread: pd.DataFrame
    published: pd.DataFrame


def pick_view() -> View:
    """Let runs be chosen and read their tables; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    ended = accuracy.latest(store(), [run.id for run in runs])
    learned = with_records(runs, set(ended.run), "No run has learned a task yet.")
    alone, arms = tray_runs_and_arms(learned, "accuracy")
    chosen = list({run.id: run for run in chain(alone, *(arm.runs for arm in arms))}.values())
    warn_of_other_data(chosen)
    looks = marks(alone)
    groups = named_groups(alone, {id: look.name for id, look in looks.items()})
    if len(groups) < len(alone) and toggle("apart", "Each run apart", False, APART):
        groups = tuple(Group(looks[run.id].name, (run,)) for run in alone)
    drawn, of_arms = of_groups(groups, looks), arm_groups(arms, [each.label for each in groups])
    drawn |= {each.label: arm_mark(arm) for each, arm in zip(of_arms, arms, strict=True)}
    groups = (*groups, *of_arms)
    cells = remembered(("cells",), lambda: accuracy.cells(store(), chosen), chosen)
    table = remembered(("curves",), lambda: accuracy.curves(cells), chosen)
    average = partial(accuracy.spread, table, groups)
    spread = remembered(("spread", members(groups)), average, chosen)
    labels = frozenset(each.label for each in of_arms)
    return View(chosen, groups, labels, drawn, cells, table, spread, _published(groups, table))


def members(groups: Iterable[Group[Run]]) -> tuple[tuple[str | int, ...], ...]:
    """What each group is called, and the numbers of its runs."""
    return tuple((each.label, *(run.id for run in each.runs)) for each in groups)


def _published(groups: tuple[Group[Run], ...], table: pd.DataFrame) -> pd.DataFrame:
    """The paper's values for these groups: group, label, measure, value (percent)."""
    rows = [
        (group.label, paper.label(value), value.measure, value.value)
        for group in groups
        for value in paper.comparable(group.runs[0].config, len(group.runs[0].tasks))
    ]
    return pd.DataFrame(rows, columns=["group", "label", "measure", "value"])


def draw_curves(view: View) -> None:
    """ACC_whole or ACC_avg after each task, for all groups."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        measure = switch("measure", "Measure", MEASURES, "whole")
        help = "Test rows whose form the known actions cover."
        bound = toggle("ceiling", "Upper bound", True, help)
        values = False
        if not view.published.empty:
            values = toggle("paper", "The paper's values", True, escape(paper.PROTOCOL))
    published = view.published[view.published.measure == measure]
    draw = partial(
        curves,
        view.spread,
        measure=measure,
        name=MEASURES[measure],
        marks=view.looks,
        tasks=task_names(view.runs),
        published=published if values else None,
        upper_bound=bound,
    )
    key = ("curves figure", members(view.groups), *view.looks.items(), measure, values, bound)
    figure = remembered(key, draw, view.runs)
    sentence = (
        f"{FORMULA[measure]} Lines are means over runs, bands one standard deviation; the paper "
        "shows ACC_whole so in its figures and both after the last task in Table 1."
    )
    columns = ["group", "after", "task", "runs", measure, f"{measure}_deviation"]
    data = view.spread[[*columns, f"bound_{measure}"]]
    data = as_percent(data, shares=[name for name in data if measure in name])
    present(figure, sentence, data, key="curves", file_name=f"acc_{measure}.csv")


def draw_ends(view: View) -> None:
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
    prose(
        "Exact match in percent: the mean over runs with the sample's standard deviation (SD), "
        "and what it may be held against."
    )
    percent = NUMBER(format="%.2f", width=110)
    shown = {name: percent for name in table.columns if "ACC" in name}
    draw_table(
        table.astype({"n": "Int64"}),
        {"Runs": TEXT(width=340), **shown},
        key="table",
        file_name="accuracy.csv",
        data=as_percent(table, percent=[name for name in table.columns if "ACC" in name]),
        missing="–",
        height="content",
    )
    configs = [run.config for run in view.runs]
    known = not view.published.empty
    st.caption(escape(paper.beside(configs) if known else f"Runs read {encoder_inputs(configs)}."))


def _table_row(
    name: str, learned: int, runs: int | None, shares: dict[str, float], spread: dict[str, float]
) -> dict[str, Any]:
    """A line of the table; what is not known stays empty."""
    line: dict[str, Any] = {"Runs": name, "n": runs, "Tasks learned": learned}
    for measure, label in MEASURES.items():
        line[label] = 100 * shares.get(measure, math.nan)
        line[f"SD of {label}"] = 100 * spread.get(measure, math.nan)
    return line
