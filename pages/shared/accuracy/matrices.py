"""The accuracy page's answer at once: acc[k, i] side by side, or one less another."""

from functools import partial

import pandas as pd
import streamlit as st

from core.analysis import accuracy
from core.analysis.accuracy import Group
from core.charts.matrix import difference, matrix
from core.runs.run import Run
from pages.shared.accuracy.page import View
from pages.shared.tray import draw_label
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import remembered
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick, several, switch

SHOWN = {"side": "Side by side", "minus": "A − B"}
FEW = 4  # matrices that are drawn unless others are chosen


def draw_matrices(view: View) -> None:
    """The matrices of the chosen runs; those that differ in their seeds alone are pooled."""
    groups = {str(at): group for at, group in enumerate(view.groups)}
    shown = "side"
    if len(groups) > 1:
        shown = switch("matrix", "Matrices", SHOWN, label_visibility="collapsed")
    prose(
        "acc[k, i]: how many of task i's test rows (across) are parsed exactly after learning task "
        "k (down), in percent. Down a column a task is forgotten; the paper's measures are means "
        "over a row."
    )
    if shown == "minus":
        _minus(view, groups)
    else:
        _side_by_side(view, groups)


def _cells(view: View, group: Group[Run], by_position: bool) -> pd.DataFrame:
    """Of runs that learn in different orders, the mean by position."""
    make = accuracy.by_position if by_position else accuracy.pooled
    return remembered((make.__name__,), partial(make, view.cells, group), group.runs)


def _by_position(view: View, *groups: Group[Run]) -> bool:
    """Whether tasks can only be named by position, as those of arms are."""
    arms = any(group.label in view.arms for group in groups)
    return arms or accuracy.in_orders(view.cells, *groups)


def _side_by_side(view: View, groups: dict[str, Group[Run]]) -> None:
    chosen = list(groups)
    if len(groups) > FEW:
        names = {at: group.label for at, group in groups.items()}
        chosen = several("matrices", "Matrices of", names, chosen[:FEW])
    for start in range(0, len(chosen), 2):
        pair = chosen[start : start + 2]
        columns = st.columns(min(2, len(chosen)), gap="medium")
        for column, at in zip(columns, pair, strict=False):
            with column:
                group = groups[at]
                draw_label(view.looks[group.label])
                by_position = _by_position(view, group)
                _matrix(group, _cells(view, group, by_position), by_position, len(columns))


def _matrix(group: Group[Run], cells: pd.DataFrame, by_position: bool, columns: int) -> None:
    runs = int(cells.runs.max()) if len(cells) else 0
    few = "" if runs == 1 else f" ({counted(runs, 'run')} pooled)"
    ends = cells[cells.after == cells.after.max()]
    whole = 100 * ends.correct.sum() / max(1, ends.total.sum())
    numbers = "-".join(str(run.id) for run in group.runs)
    said = f"{whole:.1f} % of all test rows after {counted(len(ends), 'task')}{few}."
    if by_position:
        said = (
            f"Mean over {counted(runs, 'run')}, each in its own order: task i is the i-th learned. "
            f"ACC_avg after {counted(len(ends), 'task')} is {whole:.1f} %."
        )
    present(
        remembered(("matrix figure", by_position), partial(matrix, cells), group.runs),
        said,
        cells.assign(**{"acc (%)": 100 * cells.correct / cells.total}),
        key=f"matrix/{numbers}",
        file_name=f"acc_matrix_{numbers}.csv",
        columns=columns,
    )


def _minus(view: View, groups: dict[str, Group[Run]]) -> None:
    names = {at: group.label for at, group in groups.items()}
    left, right = st.columns(2)
    with left:
        a = groups[pick("a", "A", names, "1")]
    with right:
        b = groups[pick("b", "less B", names, "0")]
    by_position, first, second = _by_position(view, a, b), a.label, b.label
    table = accuracy.subtracted(*(_cells(view, each, by_position) for each in (a, b)))
    if table.empty:
        st.info("A and B have learned no task at the same position.", icon=":material/block:")
        return
    last = table[table.after == table.after.max()]
    present(
        difference(table, first, second),
        f"**{escape(first)}** less **{escape(second)}**, in percentage points: blue where A has "
        f"more of a task left. After {counted(len(last), 'task')} the mean difference is "
        f"{100 * last.difference.mean():+.1f} points."
        + " Each learns in its own order: task i is the i-th learned."
        * by_position,
        as_percent(
            table.assign(difference=100 * table.difference),
            ["left", "right"],
            points=["difference"],
        ),
        key="minus",
        file_name="acc_difference.csv",
    )
