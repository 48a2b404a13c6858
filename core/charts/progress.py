"""A run while it goes on: the loss of each pass, the tasks marked off."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from core.charts.template import DASHES, NEUTRAL, SYMBOLS, blank, colour, plain

FEW = 4  # tasks whose names fit over half a page; of more only the numbers
MAX_POINTS = 1000  # a figure that is sent every second has to stay small


def loss(
    losses: pd.DataFrame, tasks: Sequence[str], *, now: float | None = None, height: int = 300
) -> go.Figure:
    """Mean loss of each pass over a task's rows, a colour for each stage.

    `passes` is analysis.progress.passes'; `now` is the running mean of the pass that is under way,
    drawn as an open circle.
    """
    figure = blank(height)
    thinned = losses[:: max(1, -(-len(losses) // MAX_POINTS))]
    for at, stage in enumerate(losses.stage.unique()):
        figure.add_trace(_stage(thinned, stage, at, tasks))
    if now is not None:
        figure.add_trace(
            go.Scatter(
                x=[len(losses) + 1],
                y=[now],
                mode="markers",
                name="under way",
                marker={"symbol": "circle-open", "size": 9, "color": NEUTRAL, "line": {"width": 2}},
                hovertemplate="so far %{y:.3f}<extra></extra>",
            )
        )
    starts = [(int(task), first) for task, first in losses.groupby("task").number.min().items()]
    figure.update_layout(
        xaxis={"title_text": "passes so far", "range": [0.4, max(len(losses) + 1.6, 6)]},
        yaxis={"title_text": "loss (nats a row)", "rangemode": "tozero"},
        shapes=[_boundary(first) for task, first in starts if task],
        annotations=[_task_name(task, first, tasks) for task, first in starts],
        uirevision="loss",
        legend={"y": 1.1},
    )
    return figure


def _boundary(first: int) -> dict[str, Any]:
    """A line before the first pass of a task."""
    place = {"type": "line", "x0": first - 0.5, "x1": first - 0.5, "yref": "paper"}
    return place | {"y0": 0, "y1": 1, "line": {"color": NEUTRAL, "width": 1, "dash": "dot"}}


def _task_name(task: int, first: int, tasks: Sequence[str]) -> dict[str, Any]:
    named = task < len(tasks) and len(tasks) <= FEW
    text = plain(f"{task + 1} · {tasks[task]}") if named else str(task + 1)
    place = {"x": first - 0.4, "y": 1, "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    return place | {"text": text, "showarrow": False, "font": {"size": 12, "color": NEUTRAL}}


def _stage(passes: pd.DataFrame, stage: str, at: int, tasks: Sequence[str]) -> go.Scatter:
    """The passes of one stage; the line is broken where another stage lies between."""
    rows = passes[passes.stage == stage]
    x: list[float | None] = []
    y: list[float | None] = []
    text: list[str] = []
    for task, part in rows.groupby("task", sort=True):
        name = tasks[task] if task < len(tasks) else f"task {task + 1}"
        for row in part.itertuples():
            x.append(row.number)
            y.append(row.loss)
            text.append(plain(f"{name}, {stage} pass {row.epoch + 1}: loss {row.loss:.3f}"))
        x.append(None)
        y.append(None)
        text.append("")
    return go.Scatter(
        x=x,
        y=y,
        name=plain(f"{stage} stage"),
        mode="lines+markers",
        line={"color": colour(at), "width": 2, "dash": DASHES[at % 2 * 2]},
        marker={"size": 5, "symbol": SYMBOLS[at % len(SYMBOLS)]},
        hovertext=text,
        hoverinfo="text",
    )
