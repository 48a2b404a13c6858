"""Forgetting at a glance: all actions of all tasks, by groups, after each task, run by run."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis import forgetting, glance
from core.charts import glance as charts
from pages.shared.access.learned import in_memory
from pages.shared.access.runs import store
from pages.shared.forgetting.actions import COLUMNS, action_column, rounded
from pages.shared.forgetting.page import KINDS, View
from pages.shared.tray import draw_label
from pages.shared.ui.address import key_of
from pages.shared.ui.clicked import newly, selected_point, selected_row
from pages.shared.ui.figures import draw_figure, present, save
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import remembered, results
from pages.shared.ui.tables import NUMBER, TEXT, download, pick_row
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import switch

GROUPS = {"task": "Tasks", "kind": "Kind", "memory": "In memory", "count": "Count"}
ORDERS = {"task": "by task", "most": "most forgotten first", "least": "least forgotten first"}
MOST = 500  # actions in the table; the file has all


def draw_glance(view: View) -> None:
    """The grid of each run, then every action of every task."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        by = switch("group", "Rows", GROUPS)
        order = switch("order", "Order", ORDERS)
    tables = [_filtered(side, view) for side in view.sides]
    first = glance.ordered(glance.grid(tables[0], by, view.names), order)
    if first.empty:
        st.info("No action is like that; loosen the filters above.", icon=":material/filter_alt:")
        return
    prose(
        "How probable the actions of each task (down) still are after each task learned (across): "
        "the mean of P(action | history, utterance) on the task's training rows. Click a cell to "
        "go to its task's actions. Where a later cell is empty the run has not looked at the task "
        "again, within its budget for recording."
    )
    for column, side, table in zip(st.columns(len(tables)), view.sides, tables, strict=True):
        rows = glance.grid(table, by, side.names)
        with column:
            draw_label(side.mark)
            if rows.empty:
                st.info(f"{escape(side.title)} has none of these actions.", icon=":material/inbox:")
            else:
                _grid(side, _in_order_of(first, rows), (by, *view.filters.items()), len(tables))
    _actions(view, tables[0])


def all_of(side: View) -> pd.DataFrame:
    """Every action of every task of the run, as far as it has got."""
    key = ("glance", side.run.id, str(side.run.created), side.run.status, side.run.last_progress)
    known = results().get(key)
    if known is not None:
        return known
    counts = {
        int(k): in_memory(side.run, int(k))[0] for k in forgetting.origins(store(), side.run.id).on
    }
    held = {k: each for k, each in counts.items() if each is not None}
    return results().keep(key, glance.all_actions(store(), side.run, held))


def _filtered(side: View, view: View) -> pd.DataFrame:
    """Those that the page's filters let through; the memory's only where there is one."""
    table = all_of(side)
    wanted = dict(view.filters)
    if table.memory.isna().all():
        wanted["memory"] = ""
    return forgetting.filtered(table, **wanted)


