"""An experiment's cells, arm × pair: how each stands, and the accuracy of those that are done."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from core.charts.cells import heat, ink, targets
from core.charts.template import blank, plain, tick

STATUS_COLOURS = {  # of cells that are not finished, each with white ink
    "running": "#0072b2",
    "queued": "#68717b",
    "stopped": "#9a5b00",
    "interrupted": "#8b4fa0",
    "failed": "#c0392b",
    "deleted": "#5c3a3a",
    "absent": "#6e757d",
}
STATUS_WORDS = {
    "running": "running",
    "queued": "waits",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "failed": "failed",
    "deleted": "run deleted",
    "absent": "not queued",
}
_SIGNS = {"queued": "·", "stopped": "‖", "interrupted": "↯", "failed": "✕", "deleted": "–"}


def matrix(cells: pd.DataFrame, arms: Sequence[str], pairs: Sequence[str]) -> go.Figure:
    """A row for each arm, a column for each pair; a click gives (arm, pair, run) as `customdata`.

    `cells` has arm and pair (indices into the names), status, run (missing where there is none),
    progress (0 to 1) and accuracy (percent; missing where it is not finished).
    """
    figure = blank(110 + 30 * max(2, len(arms)))
    shape = (len(arms), len(pairs))
    figure.add_trace(_statuses(cells, shape))
    figure.add_trace(heat(_grid(cells.accuracy, cells, shape), "accuracy (%)", 100, xgap=2, ygap=2))
    for trace in _legend(cells):
        figure.add_trace(trace)
    figure.add_trace(_marks(cells, arms, pairs))
    figure.update_xaxes(
        title_text="pair: order seed · seed",
        tickvals=list(range(len(pairs))),
        ticktext=[tick(pair, 14) for pair in pairs],
        range=[-0.5, len(pairs) - 0.5],
        showgrid=False,
        tickangle=0 if len(pairs) <= 20 else -90,
    )
    figure.update_yaxes(
        tickvals=list(range(len(arms))),
        ticktext=[tick(arm) for arm in arms],
        range=[len(arms) - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _grid(
    values: pd.Series, cells: pd.DataFrame, shape: tuple[int, int]
) -> npt.NDArray[np.float64]:
    grid = np.full(shape, np.nan)
    grid[cells.arm, cells.pair] = values.astype(float)
    return grid


def _statuses(cells: pd.DataFrame, shape: tuple[int, int]) -> go.Heatmap:
    """The ground of the cells that are not finished, or of which no accuracy is known."""
    names = list(STATUS_COLOURS)
    last = len(names) - 1
    scale = [[at / last, STATUS_COLOURS[name]] for at, name in enumerate(names)]
    number = cells.status.map({name: at for at, name in enumerate(names)}).astype(float)
    return go.Heatmap(
        z=_grid(number, cells, shape),
        zmin=0,
        zmax=last,
        colorscale=scale,
        showscale=False,
        xgap=2,
        ygap=2,
        hoverinfo="skip",
    )


def _legend(cells: pd.DataFrame) -> list[go.Scatter]:
    """A square for each status there is."""
    return [
        go.Scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=f"{STATUS_WORDS[name]} ({count:,})",
            marker={"symbol": "square", "size": 12, "color": colour},
            hoverinfo="skip",
        )
        for name, colour in STATUS_COLOURS.items()
        if (count := int((cells.status == name).sum()))
    ]


def _marks(cells: pd.DataFrame, arms: Sequence[str], pairs: Sequence[str]) -> go.Scatter:
    inks = np.array(ink(cells.accuracy.astype(float) / 100), dtype=object)
    colours = np.where(cells.accuracy.isna(), "#ffffff", inks).tolist()
    texts, hover = [], []
    for row in cells.itertuples():
        texts.append(_sign(row))
        hover.append(plain(f"{arms[row.arm]}, {pairs[row.pair]}: {_words(row)}"))
    runs = cells.run.fillna(0).astype(int)
    return targets(
        cells.pair,
        cells.arm,
        hover,
        mode="markers+text",
        text=texts,
        textfont={"color": colours, "size": 13},
        showlegend=False,
        # lists: a browser gives a row of a typed array back as a mapping
        customdata=np.stack([cells.arm, cells.pair, runs], axis=1).tolist(),
    )


def _sign(row: Any) -> str:
    if not pd.isna(row.accuracy):
        return f"{row.accuracy:.0f}"
    return f"{100 * row.progress:.0f} %" if row.status == "running" else _SIGNS.get(row.status, "")


def _words(row: Any) -> str:
    words = STATUS_WORDS.get(row.status, row.status)
    if not pd.isna(row.accuracy):
        words = f"{row.accuracy:.2f} % after the last task"
    elif row.status == "running":
        words = f"running, {100 * row.progress:.0f} % done"
    return f"{words}, run {row.run:.0f}" if not pd.isna(row.run) else words
