"""A run while it goes on: the loss of each epoch, the tasks marked off."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from core.charts.template import (
    DASHES,
    NAME,
    NEUTRAL,
    SYMBOLS,
    blank,
    boundary,
    colour,
    note,
    plain,
)
from core.text import middle_cut

STEP = 10  # epochs by which the axis grows
FEW = 4  # tasks whose names fit over half a page; of more only the numbers
MAX_POINTS = 1000  # a figure that is sent every second has to stay small


def loss(
    losses: pd.DataFrame,
    tasks: Sequence[str],
    *,
    slot: int = 0,
    now: float | None = None,
    height: int = 300,
) -> go.Figure:
    """Mean loss of each epoch over a task's rows, another line and symbol for each stage.

    `losses` is analysis.progress.epoch_losses', `slot` the run's, which gives the colour; `now` is
    the running mean of the epoch under way, drawn as an open circle.
    """
    figure = blank(height)
    thinned = losses[:: max(1, -(-len(losses) // MAX_POINTS))]
    for at, stage in enumerate(losses.stage.unique()):
        figure.add_trace(_stage(thinned, stage, at, slot, tasks))
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
        xaxis={
            "title_text": "epochs so far",  # no fixed range: it would undo the reader's zoom
            "autorangeoptions": {"include": [0.4, STEP * (1 + len(losses) // STEP) + 0.6]},
        },
        yaxis={"title_text": "loss (nats a row)", "rangemode": "tozero"},
        shapes=[boundary(first - 0.5) for task, first in starts if task],
        annotations=[note(_task_name(task, tasks), first - 0.4) for task, first in starts],
        legend={"y": 1.1},
    )
    return figure


def _task_name(task: int, tasks: Sequence[str]) -> str:
    named = task < len(tasks) and len(tasks) <= FEW
    return middle_cut(f"{task + 1} · {tasks[task]}", NAME) if named else str(task + 1)


def _stage(
    passes: pd.DataFrame, stage: str, at: int, slot: int, tasks: Sequence[str]
) -> go.Scatter:
    """The epochs of one stage; the line is broken where another stage lies between."""
    rows = passes[passes.stage == stage]
    x: list[float | None] = []
    y: list[float | None] = []
    text: list[str] = []
    for task, part in rows.groupby("task", sort=True):
        name = tasks[task] if task < len(tasks) else f"task {task + 1}"
        for row in part.itertuples():
            x.append(row.number)
            y.append(row.loss)
            text.append(plain(f"{name}, {stage} epoch {row.epoch + 1}: loss {row.loss:.3f}"))
        x.append(None)
        y.append(None)
        text.append("")
    return go.Scatter(
        x=x,
        y=y,
        name=plain(f"{stage} stage"),
        mode="lines+markers",
        line={"color": colour(slot), "width": 2, "dash": DASHES[at % 2 * 2]},
        marker={"size": 5, "symbol": SYMBOLS[at % len(SYMBOLS)]},
        hovertext=text,
        hoverinfo="text",
    )