def _in_order_of(first: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows in the order of the first run's, by task's name and group."""
    names = [
        label.partition(" · ")[2] + group
        for label, group in zip(first.label, first.group, strict=True)
    ]
    positions = {name: at for at, name in enumerate(names)}
    mine = rows.label.str.partition(" · ")[2] + rows.group
    order = mine.map(positions).fillna(len(positions)).argsort(kind="stable")
    return rows.iloc[order].reset_index(drop=True)


def _grid(side: View, rows: pd.DataFrame, chosen: tuple[Any, ...], columns: int) -> None:
    labels = tuple(rows.label + rows.group)
    key = f"{key_of('glance')}/{side.run.id}/{hash(labels)}"
    draw = partial(charts.grid, rows, side.names)
    figure = remembered(("glance figure", chosen, labels), draw, [side.run])
    draw_figure(figure, key=key, select=True, columns=columns)
    save(figure, _spelled_out(rows, side), key=key, file_name=f"glance_run_{side.run.id}.csv")
    point = newly(f"glance/{side.run.id}", selected_point(key))
    if point is not None and int(point) < len(rows):
        _go_to(side, rows.iloc[int(point)])


def _go_to(side: View, row: Any) -> None:
    """Open the actions of the row's task and group."""
    words = {
        **{label: ("kind", name) for name, label in KINDS.items() if name},
        "in memory": ("memory", "in"),
        "not in memory": ("memory", "out"),
    }
    st.query_params["view"] = "heatmap"
    st.query_params["task"] = forgetting.name_of(side.names, row.origin)
    if row.group in words:
        name, value = words[row.group]
        st.query_params[name] = value
    if row.group in glance.COUNT_GROUPS:
        least, most = glance.COUNT_GROUPS[row.group]
        st.query_params["least"], st.query_params["most"] = str(least), str(most or 0)  # 0: any
    st.rerun()


def _spelled_out(rows: pd.DataFrame, side: View) -> pd.DataFrame:
    """For a file: a column for each task learned."""
    names = [
        f"P after {k + 1} {forgetting.name_of(side.names, k)}"
        for k in range(len(rows.curve.iloc[0]))
    ]
    grid = pd.DataFrame([*rows.curve], index=rows.index, columns=names)
    return rows.drop(columns=["curve", "origin"]).join(grid)


def _actions(view: View, table: pd.DataFrame) -> None:
    st.subheader("Every action of every task")
    worst = table.sort_values(["drop", "count"], ascending=False, kind="stable")
    listed = worst.head(MOST)
    some = "" if len(listed) == len(worst) else f"; the {MOST} most forgotten are listed"
    prose(
        f"{counted(len(worst), 'action')} of {escape(view.title)}{some}. A click beside a row "
        "opens its curve. GEN begins an action that opens no slot."
    )
    named = [forgetting.name_of(view.names, origin) for origin in listed.origin]
    shown = rounded(listed.assign(task=named))
    columns = {"text": action_column(shown), "task": TEXT("Task", width=100)}
    columns |= {
        name: COLUMNS[name] for name in ("drop", "first", "final", "curve", "count", "kind")
    }
    if table.in_memory.notna().any():
        columns["in_memory"] = NUMBER("In memory", width=80, help="occurrences in the rows kept")
    key = f"{key_of('all')}/{view.run.id}/{hash(tuple(listed.action))}/{len(listed)}"
    pick_row(shown[list(columns)], columns, key=key)
    data = worst.drop(columns=["curve", "task_numbers"])
    download(data, key="all/csv", file_name=f"all_actions_run_{view.run.id}.csv")
    index = selected_row(key, len(listed))
    row = newly("all", None if index is None else (index, key))
    if row is not None:
        chosen = listed.iloc[row[0]]
        st.query_params.from_dict(
            st.query_params.to_dict()
            | {"view": "actions", "task": named[row[0]], "action": str(chosen.action)}
        )
        st.rerun()


def draw_memory(view: View) -> None:
    """How far actions drop against how often the memory has them, over all tasks."""
    sides = []
    for side in view.sides:
        table = _filtered(side, view)
        trend = glance.against_memory(table)
        if len(trend):
            sides.append((side, table, trend))
        else:
            st.info(
                f"{escape(side.title)} keeps no memory of a task after which another was learned.",
                icon=":material/inventory_2:",
            )
    if not sides:
        return
    words = []
    for side, table, _ in sides:
        rho = glance.rank_correlation(table)
        if rho == rho:
            words.append(f"{escape(side.title)}: Spearman's ρ = {rho:.2f}")
    data = pd.concat([trend.assign(run=side.run.id) for side, _, trend in sides])
    key = f"{key_of('memory')}/{view.run.id}"
    present(
        charts.against_memory([(side.mark, table, trend) for side, table, trend in sides]),
        "How far P of each action has dropped since its task was learned, against how often it "
        "occurs in the rows that the memory keeps of that task (task-specific actions as "
        f"diamonds, cross-task ones as circles). The line is the mean. {'; '.join(words)}. The "
        "paper wants every action in memory (section 4.2): here is whether that keeps them.",
        data,
        key=key,
        file_name="drop_against_memory.csv",
        select=True,
    )
    point = newly("memory_point", selected_point(key))
    if isinstance(point, (list, tuple)) and len(point) == 2:
        st.query_params.from_dict(
            st.query_params.to_dict()
            | {
                "view": "actions",
                "task": forgetting.name_of(view.names, int(point[0])),
                "action": str(point[1]),
            }
        )
        st.rerun()
