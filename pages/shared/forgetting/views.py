"""The forgetting page's views: curves, all actions at once, groups of drops, two runs."""

from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import forgetting as analysis
from core.analysis.drops import LEAST, LEVEL, comparisons, in_numbers
from core.charts import drops as drop_charts
from core.charts import forgetting as charts
from pages.shared.forgetting.actions import (
    EACH,
    draw_actions,
    draw_chosen,
    follow_action,
    pick_each,
)
from pages.shared.forgetting.glance import draw_glance, draw_memory
from pages.shared.forgetting.page import View
from pages.shared.forgetting.two_runs import draw_two
from pages.shared.tray import draw_label
from pages.shared.ui.address import key_of, publish
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick, pick_view

VIEWS = {
    "glance": "At a glance",
    "actions": "Curves",
    "heatmap": "Actions",
    "memory": "Memory",
    "drops": "Groups",
}
TWO = {"runs": "Two runs"}  # where there is a second one
ORDERS = {
    "most": ("the most forgotten first", "drop", False),
    "least": ("the least forgotten first", "drop", True),
    "count": ("the most frequent first", "count", False),
}
ROWS = ["40", "100", "300"]  # of the heatmap


def draw_views(view: View) -> None:
    """One of the views, by the address."""
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        chosen = _pick_view(view)
        each = pick_each() if chosen == "actions" else EACH
    if chosen in ("glance", "memory"):
        {"glance": draw_glance, "memory": draw_memory}[chosen](view)
    elif view.shown.empty:
        st.info("No action is like that; loosen the filters above.", icon=":material/filter_alt:")
    elif chosen == "actions":
        draw_actions(view, each)
    else:
        {"heatmap": _heatmap, "drops": _drops, "runs": draw_two}[chosen](view)


def _pick_view(view: View) -> str:
    """The view by the address; one that names an action and no view shows its curve."""
    if "view" not in st.query_params and "action" in st.query_params:
        st.query_params["view"] = "actions"
    chosen = pick_view(VIEWS if view.beside is None else VIEWS | TWO)
    publish("view", chosen)
    return chosen


def _heatmap(view: View) -> None:
    action = follow_action(view, "heatmap")
    left, right = st.columns([2, 1])
    labels = {name: text for name, (text, _, _) in ORDERS.items()}
    with left:
        order = pick("order", "Order", labels)
    with right:
        most = int(pick("rows", "Actions drawn, at most", ROWS))
    words, column, ascending = ORDERS[order]
    rows = view.shown.sort_values(column, ascending=ascending, kind="stable").head(most)
    if view.beside is None:
        draw_label(view.mark)
        _map(view, view, rows, words)
    else:
        for col, side in zip(st.columns(2, gap="medium"), view.sides, strict=True):
            with col:
                draw_label(side.mark)
                theirs = side.shown.set_index("action").reindex(rows.action).dropna(subset="text")
                _map(view, side, theirs.reset_index(), words)
    draw_chosen(view, action)


def _map(view: View, side: View, rows: pd.DataFrame, words: str) -> None:
    """One run's rows of the heat map."""
    some = "All" if len(rows) == len(view.shown) else f"{len(rows)} of"
    present(
        charts.heatmap(rows, side.names, side.origin),
        f"{some} {counted(len(view.shown), 'action')} of {escape(view.task(view.origin))}, "
        f"{words}: P(action | history, utterance) on its training rows after each task. A box "
        "stands where the task's training rows show the action again. Click a cell to choose an "
        "action. It answers the paper's appendix on the forgetting of actions.",
        analysis.spelled_out(rows, side.names, side.origin),
        key=f"{key_of('heatmap')}/{view.key}" + ("" if side is view else f"/{side.run.id}"),
        file_name=f"heatmap_run_{side.run.id}.csv",
        select=True,
        columns=len(view.sides),
    )


def _drops(view: View) -> None:
    drawn = pd.concat([side.shown["drop"] for side in view.sides])
    ends = float(drawn.min()), float(drawn.max())
    for side in view.sides:
        draw_label(side.mark)
        _drops_of(side, ends)
    st.caption(
        f"Rank test of Mann and Whitney, two-sided; n/a where a group is smaller than {LEAST}, or "
        f"even fully separate groups could not give p < {LEVEL}. The actions of one run depend on "
        "one another: read p as how far apart the groups are."
    )


def _drops_of(view: View, ends: tuple[float, float]) -> None:
    name = escape(view.task(view.origin))
    if view.last == view.origin:
        st.info(f"Nothing has been learned since {name}: no drop yet.", icon=":material/hourglass:")
        return
    groups = comparisons(view.shown)
    numbers = in_numbers(groups)
    present(
        drop_charts.drops(groups, ends),
        f"How far the P of each action of {name} has dropped from after this task to after "
        f"{escape(view.task(view.last))}, by kind and by whether the memory of {name} covers the "
        "action: boxes are quartiles, points actions. The paper finds task-specific actions "
        "forgotten (section 4.1) and wants memories that hold every action (section 4.2). "
        f"{escape(view.note)}",
        view.shown[["text", "kind", "memory", "count", "first", "final", "drop"]],
        key=f"drops/{view.run.id}",
        file_name=f"drops_run_{view.run.id}.csv",
    )
    for row in numbers.itertuples():
        memory = row.comparison != "Kind" and view.note
        prose(f"- {_in_words(row, view.note if memory else row.why)}")
    columns = {
        "comparison": TEXT("Comparison", width=200),
        "u": NUMBER("U", format="%.1f", width=80),
        "p": NUMBER("p", format="%.2g", width=90),
        "larger": NUMBER("P(first > second)", format="%.3f", width=130),
    }
    for at in (1, 2):
        columns[f"group_{at}"] = TEXT(("First", "Second")[at - 1], width=105)
        columns[f"n_{at}"] = NUMBER("n", width=55)
        columns[f"median_{at}"] = NUMBER("Median drop", format="%.3f", width=100)
    draw_table(
        numbers.drop(columns="why"),
        columns,
        key=f"tests/{view.run.id}",
        file_name=f"drop_tests_run_{view.run.id}.csv",
        data=numbers,
        height="content",
    )


def _in_words(row: Any, why: str) -> str:
    """A comparison as a sentence; `why` there is none, where there is none."""
    groups = f"**{row.comparison}**: {row.group_1} (n = {row.n_1}) against {row.group_2} (n = "
    groups += f"{row.n_2})"
    if why:
        return f"{groups}: n/a; {escape(why[:1].lower() + why[1:].rstrip('.'))}."
    return (
        f"{groups}: median drops {row.median_1:.3f} and {row.median_2:.3f}; one of the first drops "
        f"more than one of the second with P = {row.larger:.3f}; U = {row.u:.1f}, p = {row.p:.2g}."
    )
