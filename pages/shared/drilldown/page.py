"""The drill-down page: the test rows that use an action, the worst first, and the chosen one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis import drilldown as analysis
from core.analysis.drilldown import Learned
from core.analysis.forgetting import name_of
from core.charts.marks import Mark
from core.data.naming import dataset_name
from core.language.derivation import Action
from core.runs.run import Run
from pages.shared.access.learned import learned
from pages.shared.access.runs import SHOWN, say_reduced, store
from pages.shared.tray import mark, pick_other, selected_run, with_records
from pages.shared.ui.exports import name_exports
from pages.shared.ui.memo import remembered
from pages.shared.ui.options import setting
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick


@dataclass(frozen=True, eq=False)
class Rows:
    """A run's test rows of a task, and which of them are looked at."""

    run: Run
    names: list[str]  # of the run's tasks
    on: int  # the task whose test rows they are, from 0
    learned: Learned
    action: int | None
    table: pd.DataFrame  # analysis.row_table
    note: str  # what P is of
    beside: "Rows | None" = None  # the same rows in another run

    @property
    def sides(self) -> list["Rows"]:
        """The rows in one run or in both."""
        return [self] if self.beside is None else [self, self.beside]

    @property
    def mark(self) -> Mark:
        return mark(self.run)

    @property
    def title(self) -> str:
        return self.mark.name

    @property
    def key(self) -> str:
        return f"{self.run.id}/{self.on}/{self.action}"


def pick_rows() -> Rows:
    """Let run, task and action be chosen; says what to do and ends where there is nothing."""
    runs = store().runs(limit=SHOWN)
    known = analysis.predicted(store(), [run.id for run in runs])
    recorded = with_records(
        runs,
        known,
        "No run has recorded how it parses its test rows. Runs record it after each task unless "
        f"*{setting('record_predictions')}* is off; those made before there was this option "
        "have not.",
    )
    run = selected_run(recorded, "predictions")
    second, middle, right = st.columns(3, vertical_alignment="bottom")
    names = list(run.tasks)
    tasks = {name_of(names, on): on for on in analysis.predicted_tasks(store(), run.id)}
    with middle:
        on = tasks[pick("task", "Test rows of task", list(tasks))]
    with second:
        other = pick_other(run, recorded, name_of(names, on))
    data = learned(run)
    if isinstance(data, str):
        st.info(
            f"{escape(data)} Utterances and gold forms come from there.",
            icon=":material/cloud_download:",
        )
        st.page_link("app.py", label="Data sets, on the home page", icon=":material/home:")
        st.stop()
    with right:
        action = _pick_action(data, on)
    rows = _read(run, names, on, data, action)
    rows = rows if other is None else replace(rows, beside=_same_rows(rows, other))
    name_exports(dataset_name(run.config), [s.run.id for s in rows.sides], name_of(names, on))
    say_reduced(side.run for side in rows.sides)
    return rows


def _same_rows(rows: Rows, other: Run) -> Rows | None:
    """The same test rows in the other run; says why where that can't be."""
    on = other.tasks.index(name_of(rows.names, rows.on))
    data, why = learned(other), "has recorded no parse of these rows yet"
    if isinstance(data, str):
        why = data
    elif on in analysis.predicted_tasks(store(), other.id):
        action = None if rows.action is None else rows.learned.grammar.actions[rows.action]
        table = _table(other, on, data, other.tasks, action)
        forms = [row.logical_form for row in rows.learned.tasks[rows.on].test]
        if [row.logical_form for row in data.tasks[on].test] == forms:
            return Rows(other, list(other.tasks), on, data, rows.action, table, rows.note)
        why = "has other test rows"
    st.warning(
        escape(f"{mark(other).name} can't stand beside it: {why}."), icon=":material/warning:"
    )
    return None


def _table(
    run: Run, on: int, data: Learned, names: Sequence[str], action: Action | None
) -> pd.DataFrame:
    """The run's test rows of the task that use the action."""
    return remembered(
        ("test rows", on, action),
        lambda: analysis.row_table(
            analysis.predictions_on(store(), run.id, on), data.tasks[on], names, action
        ),
        [run],
    )


def _pick_action(data: Learned, on: int) -> int | None:
    """One of the actions in the task's training or test rows, by number, or any."""
    grammar = data.grammar
    used = set(np.flatnonzero(grammar.counts[on]).tolist())
    for example in data.tasks[on].test:
        used.update(grammar.action_ids.get(step.action, -1) for step in example.derivation)
    texts = {str(number): str(grammar.actions[number]) for number in used - {-1}}
    chosen = pick("action", "Action", {"": "any"} | dict(sorted(texts.items(), key=itemgetter(1))))
    return int(chosen) if chosen else None


def _read(run: Run, names: list[str], on: int, data: Learned, number: int | None) -> Rows:
    action = None if number is None else data.grammar.actions[number]
    table = _table(run, on, data, names, action)
    if table.empty:
        _say_unused(data, on, action, number)
    of = "of all gold steps together" if action is None else "of its gold step, the lowest of them"
    return Rows(run, names, on, data, number, table, of)


def _say_unused(data: Learned, on: int, action: Action | None, number: int | None) -> None:
    count = 0 if number is None else int(data.grammar.counts[on, number])
    st.info(
        "No test row of this task uses this action; its training rows do so "
        f"{counted(count, 'time')}. Choose another action, or another task.",
        icon=":material/search_off:",
    )
    if action is not None:
        st.code(str(action), language=None, wrap_lines=True)
    st.stop()
