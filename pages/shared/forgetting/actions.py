"""The curves of a task's most and least forgotten actions, the chosen one, and the table of all."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import forgetting as analysis
from core.charts import forgetting as charts
from pages.shared.forgetting.page import View
from pages.shared.tray import NONE, draw_label
from pages.shared.ui.address import key_of
from pages.shared.ui.clicked import newly, selected_point, selected_row
from pages.shared.ui.figures import draw_figure, save
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, download, fitting, pick_row
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import chosen_number, switch

EACH, MOST_EACH = 2, 6  # actions drawn from either end, as the paper does, and at most
COLUMNS = {
    "drop": NUMBER("Drop", format="%.3f", width=70, help="P after the origin task less the final"),
    "mean_drop": NUMBER(
        "Mean drop",
        format="%.3f",
        width=85,
        help="P after the origin task less the mean over all later tasks",
    ),
    "first": NUMBER("First", format="%.3f", width=65, help="P after the origin task"),
    "final": NUMBER("Final", format="%.3f", width=65, help="P after the last task"),
    "curve": st.column_config.LineChartColumn("P after each task", y_min=0, y_max=1, width=120),
    "count": NUMBER("Count", width=65, help="in the origin task's training rows"),
    "kind": TEXT("Kind", width=100),
    "memory": TEXT("Memory", width=95, help="whether a row in memory of the origin task uses it"),
    "tasks": TEXT("Occurs in", width=250),
}


def action_column(table: pd.DataFrame) -> Any:
    """A column as wide as its actions, of which many begin alike."""
    return TEXT("Action", width=fitting(table.text, 300))


def draw_actions(view: View, each: int) -> None:
    """The paper's figure, the chosen action, and the table of all."""
    table_key = f"{key_of('table')}/{view.key}/{hash(tuple(view.shown.action))}"
    chosen = follow_action(view, "curves", table_key)
    drawn = analysis.extremes(view.shown, each)
    if chosen is not None and chosen not in set(drawn.action):
        drawn = pd.concat([drawn, view.table[view.table.action == chosen]])
    if drawn.empty:
        drawn = view.shown.head(2 * each)  # nothing was learned since: where they stand
    prose(_sentence(view, each))
    for column, side in zip(st.columns(len(view.sides)), view.sides, strict=True):
        theirs = side.table.set_index("action").reindex(drawn.action).dropna(subset="text")
        with column:
            _curves(view, side, theirs.reset_index(), chosen)
    draw_chosen(view, chosen)
    _table(view, table_key)


def _curves(view: View, side: View, drawn: pd.DataFrame, chosen: int | None) -> None:
    """The curves in one of the runs; both have the first run's colours for the same actions."""
    figure = charts.curves(drawn, side.names, side.origin, chosen)
    key = f"{key_of('curves')}/{view.key}" + ("" if side is view else f"/{side.run.id}")
    draw_label(side.mark)
    draw_figure(figure, key=key, select=True, columns=len(view.sides))
    save(
        figure,
        analysis.spelled_out(drawn, side.names, side.origin),
        key=key,
        file_name=f"forgetting_run_{side.run.id}.csv",
    )


def _sentence(view: View, each: int) -> str:
    name = escape(view.task(view.origin))
    few = (
        f"the {each} most and the {each} least forgotten"
        if each > 1
        else "the most and the least forgotten"
    )
    return (
        f"P(action | history, utterance), averaged over the training rows of {name}, after each "
        f"task: {few} of {counted(len(view.shown), 'action')} by their drop from there to the last "
        f"task. Cross-task actions are solid, task-specific ones (in one task only of the "
        f"{view.last + 1} learned) dashed; a box stands where the task's training rows show the "
        "action again. It answers the paper's figure of action probabilities (section 4.1, "
        "Overnight). Click a mark to go on to the utterances."
    )


def pick_each() -> int:
    """How many actions are drawn from either end."""
    counts = [str(each) for each in range(1, MOST_EACH + 1)]
    return int(switch("each", "Drawn from either end", counts, str(EACH)))


def follow_action(view: View, figure: str, table_key: str = "") -> int | None:
    """The chosen action: clicked in the figure or the table just now, else by the address."""
    index = selected_row(table_key, len(view.shown)) if table_key else None
    row = newly("table", None if index is None else int(view.shown.action.iloc[index]))
    point = newly(figure, selected_point(f"{key_of(figure)}/{view.key}"))
    clicked = row if row is not None else point
    return chosen_number("action", None if clicked is None else int(clicked), view.table.action)


def draw_chosen(view: View, action: int | None) -> None:
    """What there is to say of the chosen action, and the way to the rows that use it."""
    if action is None:
        return
    (row,) = view.table[view.table.action == action].itertuples()
    first, last = escape(view.task(view.origin)), escape(view.task(view.last))
    memory = f", {row.memory} by the memory" if row.memory else ""
    with st.container(border=True, key="chosen"):
        st.code(row.text, language=None, wrap_lines=True)
        prose(
            f"P is {row.first:.3f} after {first} and {row.final:.3f} after {last}. It occurs "
            f"{counted(row.count, 'time')} in the training rows of {first}; it is "
            f"{row.kind}{memory}."
        )
        st.page_link(
            "pages/drilldown.py",
            label="The rows that use it",
            icon=":material/arrow_forward:",
            query_params={
                "run": str(view.run.id),
                "task": view.task(view.origin),
                "action": str(action),
                "other": NONE if view.other is None else str(view.other.id),
            },
        )


def _table(view: View, key: str) -> None:
    st.subheader("Every action")
    prose(
        f"{len(view.shown):,} of {counted(len(view.table), 'action')} in the training rows of "
        f"{escape(view.task(view.origin))}; a click on a heading sorts, one beside a row draws its "
        f"action. GEN begins one that opens no slot. {escape(view.note)}"
    )
    columns = {name: look for name, look in COLUMNS.items() if name != "memory" or not view.note}
    columns = {"text": action_column(view.shown), **columns}
    pick_row(rounded(view.shown[[*columns]]), columns, key=key)
    download(
        analysis.spelled_out(view.shown, view.names, view.origin),
        key="table/csv",
        file_name=f"actions_run_{view.run.id}_{view.origin + 1}.csv",
    )


def rounded(table: pd.DataFrame, curves: Sequence[str] = ("curve",)) -> pd.DataFrame:
    """Four digits are what a table shows, and a third of the message."""
    short = {name: [[round(float(p), 4) for p in row] for row in table[name]] for name in curves}
    return table.assign(**short).round(4)
