"""Figures of forgotten actions: P after each task, as curves and over all actions of a task."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from core.analysis.forgetting import SPECIFIC, name_of
from core.charts.cells import heat, ink, targets
from core.charts.template import blank, colour, lines, plain, task_axis
from core.text import cut_apart

LABEL = 44  # letters of an action beside an axis
PROBABILITY = "mean P(action | history, utterance)"


def curves(
    table: pd.DataFrame,
    tasks: Sequence[str],
    origin: int,
    chosen: int | None = None,
    height: int = 470,
) -> go.Figure:
    """P of each action after each task from the origin on: cross-task solid, task-specific dashed,
    a box where the task's training rows show the action again.

    `table` holds rows of analysis.forgetting.action_table, `chosen` is one of their actions, drawn
    thicker. Every mark has its action as `customdata`.
    """
    figure = blank(height)
    names = cut_apart(list(table.text), LABEL)
    for at, (row, name) in enumerate(zip(table.itertuples(), names, strict=True)):
        figure.add_trace(_curve(row, name, at, tasks, origin, row.action == chosen))
    count = max((len(curve) for curve in table.curve), default=1)
    task_axis(figure, [name_of(tasks, k) for k in range(origin, origin + count)], origin)
    figure.update_yaxes(title_text=PROBABILITY, range=[-0.03, 1.03])
    figure.update_layout(hovermode="closest", legend={"itemwidth": 48, "traceorder": "normal"})
    return figure


def _curve(
    row: Any, name: str, at: int, tasks: Sequence[str], origin: int, thick: bool
) -> go.Scatter:
    numbers = origin + np.arange(len(row.curve))
    again = [bool(k in row.task_numbers and k != origin) for k in numbers]
    hover = [
        f"{row.text}\nafter {name_of(tasks, k)}: {p:.4f}{', occurs in it' * box}"
        for k, p, box in zip(numbers, row.curve, again, strict=True)
    ]
    return go.Scatter(
        x=numbers + 1,
        y=row.curve,
        name=plain(name),
        mode="lines+markers",
        line={
            "color": colour(at),
            "width": 4 if thick else 2.5,
            "dash": "dash" if row.kind == SPECIFIC else "solid",
        },
        marker={
            "symbol": ["square-open" if box else "circle" for box in again],
            "size": [15 if box else 8 for box in again],
            "opacity": 1,
            "color": colour(at),
            "line": {"width": 2.5, "color": colour(at)},
        },
        unselected={"marker": {"opacity": 1}},
        customdata=[row.action] * len(numbers),
        hovertext=list(map(lines, hover)),
        hoverinfo="text",
    )


def heatmap(table: pd.DataFrame, tasks: Sequence[str], origin: int) -> go.Figure:
    """P of each action (down, in the table's order) after each task (across), boxes as in `curves`.

    What lies over the cells has its action as `customdata`.
    """
    grid = np.array([*table.curve], dtype=float).reshape(len(table), -1)
    figure = blank(110 + 17 * max(6, len(table)))
    x = origin + 1 + np.arange(grid.shape[1])
    figure.add_trace(heat(np.round(grid, 4), "mean P", x=x, y=np.arange(len(table)), ygap=1))
    for trace in _cell_marks(table, grid, tasks, origin):
        figure.add_trace(trace)
    task_axis(figure, [name_of(tasks, int(number) - 1) for number in x], origin)
    figure.update_xaxes(range=[origin + 0.5, origin + grid.shape[1] + 0.5], showgrid=False)
    figure.update_yaxes(
        tickvals=np.arange(len(table)),
        ticktext=list(map(plain, cut_apart(list(table.text), LABEL))),
        range=[len(table) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_layout(showlegend=False)
    return figure


def _cell_marks(
    table: pd.DataFrame, grid: npt.NDArray[Any], tasks: Sequence[str], origin: int
) -> list[go.Scatter]:
    """Boxes, black on pale cells and white on dark ones, and what can be pointed at."""
    again = np.array(
        [
            [k in numbers and k != origin for k in range(origin, origin + grid.shape[1])]
            for numbers in table.task_numbers
        ]
    ).reshape(grid.shape)
    down, across = np.nonzero(again)
    box = {"symbol": "square-open", "size": 7, "color": ink(grid[again])}
    boxes = go.Scatter(x=across + origin + 1, y=down, mode="markers", marker=box, hoverinfo="skip")
    down, across = (part.ravel() for part in np.indices(grid.shape))
    hover = [
        lines(f"{table.text.iloc[i]}\nafter {name_of(tasks, origin + j)}: {grid[i, j]:.4f}")
        for i, j in zip(down, across, strict=True)
    ]
    actions = table.action.to_numpy()[down]
    target = targets(across + origin + 1, down, hover, marker={"size": 14}, customdata=actions)
    return [boxes, target]
