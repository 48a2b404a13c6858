"""Figures made of cells: a heatmap, what is written on its cells, and marks to point at.

A heatmap alone can't be selected from: invisible marks lie over its cells.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from core.charts.template import DARK

SEQUENTIAL = (  # from dark to pale, so that shares can be told apart without telling hues apart
    (0.0, "#1d2b3a"),
    (0.35, "#20606f"),
    (0.6, "#3f9a94"),
    (0.8, "#9bcfae"),
    (1.0, "#eff3cf"),
)
DIVERGING = (
    (0.0, "#a84a00"),
    (0.3, "#eeb489"),
    (0.5, "#f3f1ea"),
    (0.7, "#8fbde0"),
    (1.0, "#00588a"),
)
PALE = 0.57  # from this share of the scale on a cell is pale and takes dark ink


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


def ink(shares: ArrayLike) -> list[str]:
    """The colour of what is written on cells of these shares of the scale."""
    return [DARK if share >= PALE else "#ffffff" for share in np.ravel(shares)]


def targets(x: ArrayLike, y: ArrayLike, hover: Sequence[str], **more: Any) -> go.Scatter:
    """Invisible marks over cells, that show `hover` and can be selected."""
    look = {"mode": "markers", "unselected": {"marker": {"opacity": 0}}} | more
    marker = {"symbol": "square", "size": 24, "opacity": 0} | look.pop("marker", {})
    return go.Scatter(x=x, y=y, marker=marker, hovertext=hover, hoverinfo="text", **look)
