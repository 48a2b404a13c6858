"""Figures of drops: groups of actions against one another, and two runs against each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from core.analysis.drops import LEAST, Comparison
from core.analysis.forgetting import SPECIFIC
from core.charts.template import FAINT, NEUTRAL, blank, colour, lines, plain

MOST_POINTS = 600  # of a group of drops that are drawn one by one
EDGE = 0.04  # of the axis that is left beyond the outermost drops
MANY = 1500  # points from which on the browser's graphics card draws them


def drops(comparisons: Sequence[Comparison], ends: tuple[float, float] | None = None) -> go.Figure:
    """Where the drops of each group of actions lie: quartiles as boxes (of LEAST actions and more),
    actions as points; the axis reaches over `ends`, which figures beside one another share.

    Whiskers reach to the last action within one and a half box lengths (Tukey). Of more than
    MOST_POINTS actions every so-manieth is drawn, by drop.
    """
    groups = [(each.name, *group) for each in comparisons for group in each.groups if len(group[1])]
    figure = blank(110 + 62 * max(2, len(groups)))
    for position, (_, _, values) in enumerate(groups):
        if len(values) >= LEAST:
            figure.add_trace(_box(values, position, colour(position % 2)))
        figure.add_trace(_points(values, position, colour(position % 2, 0.55)))
    figure.update_xaxes(title_text="drop of P since the origin task")
    if ends is not None:
        more = EDGE * max(ends[1] - ends[0], 0.1)
        figure.update_xaxes(range=[ends[0] - more, ends[1] + more])
    figure.update_yaxes(
        tickvals=list(range(len(groups))),
        ticktext=[plain(f"{label} (n = {len(values):,})") for _, label, values in groups],
        range=[len(groups) - 0.5, -0.6],
        showgrid=False,
    )
    for position, (name, _, _) in enumerate(groups):
        if position == 0 or groups[position - 1][0] != name:
            figure.add_annotation(
                x=0,
                xref="paper",
                xanchor="left",
                y=position - 0.5,
                showarrow=False,
                text=plain(name),
                font={"size": 12, "color": FAINT},
            )
    figure.update_layout(showlegend=False, hovermode="closest")
    return figure


def _box(values: npt.NDArray[Any], position: int, tint: str) -> go.Box:
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    return go.Box(
        q1=[low],
        median=[middle],
        q3=[high],
        y=[position],
        lowerfence=[values[values >= low - reach].min()],
        upperfence=[values[values <= high + reach].max()],
        orientation="h",
        width=0.42,
        line={"color": tint, "width": 2},
        fillcolor="rgba(0,0,0,0)",
        hoverinfo="x",
    )


def _points(values: npt.NDArray[Any], position: int, tint: str) -> go.Scatter:
    shown = np.sort(values)[:: max(1, -(-len(values) // MOST_POINTS))]
    spread = (np.arange(len(shown)) * 0.618034) % 1 - 0.5  # even, and the same every time
    return go.Scatter(
        x=np.round(shown, 4),
        y=position + 0.3 * spread,
        mode="markers",
        marker={"size": 5, "color": tint},
        hoverinfo="skip",
    )


def differences(table: pd.DataFrame, left: str, right: str, height: int = 520) -> go.Figure:
    """The drop of each action in one run against that in another; equal ones lie on the line.

    `table` is analysis.forgetting.difference's. Every mark has its action as `customdata`.
    """
    figure = blank(height)
    scatter = go.Scattergl if len(table) > MANY else go.Scatter
    ends = [min(0.0, *table.drop_left, *table.drop_right), 1.0] if len(table) else [0.0, 1.0]
    line = {"color": NEUTRAL, "width": 1.5, "dash": "dot"}
    figure.add_trace(
        go.Scatter(x=ends, y=ends, mode="lines", line=line, hoverinfo="skip", showlegend=False)
    )
    for kind, rows in table.groupby("kind", sort=False):
        hover = [
            lines(f"{row.text}\n{left}: {row.drop_left:.3f}\n{right}: {row.drop_right:.3f}")
            for row in rows.itertuples()
        ]
        figure.add_trace(
            scatter(
                x=rows.drop_left.round(4).to_numpy(),
                y=rows.drop_right.round(4).to_numpy(),
                name=plain(f"{kind} (n = {len(rows):,})"),
                mode="markers",
                marker={
                    "size": np.minimum(6 + np.sqrt(rows["count"].to_numpy()) / 3, 18),
                    "color": colour(int(kind != SPECIFIC), 0.7),  # as in `drops`
                    "symbol": "diamond" if kind == SPECIFIC else "circle",
                },
                unselected={"marker": {"opacity": 0.7}},
                customdata=rows.action.tolist(),
                hovertext=hover,
                hoverinfo="text",
            )
        )
    figure.update_xaxes(title_text=plain(f"drop in {left}"))
    figure.update_yaxes(title_text=plain(f"drop in {right}"))
    figure.update_layout(hovermode="closest", legend={"itemsizing": "constant"})
    return figure
