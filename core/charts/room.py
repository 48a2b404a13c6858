"""Margins that hold what stands around a figure, so that it is drawn once.

Plotly widens margins that are too narrow, but finds that out by drawing all; then it draws all
again (2.5 to 3 times as long, for a matrix of eight tasks). Here they are as wide as the names, the
titles, the legend and the bar of colours are likely to be on a page. Where that is too little
plotly still makes room; where it is too much there are a few pixels of ground.
"""

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from core.charts.template import ANGLES

PAGE = 1050  # pixels, of a figure alone on a page; those side by side share them
LETTER, LINE = 5.1, 19.0  # pixels of a letter beside an axis, and of a legend's line
ENTRY, NAMED, FRAME = 10.0, 4.8, 11.0  # of a legend: beside a symbol, a letter, around it all
SYMBOL = 30.0  # plotly's own width of a legend's symbol
TITLE, TICK, FLAT = 45.0, 12.0, 59.0  # with an axis' title, without one; names that lie flat
BAR, UNTITLED = 80.0, 68.0  # of the bar of colours, with a title that shuns its numbers
SLANTED = 25.0  # pixels that a name at a slant takes on its axis


def make_room(figure: go.Figure, width: float = PAGE) -> go.Figure:
    """Widen the margins of the figure, which will be so many pixels wide, and return it.

    A figure with several axes in one direction is left as it is. One margin is 0 unless more is
    asked for: where all are over 0 plotly takes 12 pixels more on each side.
    """
    x, y = list(figure.select_xaxes()), list(figure.select_yaxes())
    if len(x) != 1 or len(y) != 1:
        return figure
    asked, usual = figure.layout.margin, figure.layout.template.layout.margin
    below = asked.b or usual.b or 0
    left, right = _left(figure, y[0]), _right(figure)
    inside = width - left - right
    above = max(asked.t or (0 if right else usual.t or 0), _top(figure, inside, below))
    names = _along(figure, x[0], inside)
    if x[0].side == "top":
        above = max(above, names)
    else:
        below = max(below, names)
    figure.layout.margin = {"l": left, "r": right, "t": above, "b": below}
    return figure


def _left(figure: go.Figure, axis: Any) -> float:
    longest = LETTER * max(map(len, _names(axis, figure, "y")), default=3)
    return longest + (TITLE if axis.title.text else TICK)


def _right(figure: go.Figure) -> float:
    heat = [trace for trace in figure.data if trace.type == "heatmap"]
    return max((_bar(trace) for trace in heat if trace.showscale is not False), default=0)


def _bar(trace: go.Heatmap) -> float:
    return BAR if trace.colorbar.title.text else UNTITLED


def _along(figure: go.Figure, axis: Any, inside: float) -> float:
    """What the names along the lower or the upper axis take."""
    names = _names(axis, figure, "x")
    longest = LETTER * max(map(len, names), default=0)
    each = inside / max(1, len(names))
    needed = dict(zip(ANGLES, (longest + LETTER, SLANTED, 0), strict=True))
    angle = next(angle for angle, room in needed.items() if room <= each)
    if angle == 0:
        return FLAT
    slanted = longest * math.sin(math.radians(-angle))
    return slanted + (TITLE + TICK if axis.title.text else 2 * TICK)


def _top(figure: go.Figure, inside: float, below: float) -> float:
    """What a legend above the figure takes: entries in columns, those of a group in one."""
    shown = [trace for trace in figure.data if trace.showlegend is not False and trace.name]
    legend = figure.layout.showlegend
    if legend is False or (legend is None and len(shown) < 2) or not shown:
        return 0
    groups: dict[str, list[float]] = {}
    symbol = ENTRY + (figure.layout.legend.itemwidth or SYMBOL)
    for at, trace in enumerate(shown):
        entries = groups.setdefault(trace.legendgroup or str(at), [])
        entries.append(symbol + NAMED * len(trace.name))
    widths = [max(entries) for entries in groups.values()]
    columns = len(widths) if sum(widths) <= inside else max(1, int(inside // max(widths)))
    rows = math.ceil(len(widths) / columns) * max(map(len, groups.values()))
    above = (figure.layout.legend.y or figure.layout.template.layout.legend.y or 1) - 1
    height = (figure.layout.height or 0) - below
    return (rows * LINE + FRAME + above * height) / (1 + above)


def _names(axis: Any, figure: go.Figure, letter: str) -> list[str]:
    """What stands beside the axis, where it is names: its ticks', else the categories."""
    if axis.ticktext is not None:
        return [str(text) for text in axis.ticktext]
    known: dict[str, None] = {}
    for trace in figure.data:
        values: Sequence[Any] | None = trace[letter] if letter in trace else None  # noqa: SIM401
        if values is not None and len(values) and isinstance(values[0], str):
            known |= dict.fromkeys(map(str, values))
    return list(known)
