"""The forgetting page: which run, which task's actions, which of them."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.analysis import forgetting as analysis
from core.data.naming import same_data
from core.runs.run import RUNNING, Run
from pages.shared.access.learned import covered
from pages.shared.access.runs import SHOWN, find_run, look_again, say_nothing, store, title_of
from pages.shared.access.task_choice import pick
from pages.shared.ui.address import follow, publish, read_whole
from pages.shared.ui.text import escape

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

    @property
    def key(self) -> str:
        return f"{self.run.id}/{self.origin}"

    @property
    def last(self) -> int:
        """The last task after which the run has told of these actions."""
        return self.origin + len(self.table.curve.iloc[0]) - 1

    def task(self, k: int) -> str:
        return analysis.name_of(self.names, k)


def pick_view() -> View:
    """Let run, task and actions be chosen; says what to do and ends where there are none."""
    runs = store().runs(limit=SHOWN)
    known = analysis.recorded(store(), [run.id for run in runs])
    told = {str(run.id): run for run in runs if run.id in known}
    if not told:
        _say_empty(bool(runs))
    _say_other(told)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    titles = {id: title_of(run) for id, run in told.items()} | {"": "none"}
    with left:
        run = told[pick("run", "Run", list(told), next(iter(told)), titles)]
    names = list(run.tasks)
    tasks = analysis.origins(store(), run.id)
    with right:
        choices = {analysis.name_of(names, on): on for on in tasks.on}
        first = next(iter(choices))
        name = pick("task", "Actions of task", list(choices), first)
    with middle:
        others = [id for id, each in told.items() if each is not run and _learns(each, run, name)]
        other = pick("other", "Beside it", ["", *others], "", titles)
    if run.status == RUNNING:
        look_again("This run is still going on; this is how far it was.")
    return _read(run, told.get(other), names, choices[name])


def _say_empty(some: bool) -> None:
    say_nothing(
        "No run has told how probable its actions are. Runs tell it after each task unless "
        "record_actions is off; those made before there was this option have not."
        if some
        else "No run yet. Launch one, or start the demonstration."
    )


def _say_other(told: dict[str, Run]) -> None:
    """Where the address asks for a run that has nothing to show here."""
    asked = st.query_params.get("run", "")
    run = None if asked in told else find_run(asked)
    if run is not None:
        title = escape(title_of(run))
        st.info(f"{title} has told nothing of its actions.", icon=":material/info:")


def _learns(run: Run, other: Run, task: str) -> bool:
    same = same_data(run.config, other.config)
    return same and task in run.tasks


def _read(run: Run, other: Run | None, names: list[str], origin: int) -> View:
    kept, note = covered(run, origin)
    table = analysis.action_table(store(), run, origin, kept)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        find = _find()
        kind = _choice("kind", "Kind", KINDS)
        memory = "" if kept is None else _choice("memory", "In memory", MEMORY)
        least = _least()
    shown = analysis.filtered(
        table, find, KINDS[kind] if kind else "", MEMORY[memory] if memory else "", least
    )
    return View(run, other, names, origin, table, shown, note)


def _find() -> str:
    key = follow("find", "")
    text = st.text_input(
        "Find", key=key, placeholder="in an action, or a task's name", icon=":material/search:",
        width=300,
    )  # fmt: skip
    publish("find", text or None)
    return text


def _choice(name: str, label: str, choices: dict[str, str]) -> str:
    key = follow(name, "")
    if st.session_state[key] not in choices:
        st.session_state[key] = ""
    chosen = st.segmented_control(
        label, list(choices), format_func=choices.get, key=key, required=True
    )
    publish(name, chosen or None)
    return chosen


def _least() -> int:
    key = follow("least", 1, read_whole)
    st.session_state[key] = max(1, st.session_state[key])
    least = st.number_input(
        "Count at least", 1, step=10, key=key, width=130,
        help="occurrences in the origin task's training rows",
    )  # fmt: skip
    publish("least", None if least == 1 else str(least))
    return least
