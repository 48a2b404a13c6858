"""Maps of forms beside one another: one a memory, and a sampler's search played step by step."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.charts.marks import Mark
from core.charts.room import PAGE
from core.charts.template import NEUTRAL, TEMPLATE, colour, plain
from core.text import middle_cut

ACROSS = 3  # small maps side by side
TITLE = 34  # letters of a memory's name above its map
MOST_FRAMES = 80  # of a search that is played
FAINT_FORM = "rgba(128,128,128,0.35)"
MILLISECONDS = 250  # that a step is shown
LOWEST, HIGHEST = 420, 860  # pixels of a map whose axes have the same unit
LOW, HIGH = 200, 420  # of a small one
EDGE = 0.04  # of an axis that is left beyond its outermost marks
ROUND = 110  # pixels of a map's height and width that axes take


def height_of(table: pd.DataFrame) -> int:
    """Of a map on which a unit is as long up as across: the one at which it fills a page's width,
    or nearly so. `table` as of charts.clusters.form_map.
    """
    height = ROUND + (PAGE - ROUND) * _steepness(table)
    return int(min(HIGHEST, max(LOWEST, height)))


def _steepness(table: pd.DataFrame) -> float:
    """How far up the forms reach, over how far across."""
    across, up = np.ptp(table.x.to_numpy()), np.ptp(table.y.to_numpy())
    return float(up / across) if across else 1.0


def multiples(
    table: pd.DataFrame,
    rings: Mapping[str, Sequence[int]],
    looks: Mapping[str, Mark],
    equal: bool = True,
) -> go.Figure:
    """A small map for each memory: the forms that it keeps in its colour, all others faint.

    `table`, `rings` and `looks` as of charts.clusters.form_map; `equal`: a unit is as long up as
    across, as where a map's distances have one.
    """
    names = list(rings)
    rows = -(-len(names) // ACROSS)
    figure = make_subplots(
        rows=rows,
        cols=min(ACROSS, len(names)),
        subplot_titles=[plain(middle_cut(name, TITLE)) for name in names],
        shared_xaxes="all",
        shared_yaxes="all",
        horizontal_spacing=0.02,
        vertical_spacing=0.14 / rows,
    )
    taken = {mark.slot for mark in looks.values()}
    free = (colour(slot) for slot in count() if slot not in taken)
    for at, name in enumerate(names):
        drawn = looks[name].colour() if name in looks else next(free)
        cell = {"row": 1 + at // ACROSS, "col": 1 + at % ACROSS}
        held = table.form.isin(list(rings[name])).to_numpy()
        figure.add_trace(_forms(table[~held], FAINT_FORM, 4), **cell)
        figure.add_trace(_forms(table[held], drawn, 8), **cell)
    figure.update_xaxes(showticklabels=False, showgrid=False)
    figure.update_yaxes(showticklabels=False, showgrid=False)
    if equal:
        for axis in figure.select_yaxes():
            axis.scaleanchor = axis.anchor
    each = min(HIGH, max(LOW, round(_steepness(table) * PAGE / ACROSS))) if equal else 300
    figure.update_layout(
        template=TEMPLATE, height=60 + each * rows, showlegend=False, margin={"t": 40, "l": 8}
    )
    return figure


def _forms(table: pd.DataFrame, drawn: str, size: int) -> go.Scatter:
    return go.Scatter(
        x=table.x.to_numpy(),
        y=table.y.to_numpy(),
        mode="markers",
        marker={"size": size, "color": drawn},
        hovertext=[plain(text) for text in table.logical_form],
        hoverinfo="text",
    )


def played(
    table: pd.DataFrame, states: Sequence[Sequence[int]], steps: pd.DataFrame, equal: bool = True
) -> go.Figure:
    """A sampler's search, to be played: the forms in memory ringed on the map after each step, and
    how far the entropy has come beside it.

    `states` are the numbers of the forms in memory after each step, `steps` is
    analysis.memory_rows.trajectory's, `equal` as of `multiples`. Of a long search some steps are
    shown, the last always.
    """
    shown = sorted({*np.linspace(0, len(states) - 1, MOST_FRAMES).round().astype(int).tolist()})
    figure = make_subplots(rows=1, cols=2, column_widths=[0.6, 0.4], horizontal_spacing=0.1)
    figure.add_trace(_forms(table, FAINT_FORM, 5), row=1, col=1)
    figure.add_trace(_ringed(table, states[0]), row=1, col=1)
    line = {"color": NEUTRAL, "width": 1.5, "shape": "hv"}
    entropy = steps.entropy.astype(float).to_numpy()
    figure.add_trace(
        go.Scatter(x=steps.step.to_numpy(), y=entropy, mode="lines", line=line, hoverinfo="skip"),
        row=1,
        col=2,
    )
    figure.add_trace(_reached(steps, entropy, 0), row=1, col=2)
    figure.frames = [
        go.Frame(
            name=str(step),
            data=[_ringed(table, states[step]), _reached(steps, entropy, step)],
            traces=[1, 3],
        )
        for step in shown
    ]
    figure.update_xaxes(showticklabels=False, showgrid=False, row=1, col=1)
    figure.update_yaxes(showticklabels=False, showgrid=False, row=1, col=1)
    if equal:
        figure.update_yaxes(scaleanchor="x", row=1, col=1)
    figure.update_xaxes(title_text="steps", range=_around(steps.step), row=1, col=2)
    figure.update_yaxes(title_text="entropy (nats)", range=_around(entropy), row=1, col=2)
    figure.update_layout(
        template=TEMPLATE,
        height=520,
        showlegend=False,
        margin={"t": 20, "l": 8, "b": 120},
        updatemenus=[_buttons()],
        sliders=[_slider(shown)],
    )
    return figure


def _around(values: Any) -> list[float]:
    """An axis that holds a mark at each of the values whole, from the first step to the last."""
    low, high = float(np.min(values)), float(np.max(values))
    more = EDGE * ((high - low) or 1)
    return [low - more, high + more]


def _ringed(table: pd.DataFrame, forms: Sequence[int]) -> go.Scatter:
    held = table[table.form.isin(list(forms))]
    ring = {"size": 12, "symbol": "circle-open", "color": colour(1), "line": {"width": 2.5}}
    return go.Scatter(x=held.x.to_numpy(), y=held.y.to_numpy(), mode="markers", marker=ring)


def _reached(steps: pd.DataFrame, entropy: Any, step: int) -> go.Scatter:
    return go.Scatter(
        x=[int(steps.step.iloc[step])],
        y=[float(entropy[step])],
        mode="markers",
        marker={"size": 12, "color": colour(1)},
        hovertext=[f"step {step}: {entropy[step]:.4f} nats"],
        hoverinfo="text",
    )


def _buttons() -> dict[str, Any]:
    frame = {"duration": MILLISECONDS, "redraw": False}
    play = [None, {"frame": frame, "transition": {"duration": 0}, "fromcurrent": True}]
    stop = [[None], {"frame": {"duration": 0, "redraw": False}, "mode": "immediate"}]
    buttons = [
        {"label": label, "method": "animate", "args": args}
        for label, args in (("Play", play), ("Stop", stop))
    ]
    corner = {"x": 0, "xanchor": "left", "y": -0.12, "yanchor": "top", "direction": "left"}
    return {"type": "buttons", "buttons": buttons, "showactive": False, **corner}


def _slider(shown: Sequence[int]) -> dict[str, Any]:
    how = {"frame": {"duration": 0, "redraw": False}, "mode": "immediate"}
    return {
        "steps": [
            {"label": str(step), "method": "animate", "args": [[str(step)], how]} for step in shown
        ],
        "currentvalue": {"prefix": "step "},
        "x": 0.16,
        "len": 0.84,
        "y": -0.1,
    }
