"""Figures of one row: P of its gold steps after each task; where a parser looks at each step."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.analysis.forgetting import name_of
from core.charts.cells import heat, ink, targets
from core.charts.template import blank, lines, plain, tick
from core.inspection.steps import Trace
from core.text import middle_cut

LABEL = 26  # letters of an action beside an axis
STEP = 20  # letters of one below a column of cells
NAMED = 36  # columns that have the width for a name; of more only the numbers


def strip(recorded: pd.DataFrame, gold: Sequence[str], tasks: Sequence[str]) -> go.Figure:
    """P of each gold step (across) after each task (down); ✗ at a parse's first wrong step.

    `recorded` is analysis.drilldown.predictions_on's for one row, `gold` the texts of its steps.
    What lies over the cells has the task after which as `customdata`.
    """
    grid = np.array([_row(p, len(gold)) for p in recorded.gold]).reshape(len(recorded), len(gold))
    y = [tick(f"{k + 1} · {name_of(tasks, k)}") for k in recorded.after]
    named = len(gold) <= NAMED
    figure = blank(200 + 30 * max(2, len(recorded)))
    steps = np.arange(1, len(gold) + 1)
    figure.add_trace(heat(np.round(grid, 4), "P(step)", x=steps, y=y))
    down, across = (part.ravel() for part in np.indices(grid.shape))
    wrong = [-1 if pd.isna(step) else int(step) for step in recorded.first_wrong]
    first = np.array([wrong[i] == j for i, j in zip(down, across, strict=True)], dtype=bool)
    hover = [
        lines(
            f"after {name_of(tasks, recorded.after.iloc[i])}, step {j + 1}: P = {grid[i, j]:.4f}\n"
            f"{gold[j]}" + ("\nfirst wrong step of the parse" if wrong[i] == j else "")
        )
        for i, j in zip(down, across, strict=True)
    ]
    figure.add_trace(
        targets(
            across + 1,
            [y[i] for i in down],
            hover,
            mode="markers+text",
            text=np.where(first, "✗", "").tolist(),
            textfont={"color": ink(grid.ravel()), "size": 16},
            customdata=recorded.after.to_numpy()[down],
        )
    )
    figure.update_xaxes(
        title_text="gold steps",
        range=[0.4, len(gold) + 0.6],
        tickvals=steps,
        ticktext=[plain(middle_cut(text, STEP)) for text in gold] if named else steps,
        tickangle=-90 if named else 0,
        tickfont={"size": 10},
        showgrid=False,
    )
    figure.update_yaxes(title_text="after task", autorange="reversed", showgrid=False)
    figure.update_layout(showlegend=False)
    return figure


def _row(gold: Sequence[float | None], steps: int) -> list[float]:
    """As numbers; NaN where nothing is recorded."""
    return [np.nan if p is None else p for p in gold] if len(gold) == steps else [np.nan] * steps


def attention(trace: Trace, wrong: int | None = None) -> go.Figure:
    """Where the parser looks: attention over the words (across) at each step (down).

    `wrong` is the step (from 0) to be marked.
    """
    words = [f"{at + 1}" for at in range(len(trace.words))] or ["1"]
    grid = np.array([step.attention for step in trace.steps]).reshape(len(trace.steps), len(words))
    steps = np.arange(1, len(trace.steps) + 1)
    names = [
        f"{'✗ ' * (at == wrong)}{middle_cut(step.action or '(nothing applicable)', 36)}"
        for at, step in enumerate(trace.steps)
    ]
    hover = [
        [
            lines(f"step {t + 1}, {step.action}: P = {step.probability:.4f}\n{word}: {weight:.3f}")
            for word, weight in zip(trace.words or ("",), step.attention, strict=True)
        ]
        for t, step in enumerate(trace.steps)
    ]
    figure = blank(150 + 24 * max(3, len(trace.steps)))
    figure.add_trace(
        heat(
            np.round(grid, 4),
            "attention",
            float(grid.max(initial=0)) or 1,
            x=words,
            y=steps,
            ygap=1,
            hovertext=hover,
            hoverinfo="text",
        )
    )
    figure.update_xaxes(
        tickvals=words,
        ticktext=[plain(middle_cut(word, LABEL)) for word in trace.words or ("",)],
        type="category",
        tickangle=-35,
        side="top",
        showgrid=False,
    )
    figure.update_yaxes(
        title_text="steps",
        tickvals=steps,
        ticktext=[plain(name) for name in names],
        autorange="reversed",
        showgrid=False,
    )
    figure.update_layout(margin={"t": 70, "b": 20})
    return figure
