"""The drill-down page: the test rows that use an action, the worst first, and the chosen one."""

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import pandas as pd
import streamlit as st

from core.analysis import drilldown as analysis
from core.analysis.drilldown import Learned
from core.analysis.forgetting import name_of
from core.language.grammar import Action
from core.runs.run import Run
from pages.shared.access.learned import learned
from pages.shared.access.runs import SHOWN, pick_run, say_lacking, store, with_records
from pages.shared.ui.address import key_of
from pages.shared.ui.clicked import newly, selected_row
from pages.shared.ui.tables import NUMBER, TEXT, download, pick_row
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import chosen_number, find, pick, switch

SHOW = {"all": "all", "wrong": "wrong at the end", "forgotten": "right once, wrong at the end"}
COLUMNS = {
    "final": NUMBER("P now", format="%.3f", width=70, help="after the last task recorded"),
    "first": NUMBER("P first", format="%.3f", width=70, help="after the first task recorded"),
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
    recorded = with_records(
        runs,
        known,
        "No run has recorded how it parses its test rows. Runs record it after each task unless "
        "record_predictions is off; those made before there was this option have not.",
    )
    say_lacking(recorded, "predictions")
    left, middle, right = st.columns([2, 1, 2], vertical_alignment="bottom")
    with left:
        run = pick_run(recorded)
    names = list(run.tasks)
    tasks = {name_of(names, on): on for on in analysis.predicted_tasks(store(), run.id)}
    with middle:
        on = tasks[pick("task", "Test rows of task", list(tasks))]
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
    return _read(run, names, on, data, action)


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
    predictions = analysis.predictions_on(store(), run.id, on)
    table = analysis.row_table(predictions, data.tasks[on], names, action)
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


def choose_row(rows: Rows) -> int:
    """The table of rows; the one that is chosen in it, by the address, or else the worst."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        show = switch("show", "Rows", SHOW)
        text = find("in utterance or form", width=300)
    listed = _listed(rows.table, show, text)
    what = "all test rows" if rows.action is None else "the test rows that use the action"
    st.markdown(
        f"{len(listed):,} of {counted(len(rows.table), 'row')}: {what}, the worst first. P is that "
        f"{rows.note}, given the gold steps before it; n/a where the grammar can't write the form."
    )
    table_key = f"{key_of('rows')}/{rows.key}/{hash(tuple(listed.row))}"
    index = selected_row(table_key, len(listed))
    clicked = newly("rows", None if index is None else int(listed.row.iloc[index]))
    row = chosen_number("row", clicked, rows.table.row)
    _draw_rows(listed, table_key)
    return int((rows.table if listed.empty else listed).row.iloc[0]) if row is None else row


def _listed(table: pd.DataFrame, show: str, text: str) -> pd.DataFrame:
    mask = table.utterance.str.contains(text, case=False, regex=False)
    mask |= table.logical_form.str.contains(text, case=False, regex=False)
    if show != "all":
        mask &= ~table.correct
    if show == "forgotten":
        mask &= table.outcomes.str.contains("✓")
    return table[mask]


def _draw_rows(listed: pd.DataFrame, key: str) -> None:
    curves = [[None if p != p else round(p, 4) for p in row] for row in listed.curve]
    height = 36 * min(9, 1 + len(listed)) + 2
    pick_row(listed.assign(curve=curves)[list(COLUMNS)], COLUMNS, key=key, height=height)
    download(listed.drop(columns="curve"), key="rows/csv", file_name="rows.csv")
