"""Figures made of cells: a heatmap, what is written on its cells, and marks to point at.

A heatmap alone can't be selected from: invisible marks lie over its cells.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray
from plotly.colors import hex_to_rgb

Scale = Sequence[tuple[float, str]]
SEQUENTIAL: Scale = (  # from dark to pale: shares can be told apart without telling hues apart
    (0.0, "#1d2b3a"),
    (0.35, "#20606f"),
    (0.6, "#3f9a94"),
    (0.8, "#9bcfae"),
    (1.0, "#eff3cf"),
)
DIVERGING: Scale = (
    (0.0, "#a84a00"),
    (0.3, "#eeb489"),
    (0.5, "#f3f1ea"),
    (0.7, "#8fbde0"),
    (1.0, "#00588a"),
)
INKS = ("#ffffff", "#000000")
CELL, LETTER, BAR = 30, 7, 70  # pixels across: of a cell, a letter beside it, the colours' bar
EQUAL = (1.05 * 0.05) ** 0.5 - 0.05  # the luminance on which both stand out alike


def heat(z: ArrayLike, measure: str, most: float = 1.0, **more: Any) -> go.Heatmap:
    """Cells from dark (0) to pale (`most`), with `measure` beside the bar of colours."""
    bar = {"title": {"text": measure, "side": "right"}, "thickness": 12}
    look = {"xgap": 2, "ygap": 2, "hoverinfo": "skip"} | more
    return go.Heatmap(z=z, zmin=0, zmax=most, colorscale=SEQUENTIAL, colorbar=bar, **look)


def diverging(z: ArrayLike, measure: str, most: float, **more: Any) -> go.Heatmap:
    """Cells from orange (−`most`) over nearly white (0) to blue (`most`)."""
    bar = {"title": {"text": measure, "side": "right"}, "thickness": 12}
    look = {"xgap": 2, "ygap": 2, "hoverinfo": "skip"} | more
    return go.Heatmap(z=z, zmin=-most, zmax=most, colorscale=DIVERGING, colorbar=bar, **look)


def ink(shares: ArrayLike, scale: Scale = SEQUENTIAL) -> list[str]:
    """The colour of what is written on cells of these shares of the scale: white or black,
    whichever stands out more (contrast 4.5:1 at least, by WCAG's relative luminance).
    """
    pale = _luminances(_colours(np.ravel(shares), scale)) > EQUAL
    return [INKS[each] for each in pale.astype(int)]


def _colours(shares: NDArray[Any], scale: Scale) -> NDArray[Any]:
    """Of each share: red, green, blue from 0 to 1, as plotly mixes them."""
    at = [share for share, _ in scale]
    parts = np.array([hex_to_rgb(colour) for _, colour in scale]) / 255
    within = np.clip(np.nan_to_num(shares.astype(float)), 0, 1)
    return np.stack([np.interp(within, at, parts[:, part]) for part in range(3)], axis=1)


def _luminances(colours: NDArray[Any]) -> NDArray[Any]:
    """Of each colour."""
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    weighted: NDArray[Any] = np.dot(linear, [0.2126, 0.7152, 0.0722])
    return weighted


def width_of_cells(figure: go.Figure) -> int:
    """About how many pixels a figure takes to show its cells with what is written on them and
    beside them; 0 where it has none.
    """
    columns = max((_columns(trace) for trace in figure.data if trace.type == "heatmap"), default=0)
    names = [str(text) for axis in figure.select_yaxes() for text in axis.ticktext or ()]
    beside = LETTER * max(map(len, names), default=0)
    return columns and CELL * columns + beside + BAR


def _columns(trace: go.Heatmap) -> int:
    return len(trace.z[0]) if trace.z is not None and len(trace.z) else 0


def targets(x: ArrayLike, y: ArrayLike, hover: Sequence[str], **more: Any) -> go.Scatter:
    """Invisible marks over cells, that show `hover` and can be selected."""
    look = {"mode": "markers", "unselected": {"marker": {"opacity": 0}}} | more
    marker = {"symbol": "square", "size": 24, "opacity": 0} | look.pop("marker", {})
    return go.Scatter(x=x, y=y, marker=marker, hovertext=hover, hoverinfo="text", **look)
