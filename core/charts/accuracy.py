"""Accuracy over the sequence of tasks: ACC_whole and ACC_avg after each of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.analysis.accuracy import MEASURES
from core.charts.marks import Mark, band, by_position
from core.charts.template import (
    DASHES,
    LEGEND,
    NEUTRAL,
    blank,
    plain,
    task_axis,
)
from core.text import middle_cut


def curves(
    table: pd.DataFrame,
    *,
    measure: str,
    name: str,
    marks: Mapping[str, Mark] | None = None,
    tasks: Sequence[str] = (),
    published: pd.DataFrame | None = None,
    upper_bound: bool = True,
    unit: str = "%",
    span: tuple[float, float] | None = (0, 102),
    height: int = 430,
) -> go.Figure:
    """One accuracy after each task: a line for each group, a band of one standard deviation.

    `table` is analysis.accuracy.spread's, `measure` one of its shares, `name` what people call it,
    `marks` the groups' looks by label (None: by their positions), `tasks` the names of all tasks
    (empty where the groups differ): the axis has room for them while fewer are learned.
    `published` (group, label, value in percent) are the paper's values, drawn beside the last task;
    the upper bound, where known, is drawn dashed. `span` are the ends of the axis; None: as the
    values ask for, with a line at 0.
    """
    figure = blank(height)
    groups = list(table.group.unique())
    marks = by_position(groups) if marks is None else marks
    for group in groups:
        rows = table[table.group == group]
        if rows[f"{measure}_deviation"].notna().any():
            figure.add_trace(_band(rows, measure, marks[group]))
        figure.add_trace(_line(rows, measure, marks[group], unit))
    if upper_bound:
        for trace in _upper_bounds(table, measure):
            figure.add_trace(trace)
    if published is not None:
        for row in published.itertuples():
            figure.add_trace(_published(row, marks[row.group], table))
    _task_axis(figure, table, tasks)
    figure.update_yaxes(title_text=f"{name} ({unit})", range=span)
    if span is None:
        figure.add_hline(0, line={"color": NEUTRAL, "width": 1})
    figure.update_layout(hovermode="closest", uirevision=measure, showlegend=True)
    return figure


def _band(rows: pd.DataFrame, measure: str, mark: Mark) -> go.Scatter:
    deviation = rows[f"{measure}_deviation"].fillna(0)
    upper, lower = 100 * (rows[measure] + deviation), 100 * (rows[measure] - deviation)
    return band(rows.after + 1, lower, upper, mark).update(legendgroup=str(mark.slot))


def _line(rows: pd.DataFrame, measure: str, mark: Mark, unit: str) -> go.Scatter:
    name, hover = rows.group.iloc[0], []
    for row in rows.to_dict("records"):
        value, deviation = 100 * row[measure], 100 * row[f"{measure}_deviation"]
        task = f"after task {row['after'] + 1}" + (f", {row['task']}" if row["task"] else "")
        shown = f"{value:.2f}" if pd.isna(deviation) else f"{value:.2f} ± {deviation:.2f}"
        shown = f"{shown} {unit}"
        hover.append(plain(f"{name}: {shown}, n = {row['runs']}, {task}"))
    count, shown = rows.runs.max(), middle_cut(name, LEGEND)
    return go.Scatter(
        x=rows.after + 1,
        y=100 * rows[measure],
        name=plain(shown if count == 1 else f"{shown} (mean ± SD, n = {count})"),
        mode="lines+markers",
        line={"color": mark.colour(), "width": 2.5, "dash": mark.dash},
        marker={"symbol": mark.symbol, "size": 9, "color": mark.colour()},
        hovertext=hover,
        hoverinfo="text",
        legendgroup=str(mark.slot),
    )


def _upper_bounds(table: pd.DataFrame, measure: str) -> list[go.Scatter]:
    """Each distinct upper bound once."""
    column = f"bound_{measure}"
    known = table.dropna(subset=[column])
    drawn: dict[tuple[Any, ...], go.Scatter] = {}
    for _, rows in known.groupby("group", sort=False):
        values = tuple(zip(rows.after, rows[column].round(6), strict=True))
        drawn.setdefault(
            values,
            go.Scatter(
                x=rows.after + 1,
                y=100 * rows[column],
                name="upper bound: forms that the known actions cover",
                mode="lines" if len(rows) > 1 else "markers",
                line={"color": NEUTRAL, "width": 1.5, "dash": "dash"},
                marker={"symbol": "line-ew-open", "size": 12, "color": NEUTRAL},
                hovertemplate="upper bound %{y:.2f} %<extra></extra>",
                showlegend=not drawn,
                legendgroup="bound",
            ),
        )
    return list(drawn.values())


def _published(row: Any, mark: Mark, table: pd.DataFrame) -> go.Scatter:
    """A value of the paper: an open diamond a little to the right of the last task."""
    return go.Scatter(
        x=[table.after.max() + 1.25],
        y=[row.value],
        name=plain(middle_cut(row.label, LEGEND)),
        mode="markers",
        marker={"symbol": "diamond-open", "size": 11, "color": mark.colour(), "line": {"width": 2}},
        hovertemplate=plain(f"{row.label}: {row.value:.2f} %") + "<extra></extra>",
    )


def _task_axis(figure: go.Figure, table: pd.DataFrame, tasks: Sequence[str]) -> None:
    """Ticks at the tasks, by name where all groups learn the same one there."""
    if len(tasks) > table.after.max():
        task_axis(figure, tasks)
        return
    count = int(table.after.max()) + 1 if len(table) else 1
    names = [table[table.after == after].task.unique() for after in range(count)]
    task_axis(figure, [name[0] if len(name) == 1 else "" for name in names])


def trajectory(
    curve: pd.DataFrame, tasks: Sequence[str], mark: Mark | None = None, height: int = 300
) -> go.Figure:
    """One run's ACC_whole and ACC_avg so far, on an axis with room for all of its tasks.

    `curve` is analysis.accuracy.curves' for the run, `tasks` the names in order, `mark` its
    look: ACC_whole solid, ACC_avg dashed.
    """
    figure, mark = blank(height), mark or Mark("", 0)
    for at, (measure, name) in enumerate(MEASURES.items()):
        hover = [
            plain(f"{name} {100 * row[measure]:.2f} % after {row['task']}")
            for row in curve.to_dict("records")
        ]
        figure.add_trace(
            go.Scatter(
                x=curve.after + 1,
                y=100 * curve[measure],
                name=name,
                mode="lines+markers",
                line={"color": mark.colour(), "width": 2.5, "dash": DASHES[at]},
                marker={
                    "symbol": f"{mark.symbol}-open" if at else mark.symbol,
                    "size": 8,
                    "color": mark.colour(),
                },
                hovertext=hover,
                hoverinfo="text",
            )
        )
    count = max(len(tasks), int(curve.after.max()) + 1 if len(curve) else 1)
    task_axis(figure, [*tasks, *[""] * (count - len(tasks))])
    figure.update_yaxes(title_text="exact match (%)", range=[0, 102])
    return figure
