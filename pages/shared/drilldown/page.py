"""The drill-down page: the test rows that use an action, the worst first, and the chosen one."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis import drilldown as analysis
from core.analysis.drilldown import Learned
from core.analysis.forgetting import name_of
from core.language.grammar import Action
from core.runs.run import Run
from pages.shared.access.learned import learned
from pages.shared.access.runs import SHOWN, find_run, say_nothing, store, title_of
from pages.shared.access.task_choice import pick
from pages.shared.ui.address import follow, key_of, publish, read_whole
from pages.shared.ui.clicked import newly, selected_row
from pages.shared.ui.figures import download
from pages.shared.ui.text import counted, escape

SHOW = {"all": "all", "wrong": "wrong at the end", "forgotten": "right once, wrong at the end"}
NUMBER, TEXT = st.column_config.NumberColumn, st.column_config.TextColumn
COLUMNS = {
    "final": NUMBER("P now", format="%.3f", width=70, help="after the last task told of"),
    "first": NUMBER("P first", format="%.3f", width=70, help="after the first task told of"),
    "curve": st.column_config.LineChartColumn("P after each", y_min=0, y_max=1, width=100),
    "outcomes": TEXT("Right", width=90, help="after each task: ✓ exact match, ✗ not"),
    "utterance": TEXT("Utterance", width=380),
    "first_wrong": NUMBER("Wrong step", width=90, help="the first, in the last parse"),
    "wrong_since": TEXT("Wrong since", width=110),
    "logical_form": TEXT("Logical form", width=420),
    "row": NUMBER("Row", width=55),
}


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

    @property
    def key(self) -> str:
        return f"{self.run.id}/{self.on}/{self.action}"


def pick_rows() -> Rows:
    """Let run, task and action be chosen; says what to do and ends where there is nothing."""
    runs = store().runs(limit=SHOWN)
    known = analysis.predicted(store(), [run.id for run in runs])
    told = {str(run.id): run for run in runs if run.id in known}
    if not told:
        _say_empty(bool(runs))
    asked = st.query_params.get("run", "")
    silent = None if asked in told else find_run(asked)
    if silent is not None:
        title = escape(title_of(silent))
        st.info(f"{title} has told nothing of its test rows.", icon=":material/info:")
    left, middle, right = st.columns([2, 1, 2], vertical_alignment="bottom")
    titles = {id: title_of(run) for id, run in told.items()}
    with left:
        run = told[pick("run", "Run", list(told), next(iter(told)), titles)]
    names = list(run.tasks)
    tasks = {name_of(names, on): on for on in analysis.predicted_tasks(store(), run.id)}
    with middle:
        on = tasks[pick("task", "Test rows of task", list(tasks), next(iter(tasks)))]
    found = learned(run)
    if isinstance(found, str):
        st.info(
            f"{escape(found)} Utterances and gold forms come from there.",
            icon=":material/cloud_download:",
        )
        st.page_link("app.py", label="Data sets, on the home page", icon=":material/home:")
        st.stop()
    with right:
        action = _pick_action(found, on)
    return _read(run, names, on, found, action)


def _say_empty(some: bool) -> None:
    say_nothing(
        "No run has told how it parses its test rows. Runs tell it after each task unless "
        "record_predictions is off; those made before there was this option have not."
        if some
        else "No run yet. Launch one, or start the demonstration."
    )


def _pick_action(found: Learned, on: int) -> int | None:
    """One of the actions in the task's training or test rows, by number, or any."""
    grammar = found.grammar
    there = set(np.flatnonzero(grammar.counts[on]).tolist())
    for example in found.tasks[on].test:
        there.update(grammar.action_ids.get(step.action, -1) for step in example.derivation)
    texts = {str(number): str(grammar.actions[number]) for number in there - {-1}}
    choices = ["", *sorted(texts, key=texts.get)]
    chosen = pick("action", "Action", choices, "", texts | {"": "any"})
    return int(chosen) if chosen else None


def _read(run: Run, names: list[str], on: int, found: Learned, number: int | None) -> Rows:
    action = None if number is None else found.grammar.actions[number]
    told = analysis.predictions_on(store(), run.id, on)
    table = analysis.row_table(told, found.tasks[on], names, action)
    if table.empty:
        _say_unused(found, on, action, number)
    of = "of all gold steps together" if action is None else "of its gold step, the lowest of them"
    return Rows(run, names, on, found, number, table, of)


def _say_unused(found: Learned, on: int, action: Action | None, number: int | None) -> None:
    count = 0 if number is None else int(found.grammar.counts[on, number])
    st.info(
        "No test row of this task uses this action; its training rows do so "
        f"{counted(count, 'time')}. Choose another action, or another task.",
        icon=":material/search_off:",
    )
    if action is not None:
        st.code(str(action), language=None, wrap_lines=True)
    st.stop()


def choose_row(rows: Rows) -> int:
    """The table of rows; the one that is chosen in it, by the address, or else the worst."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        show = _show()
        key = follow("find", "")
        find = st.text_input(
            "Find", key=key, placeholder="in utterance or form", icon=":material/search:", width=300
        )
        publish("find", find or None)
    listed = _listed(rows.table, show, find)
    what = "all test rows" if rows.action is None else "the test rows that use the action"
    st.markdown(
        f"{len(listed):,} of {counted(len(rows.table), 'row')}: {what}, the worst first. P is that "
        f"{rows.note}, given the gold steps before it; n/a where the grammar can't write the form."
    )
    table_key = f"{key_of('rows')}/{rows.key}/{hash(tuple(listed.row))}"
    place = selected_row(table_key, len(listed))
    clicked = newly("rows", None if place is None else int(listed.row.iloc[place]))
    chosen = _follow_row(rows, clicked, listed)
    _draw_table(listed, table_key)
    return chosen


def _show() -> str:
    key = follow("show", "all")
    if st.session_state[key] not in SHOW:
        st.session_state[key] = "all"
    show = st.segmented_control("Rows", list(SHOW), format_func=SHOW.get, key=key, required=True)
    publish("show", None if show == "all" else show)
    return show


def _listed(table: pd.DataFrame, show: str, find: str) -> pd.DataFrame:
    held = table.utterance.str.contains(find, case=False, regex=False)
    held |= table.logical_form.str.contains(find, case=False, regex=False)
    if show != "all":
        held &= ~table.correct
    if show == "forgotten":
        held &= table.outcomes.str.contains("✓")
    return table[held]


def _follow_row(rows: Rows, clicked: int | None, listed: pd.DataFrame) -> int:
    key = follow("row", None, read_whole)
    if clicked is not None:
        st.session_state[key] = clicked
    if st.session_state[key] not in set(rows.table.row):
        st.session_state[key] = None
    row = st.session_state[key]
    publish("row", None if row is None else str(row))
    return int((rows.table if listed.empty else listed).row.iloc[0]) if row is None else row


def _draw_table(listed: pd.DataFrame, key: str) -> None:
    curves = [[None if p != p else round(p, 4) for p in row] for row in listed.curve]
    st.dataframe(
        listed.assign(curve=curves)[list(COLUMNS)],
        column_config=COLUMNS,
        hide_index=True,
        placeholder="n/a",
        on_select="rerun",
        selection_mode="single-row",
        height=36 * min(9, 1 + len(listed)) + 2,
        key=key,
    )
    download(listed.drop(columns="curve"), key="rows/csv", file_name="rows.csv")
