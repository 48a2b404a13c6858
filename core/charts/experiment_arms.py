"""An experiment's arms: every cell as a point with the mean over it; differences with intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from core.charts.marks import Mark
from core.charts.template import NEUTRAL, blank, colour, plain, tick

_STEP = 0.045  # between points of one value


Floats = npt.NDArray[np.float64]


def points(
    values: pd.DataFrame,
    *,
    name: str,
    pairs: Sequence[str],
    bounds: Mapping[str, float] | None = None,
    published: Mapping[str, float] | None = None,
    colours: Mapping[str, int] | None = None,
) -> go.Figure:
    """A row of points for each arm (column of `values`, percent), a bar at the mean.

    `pairs` names the rows. `bounds` and `published` (by arm, percent) are the mean upper bound
    (left out where it lies beyond what is drawn) and the paper's value. `colours`: an arm's slot,
    which gives it colour and symbol, else their order.
    """
    figure = blank(130 + 44 * max(1, len(values.columns)))
    for at, arm in enumerate(values.columns):
        hue = (colours or {}).get(arm, at)
        figure.add_trace(_points(values[arm], at, hue, name, pairs))
        figure.add_trace(_mean(values[arm], at, hue, name, shown=at == 0))
    low, high = _span(values, published)
    near = {arm: bound for arm, bound in (bounds or {}).items() if bound <= high}
    figure.add_trace(_ticks(values.columns, near, "upper bound (mean)", "line-ns-open"))
    figure.add_trace(_ticks(values.columns, published or {}, "the paper's value", "diamond-open"))
    _arm_axis(figure, list(values.columns))
    figure.update_xaxes(title_text=f"{name} after the last task (%)", range=[low, high])
    return figure


def _span(values: pd.DataFrame, published: Mapping[str, float] | None) -> tuple[float, float]:
    """Round ends of an axis around the values."""
    given = [value for value in [*np.ravel(values), *(published or {}).values()] if value == value]
    low, high = min(given, default=0.0), max(given, default=100.0)
    return max(-1.0, 10 * np.floor(low / 10 - 0.2)), min(102.0, high + 6)


def _points(column: pd.Series, at: int, hue: int, name: str, pairs: Sequence[str]) -> go.Scatter:
    hover = [
        plain(f"{column.name}, {pair}: {name} {value:.2f} %")
        for pair, value in zip(pairs, column, strict=True)
    ]
    look = Mark(str(column.name), hue)
    return go.Scatter(
        x=column,
        y=at + _beside(column.to_numpy()),
        mode="markers",
        showlegend=False,
        marker={"symbol": look.symbol, "size": 9, "color": look.colour(0.55)},
        hovertext=hover,
        hoverinfo="text",
    )


def _beside(values: Floats) -> Floats:
    """Points as near as a mark is wide stand beside one another."""
    shift, bins = np.zeros(len(values)), np.round(values * 2)
    for value in np.unique(bins[~np.isnan(bins)]):
        same = np.flatnonzero(bins == value)
        shift[same] = _STEP * (np.arange(len(same)) - (len(same) - 1) / 2)
    return shift


def _mean(column: pd.Series, at: int, hue: int, name: str, *, shown: bool) -> go.Scatter:
    mean, sd = column.mean(), column.std(ddof=1)
    spread = "" if pd.isna(sd) else f" ± {sd:.2f}"
    return go.Scatter(
        x=[mean],
        y=[at],
        mode="markers",
        name="mean",
        legendgroup="mean",
        showlegend=shown,
        marker={"symbol": "line-ns-open", "size": 28, "color": colour(hue), "line": {"width": 3}},
        hovertext=[plain(f"{column.name}: {name} {mean:.2f}{spread} %, n = {column.count()}")],
        hoverinfo="text",
    )


def _ticks(arms: Sequence[str], values: Mapping[str, float], name: str, symbol: str) -> go.Scatter:
    known = [(at, values[arm]) for at, arm in enumerate(arms) if arm in values]
    return go.Scatter(
        x=[value for _, value in known],
        y=[at for at, _ in known],
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": 13, "color": NEUTRAL, "line": {"width": 2}},
        hovertemplate=f"{name} %{{x:.2f}} %<extra></extra>",
        showlegend=bool(known),
    )


def differences(
    table: pd.DataFrame,
    paired: Mapping[str, Sequence[float]],
    *,
    name: str,
    reference: str,
    colours: Mapping[str, int] | None = None,
) -> go.Figure:
    """Each arm less the reference: a point for each pair, the mean, its 95 % interval.

    `table` is analysis.significance.differences', `paired` the differences by arm.
    """
    figure = blank(120 + 44 * max(1, len(table)))
    for at, row in enumerate(table.to_dict("records")):
        arm, hue = row["arm"], (colours or {}).get(row["arm"], at)
        values = np.asarray(paired[arm], dtype=float)
        figure.add_trace(
            go.Scatter(
                x=values,
                y=at + 0.22 + _beside(values),
                mode="markers",
                showlegend=False,
                marker={"size": 7, "color": colour(hue, 0.5)},
                hovertemplate=plain(f"{arm}: ") + "%{x:+.2f} points<extra></extra>",
            )
        )
        figure.add_trace(_interval(row, at, hue))
    figure.add_vline(0, line={"color": NEUTRAL, "width": 1.5})
    _arm_axis(figure, list(table.arm))
    figure.update_xaxes(title_text=plain(tick(f"{name}: less {reference}", 60)) + " (points)")
    figure.update_layout(showlegend=False)
    return figure


def _interval(row: Mapping[str, Any], at: int, hue: int) -> go.Scatter:
    mean, low, high = row["difference"], row["low"], row["high"]
    known = not pd.isna(low)
    limits = f", 95 % interval {low:+.2f} to {high:+.2f}" if known else ""
    return go.Scatter(
        x=[mean],
        y=[at],
        mode="markers",
        error_x={
            "type": "data",
            "symmetric": False,
            "thickness": 2.5,
            "width": 8,
            "array": [high - mean if known else 0],
            "arrayminus": [mean - low if known else 0],
        },
        marker={"size": 11, "color": colour(hue)},
        hovertext=[plain(f"{row['arm']}: {mean:+.2f} points{limits}, n = {row['n']}")],
        hoverinfo="text",
    )


def _arm_axis(figure: go.Figure, arms: Sequence[str]) -> None:
    figure.update_yaxes(
        tickvals=list(range(len(arms))),
        ticktext=[tick(arm) for arm in arms],
        range=[max(1, len(arms)) - 0.5, -0.5],
        showgrid=False,
    )
