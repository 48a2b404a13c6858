"""The critical-difference diagram: arms on the axis of mean ranks, bars join what is not different.

Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 2006, section 3.2.5.
"""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from core.charts.template import NEUTRAL, blank, colour, plain, tick

_BAR = 0.28  # between the bars of groups


def critical_difference(
    arms: Sequence[str],
    mean_ranks: Sequence[float],
    difference: float,
    groups: Sequence[Sequence[str]],
    *,
    colours: Mapping[str, int] | None = None,
) -> go.Figure:
    """Arms from best (left, 1) to worst with lines to their mean rank; a bar for each group.

    `difference` is the critical difference of mean ranks, drawn to scale above the axis.
    """
    k = len(arms)
    half = math.ceil(k / 2)
    depth = 0.5 + _BAR * len(groups)
    figure = blank(round(90 + 34 * half + 20 * len(groups)))
    ranks = dict(zip(arms, mean_ranks, strict=True))
    span = [1 - 0.42 * k, k + 0.42 * k]
    for at, (arm, rank) in enumerate(ranks.items()):
        left = at < half
        y = -depth - (at if left else k - 1 - at)
        end = 0.9 if left else k + 0.1
        hue = (colours or {}).get(arm, at)
        figure.add_trace(
            go.Scatter(
                x=[rank, rank, end],
                y=[0, y, y],
                mode="lines",
                showlegend=False,
                line={"color": colour(hue), "width": 2},
                hovertemplate=plain(f"{arm}: mean rank {rank:.2f}") + "<extra></extra>",
            )
        )
        figure.add_annotation(
            x=end,
            y=y,
            text=f"{tick(arm, 27)} ({rank:.2f})",
            showarrow=False,
            xanchor="right" if left else "left",
            font={"size": 13},
        )
    for number, group in enumerate(groups, start=1):
        ends = [ranks[arm] for arm in group]
        _bar(figure, min(ends) - 0.06, max(ends) + 0.06, -_BAR * number, 6)
    _bar(figure, 1, 1 + difference, 1.2, 3)
    figure.add_annotation(
        x=1 + difference / 2,
        y=1.2,
        yanchor="bottom",
        showarrow=False,
        text=f"critical difference {difference:.2f}",
        font={"size": 13},
    )
    _axis(figure, k)
    low = -depth - half + 0.3
    figure.update_xaxes(visible=False, range=[min(span[0], 1), max(span[1], 1 + difference)])
    figure.update_yaxes(visible=False, range=[low, 2.3])
    figure.update_layout(margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def _bar(figure: go.Figure, left: float, right: float, y: float, width: int) -> None:
    figure.add_trace(
        go.Scatter(
            x=[left, right],
            y=[y, y],
            mode="lines",
            line={"color": NEUTRAL, "width": width},
            hoverinfo="skip",
            showlegend=False,
        )
    )


def _axis(figure: go.Figure, k: int) -> None:
    """The axis of ranks with a tick at each."""
    x: list[float | None] = []
    y: list[float | None] = []
    for rank in range(1, k + 1):
        x += [rank, rank, None]
        y += [0, 0.22, None]
        figure.add_annotation(
            x=rank, y=0.25, yanchor="bottom", text=str(rank), showarrow=False, font={"size": 12}
        )
    line = {"color": NEUTRAL, "width": 1.5}
    more = {"mode": "lines", "line": line, "hoverinfo": "skip", "showlegend": False}
    figure.add_trace(go.Scatter(x=[1, k], y=[0, 0], **more))
    figure.add_trace(go.Scatter(x=x, y=y, **more))
