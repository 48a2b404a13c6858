"""Two runs side by side: how far each action of a task drops in one and in the other."""

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import forgetting as analysis
from core.charts.drops import differences
from core.runs.run import Run
from pages.shared.forgetting.actions import action_column, draw_chosen, follow_action, rounded
from pages.shared.forgetting.page import View
from pages.shared.tray import mark
from pages.shared.ui.address import key_of
from pages.shared.ui.figures import present
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import counted, escape


def draw_two(view: View) -> None:
    """The difference of every action's drops."""
    if view.other is None or view.beside is None:
        return
    both = analysis.difference(view.shown, view.beside.table)
    action = follow_action(view, "differences")
    both = both[both.difference.notna()]
    if both.empty:
        st.info("One of the runs has learned nothing since.", icon=":material/hourglass:")
        return
    _differences(view, view.other, both)
    draw_chosen(view, action)
    _table(view, view.other, both)


def _differences(view: View, other: Run, both: pd.DataFrame) -> None:
    st.subheader("Action by action")
    more, less = int((both.difference > 0).sum()), int((both.difference < 0).sum())
    present(
        differences(both, view.title, mark(other).name),
        f"The drop of each of {counted(len(both), 'action')} in both runs, larger marks for more "
        f"frequent ones. On the line both forget alike; below it {escape(view.title)} forgets "
        f"more ({more:,}), above it less ({less:,}). The mean drops are "
        f"{both.drop_left.mean():.3f} and {both.drop_right.mean():.3f}. The paper compares methods "
        "by accuracy only (Table 1). Click a mark to choose an action.",
        both.drop(columns=["curve_left", "curve_right"]),
        key=f"{key_of('differences')}/{view.key}",
        file_name=f"drops_runs_{view.run.id}_{other.id}.csv",
        select=True,
    )


def _table(view: View, other: Run, both: pd.DataFrame) -> None:
    lines = st.column_config.LineChartColumn
    columns = {
        "text": action_column(both),
        "difference": NUMBER(
            "Difference", format="%.3f", width=90, help="the first run's drop less the second's"
        ),
        "drop_left": _number("Drop, 1st"),
        "drop_right": _number("Drop, 2nd"),
        "final_left": _number("Final, 1st"),
        "final_right": _number("Final, 2nd"),
        "curve_left": lines("P, 1st run", y_min=0, y_max=1, width=110),
        "curve_right": lines("P, 2nd run", y_min=0, y_max=1, width=110),
        "count": NUMBER("Count", width=65),
        "kind": TEXT("Kind", width=100),
    }
    draw_table(
        rounded(both[list(columns)], ("curve_left", "curve_right")),
        columns,
        key="differences/table",
        file_name=f"differences_runs_{view.run.id}_{other.id}.csv",
        data=both.drop(columns=["curve_left", "curve_right"]),
    )


def _number(label: str) -> Any:
    return NUMBER(label, format="%.3f", width=80)
