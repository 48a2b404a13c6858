"""The forgetting page: which run, which task's actions, which of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import forgetting as analysis
from core.charts.marks import Mark
from core.runs.run import Run
from pages.shared.access.learned import in_memory
from pages.shared.access.runs import SHOWN, say_reduced, store
from pages.shared.tray import mark, pick_other, selected_run, with_records
from pages.shared.ui.memo import remembered
from pages.shared.ui.options import setting
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import find, limit, number, pick, switch

KINDS = {"": "all", "specific": analysis.SPECIFIC, "cross": analysis.CROSS}
MEMORY = {"": "all", "in": analysis.COVERED, "out": analysis.NOT_COVERED}


@dataclass(frozen=True)
class View:
    """What the page shows: a run, maybe another, and the run's actions of one task."""

    run: Run
    other: Run | None
    names: list[str]  # of the run's tasks
    origin: int  # from 0
    table: pd.DataFrame  # analysis.action_table, all of it
    shown: pd.DataFrame  # what the filters let through
    note: str  # why nothing is said of the memory; empty where it is
    filters: Mapping[str, Any]  # analysis.filtered's
    beside: "View | None" = None  # the same actions in the other run

    @property
    def sides(self) -> list["View"]:
        """The actions in one run or in both."""
        return [self] if self.beside is None else [self, self.beside]

    @property
    def mark(self) -> Mark:
        return mark(self.run)

    @property
    def title(self) -> str:
        return self.mark.name

    @property
    def key(self) -> str:
        return f"{self.run.id}/{self.origin}"

    @property
    def last(self) -> int:
        """The last task after which the run has recorded these actions."""
        return self.origin + len(self.table.curve.iloc[0]) - 1

    def task(self, k: int) -> str:
        return analysis.name_of(self.names, k)


def pick_view() -> View:
    """Let run, task and actions be chosen; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    known = analysis.recorded(store(), [run.id for run in runs])
    recorded = with_records(
        runs,
        known,
        "No run has recorded how probable its actions are. Runs record it after each task unless "
        f"*{setting('record_actions')}* is off; those made before there was this option have not.",
    )
    run = selected_run(recorded, "probabilities of actions")
    left, right = st.columns(2, vertical_alignment="bottom")
    names = list(run.tasks)
    with left:
        origins = analysis.origins(store(), run.id).on
        choices = {analysis.name_of(names, on): on for on in origins}
        name = pick("task", "Actions of task", list(choices))
    with right:
        other = pick_other(run, recorded, name)
    say_reduced([run] if other is None else [run, other])
    return _read(run, other, names, choices[name])


def _read(run: Run, other: Run | None, names: list[str], origin: int) -> View:
    kept, note = in_memory(run, origin)
    table = _table(run, origin, kept)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = find("in an action, or a task's name", width=260)
        kind = switch("kind", "Kind", KINDS)
        memory = "" if kept is None else switch("memory", "In memory", MEMORY)
        help = "occurrences in the origin task's training rows"
        least = number("least", "Count at least", 1, 1, width=130, help=help)
        most = limit("most", "Count at most", 1, width=130, help=help, placeholder="any")
    filters: dict[str, Any] = {
        "text": text,
        "kind": KINDS[kind] if kind else "",
        "memory": MEMORY[memory] if memory else "",
        "least_count": least,
        "most_count": most or 0,
    }
    view = View(
        run, other, names, origin, table, analysis.filtered(table, **filters), note, filters
    )
    return view if other is None else replace(view, beside=_beside(view, other))


def _table(run: Run, origin: int, kept: Collection[str] | None) -> pd.DataFrame:
    """The run's actions of the task; `kept` are those that its memory covers."""
    covered = None if kept is None else frozenset(kept)
    read = partial(analysis.action_table, store(), run, origin, covered)
    return remembered(("actions", origin, covered), read, [run])


def _beside(view: View, other: Run) -> View | None:
    """The other run's view of the same task: the same actions in the same order, under the first
    run's numbers; None, with why, where it has recorded none of them.
    """
    names = list(other.tasks)
    origin = names.index(view.task(view.origin))
    kept, note = in_memory(other, origin)
    table = _table(other, origin, kept)
    order = {text: at for at, text in enumerate(view.table.text)}
    mine = table[table.text.isin(list(order))].drop_duplicates("text")
    if mine.empty:
        st.warning(
            escape(f"Run {other.id} has recorded none of these actions of this task."),
            icon=":material/inbox:",
        )
        return None
    numbers = dict(zip(view.table.text, view.table.action, strict=True))
    mine = mine.assign(action=mine.text.map(numbers).astype(int))
    mine = mine.sort_values("text", key=lambda texts: texts.map(order), ignore_index=True)
    shown = mine[mine.text.isin(list(view.shown.text))]
    return View(other, None, names, origin, mine, shown, note, view.filters)
