"""The list of test rows, the worst first, and the one that is chosen in it."""

import pandas as pd
import streamlit as st

from core.text import middle_cut
from pages.shared.drilldown.page import Rows
from pages.shared.ui.address import key_of, publish
from pages.shared.ui.clicked import newly, selected_row
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, download, pick_row
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import chosen_number, find, switch

SHOW = {"all": "all", "wrong": "wrong at the end", "forgotten": "right once, wrong at the end"}
SHORT = 24  # letters of a run's name in the list of lists
WORDS = {
    "wrong": "that are wrong at the end",
    "forgotten": "that were right once and are wrong at the end",
    "lost": "that the first run gets right at the end and the second wrong",
    "won": "that the first run gets wrong at the end and the second right",
}
COLUMNS = {
    "final": NUMBER("P now", format="%.3f", width=70, help="after the last task recorded"),
    "first": NUMBER("P first", format="%.3f", width=70, help="after the first task recorded"),
    "curve": st.column_config.LineChartColumn("P after each", y_min=0, y_max=1, width=100),
    "outcomes": TEXT("Right", width=90, help="after each task: ✓ exact match, ✗ not"),
    "beside": TEXT("Right beside", width=90, help="the same in the second run"),
    "utterance": TEXT("Utterance", width=380),
    "first_wrong": NUMBER("Wrong step", width=90, help="the first, in the last parse"),
    "wrong_since": TEXT("Wrong since", width=110),
    "logical_form": TEXT("Logical form", width=420),
    "row": NUMBER("Row", width=55),
}


def choose_row(rows: Rows) -> int:
    """The table of rows; the one that is chosen in it, by the address, or else the worst."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        show = switch("show", "Rows", _lists(rows))
        text = find("in utterance or form", width=300)
    table = _with_beside(rows)
    listed = _listed(table, show, text)
    prose(
        f"{_in_words(rows, listed, show, text)} P is that {rows.note}, given the gold steps before "
        "it; n/a where the grammar can't write the form."
    )
    if listed.empty:
        st.info(
            "No row is like that. Choose other rows or clear the search.",
            icon=":material/filter_alt:",
        )
        st.stop()
    table_key = f"{key_of('rows')}/{rows.key}/{hash(tuple(listed.row))}"
    index = selected_row(table_key, len(listed))
    clicked = newly("rows", None if index is None else int(listed.row.iloc[index]))
    row = chosen_number("row", clicked, listed.row)
    _draw_rows(listed, table_key)
    shown = int(listed.row.iloc[0]) if row is None else row
    publish("row", str(shown))
    return shown


def _lists(rows: Rows) -> dict[str, str]:
    """Which rows can be listed; with two runs those on which they part."""
    if rows.beside is None:
        return SHOW
    names = [escape(middle_cut(side.title, SHORT)) for side in rows.sides]
    return SHOW | {
        "lost": f"wrong in {names[1]} alone",
        "won": f"wrong in {names[0]} alone",
    }


def _with_beside(rows: Rows) -> pd.DataFrame:
    """The table of rows, with the second run's outcomes where there is one."""
    if rows.beside is None:
        return rows.table
    theirs = rows.beside.table.set_index("row")
    return rows.table.assign(
        beside=theirs.outcomes.reindex(rows.table.row).fillna("").to_numpy(),
        right_beside=theirs.correct.reindex(rows.table.row).to_numpy(),
    )


def _in_words(rows: Rows, listed: pd.DataFrame, show: str, text: str) -> str:
    """How many rows are listed, and which: `22 of 70 test rows that are wrong at the end.`"""
    uses = "" if rows.action is None else " that use the action"
    words = f"{len(listed):,} of {counted(len(rows.table), 'test row')}{uses}"
    narrower = [WORDS[show]] if show in WORDS else []
    narrower += [f"with “{escape(text)}” in them"] if text else []
    if not narrower:
        words = f"All {counted(len(rows.table), 'test row')}{uses}"
    joined = " and ".join(narrower) if uses else ", ".join(narrower)
    return f"{words}{', ' if uses and joined else ' ' if joined else ''}{joined}, the worst first."


def _listed(table: pd.DataFrame, show: str, text: str) -> pd.DataFrame:
    mask = table.utterance.str.contains(text, case=False, regex=False)
    mask |= table.logical_form.str.contains(text, case=False, regex=False)
    if show in ("wrong", "forgotten"):
        mask &= ~table.correct
    if show in ("lost", "won"):
        right, beside = table.correct.astype(bool), table.right_beside.eq(True)
        mask &= right & ~beside if show == "lost" else ~right & beside
    if show == "forgotten":
        mask &= table.outcomes.str.contains("✓")
    return table[mask]


def _draw_rows(listed: pd.DataFrame, key: str) -> None:
    curves = [[None if p != p else round(p, 4) for p in row] for row in listed.curve]
    height = 36 * min(9, 1 + len(listed)) + 2
    columns = {name: COLUMNS[name] for name in COLUMNS if name in listed}
    pick_row(listed.assign(curve=curves)[list(columns)], columns, key=key, height=height)
    download(listed.drop(columns="curve"), key="rows/csv", file_name="test_rows.csv")
