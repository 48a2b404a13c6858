"""Figures of all actions at once: P by task and group after each task; drop against memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.analysis.forgetting import SPECIFIC, name_of
from core.charts.cells import heat, ink, targets
from core.charts.marks import Mark
from core.charts.template import LEGEND, NEUTRAL, blank, lines, plain, task_axis, tick
from core.text import middle_cut

LABEL = 40  # letters of a row's name
MANY = 1500  # points from which on the browser's graphics card draws them


def grid(table: pd.DataFrame, tasks: Sequence[str]) -> go.Figure:
    """Mean P of each group of actions (down) after each task (across); `table` is
    analysis.glance.grid's. What lies over the cells has the row's number as `customdata`.
    """
    values = np.array([*table.curve], dtype=float).reshape(len(table), -1)
    figure = blank(100 + 28 * max(3, len(table)))
    x = np.arange(1, values.shape[1] + 1)
    figure.add_trace(heat(np.round(values, 4), "mean P", x=x, y=np.arange(len(table))))
    down, across = np.nonzero(~np.isnan(values))
    shown = values[down, across]
    hover = [
        lines(
            f"{table.label.iloc[i]}{_group(table.group.iloc[i])}\nafter {name_of(tasks, int(j))}: "
            f"mean P {values[i, j]:.3f} (n = {table.n.iloc[i]:,})"
        )
        for i, j in zip(down, across, strict=True)
    ]
    cells = targets(
        across + 1,
        down,
        hover,
        mode="markers+text",
        customdata=down,
        text=[f"{p:.2f}" for p in shown],
        textfont={"color": ink(shown), "size": 13},
    )
    figure.add_trace(cells)
    task_axis(figure, [name_of(tasks, k) for k in range(values.shape[1])])
    figure.update_xaxes(range=[0.5, values.shape[1] + 0.5], showgrid=False)
    figure.update_yaxes(
        tickvals=np.arange(len(table)),
        ticktext=[
            f"{tick(row.label)}{plain(middle_cut(_group(row.group), LABEL))} ({row.n:,})"
            for row in table.itertuples()
        ],
        range=[len(table) - 0.5, -0.5],
        showgrid=False,
    )
    figure.update_layout(showlegend=False)
    return figure


def _group(name: str) -> str:
    return f", {name}" if name else ""


def against_memory(
    sides: Sequence[tuple[Mark, pd.DataFrame, pd.DataFrame]], height: int = 460
) -> go.Figure:
    """Drop of each action against how often it stands in memory, with the mean of each bin as a
    line; for each run its mark, analysis.glance.all_actions' and against_memory's.

    Marks are spread a little to the side, so that equal counts can be told apart, and have
    (origin, action) as `customdata`.
    """
    figure = blank(height)
    for mark, table, trend in sides:
        known = table[table["drop"].notna() & table.in_memory.notna()]
        figure.add_trace(_marks(mark, known))
        figure.add_trace(
            go.Scatter(
                x=np.log2(1 + trend.x),
                y=trend["drop"],
                error_y={"type": "data", "array": _error(trend), "color": mark.colour()},
                name=plain(f"{middle_cut(mark.name, LEGEND)}: mean ± standard error"),
                mode="lines+markers",
                line={"color": mark.colour(), "width": 3, "dash": mark.dash},
                marker={"size": 10, "symbol": mark.symbol},
                hovertext=[
                    f"{row.low}{'' if row.high is None or row.high == row.low + 1 else ' and more'}"
                    f" in memory: mean drop {row.drop:.3f} (n = {row.n:,})"
                    for row in trend.itertuples()
                ],
                hoverinfo="text",
            )
        )
    ticks = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256]
    figure.update_xaxes(
        title_text="occurrences in what the memory keeps of the task",
        tickvals=np.log2(1 + np.array(ticks)).tolist(),
        ticktext=list(map(str, ticks)),
    )
    figure.update_yaxes(title_text="drop of P since the task was learned")
    figure.add_hline(0, line={"color": NEUTRAL, "width": 1})
    figure.update_layout(hovermode="closest")
    return figure


def _error(trend: pd.DataFrame) -> Any:
    return (trend.deviation / np.sqrt(trend.n)).fillna(0).to_numpy()


def _marks(mark: Mark, known: pd.DataFrame) -> go.Scatter:
    scatter = go.Scattergl if len(known) > MANY else go.Scatter
    spread = (np.arange(len(known)) * 0.618034) % 1 - 0.5  # even, and the same every time
    counts = known.in_memory.astype(float).to_numpy()
    return scatter(
        x=np.round(np.log2(1 + counts) + 0.35 * spread, 3),
        y=known["drop"].round(4).to_numpy(),
        name=plain(f"{middle_cut(mark.name, LEGEND)}: actions"),
        mode="markers",
        marker={
            "size": 6,
            "color": mark.colour(0.4),
            "symbol": np.where(known.kind == SPECIFIC, "diamond", "circle").tolist(),
        },
        unselected={"marker": {"opacity": 0.4}},
        customdata=known[["origin", "action"]].to_numpy().tolist(),
        hovertext=[
            lines(f"{row.text}\n{row.kind}, {row.in_memory} in memory: drop {row.drop:.3f}")
            for row in known[["text", "kind", "in_memory", "drop"]].itertuples()
        ],
        hoverinfo="text",
    )
