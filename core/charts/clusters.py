"""Cluster figures: the map of forms, silhouettes, distances in a cluster, Smatch."""

from collections.abc import Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go

from core.charts.cells import heat
from core.charts.marks import Mark
from core.charts.template import LEGEND, PALETTE, SYMBOLS, blank, colour, lines, plain
from core.text import middle_cut

MANY = 1500  # points from which on the browser's graphics card draws them
MOST_PAIRS = 4000  # points of a scatter of pairs
HOVER = 160  # letters of a form that are shown beside the pointer


def form_map(
    table: pd.DataFrame,
    rings: Mapping[str, Sequence[int]] | None = None,
    height: int = 620,
    unit: str = "distance 1 − similarity",
    looks: Mapping[str, Mark] = MappingProxyType({}),
) -> go.Figure:
    """The forms on a plane: size by rows, colour and symbol by cluster, rings around forms in
    memories.

    `table` is analysis.clusters.form_table's; `rings` are the numbers of forms by a memory's name.
    `unit` is that of the plane's distances, empty where they have none; `looks` are those of rings
    that are a run's, others take the colours left. Every mark has its form's number as
    `customdata`.
    """
    taken = {mark.slot for mark in looks.values()}
    free = (colour(slot) for slot in count() if slot not in taken)
    figure = blank(height)
    scatter = go.Scattergl if len(table) > MANY else go.Scatter
    clusters = table.cluster.to_numpy()
    colours = len(PALETTE)
    size = _sizes(table["rows"])
    figure.add_trace(
        scatter(
            x=table.x.to_numpy(),
            y=table.y.to_numpy(),
            mode="markers",
            marker={
                "size": size,
                "color": [PALETTE[c % colours] for c in clusters],
                "symbol": [SYMBOLS[c // colours % len(SYMBOLS)] for c in clusters],
                "opacity": 0.75,
                "line": {"width": 0},
            },
            customdata=table.form.tolist(),
            hovertext=[
                lines(f"cluster {row.cluster}, rows: {row.count_}\n{row.logical_form[:HOVER]}")
                for row in table.rename(columns={"rows": "count_"}).itertuples()
            ],
            hoverinfo="text",
            showlegend=False,
        )
    )
    for at, (name, forms) in enumerate((rings or {}).items()):
        held = table.form.isin(list(forms)).to_numpy()
        drawn = looks[name].colour() if name in looks else next(free)
        ring = {"size": size[held] + 6 + 5 * at, "symbol": "circle-open", "color": drawn}
        figure.add_trace(
            scatter(
                x=table.x[held].to_numpy(),
                y=table.y[held].to_numpy(),
                mode="markers",
                name=plain(f"kept by {middle_cut(name, LEGEND)}"),
                marker=ring | {"line": {"width": 2.5}},
                customdata=table.form[held].tolist(),
                hoverinfo="skip",
            )
        )
    figure.update_xaxes(title_text="first coordinate" + (f" ({unit})" if unit else ""))
    figure.update_yaxes(title_text="second coordinate", scaleanchor="x")
    figure.update_layout(
        dragmode="lasso",
        hovermode="closest",
        legend={"itemsizing": "constant"},
    )
    return figure


def _sizes(rows: pd.Series) -> npt.NDArray[Any]:
    """Diameters: areas grow with the rows that a form stands for, up to a limit."""
    return np.asarray(np.minimum(5 + 2.2 * np.sqrt(rows.to_numpy() - 1), 34))


def silhouettes(clusters: pd.DataFrame) -> go.Figure:
    """Mean silhouette of each cluster, the best first; `clusters` is cluster_table's."""
    order = clusters.sort_values("silhouette", ascending=False, kind="stable")
    figure = blank(300)
    hover = [
        plain(f"cluster {row.cluster}: {row.silhouette:.3f}, forms: {row.forms}")
        for row in order.itertuples()
    ]
    figure.add_trace(
        go.Bar(
            x=[str(cluster) for cluster in order.cluster],
            y=order.silhouette.to_numpy(),
            marker={"color": [PALETTE[c % len(PALETTE)] for c in order.cluster]},
            hovertext=hover,
            hoverinfo="text",
        )
    )
    figure.update_xaxes(title_text="cluster", type="category", showgrid=False)
    figure.update_yaxes(title_text="mean silhouette")
    return figure


def distances(forms: Sequence[int], matrix: npt.NDArray[Any]) -> go.Figure:
    """The distances of some forms from one another; both come from analysis.clusters.inside.

    The colours reach from 0 to the largest distance, which inside a cluster is far below 1.
    """
    names = [str(form) for form in forms]
    figure = blank(180 + 11 * max(14, len(names)))
    figure.add_trace(
        heat(
            np.round(matrix, 3),
            "distance",
            max(0.01, float(np.max(matrix, initial=0))),
            x=names,
            y=names,
            xgap=0,
            ygap=0,
            hoverinfo=None,
            hovertemplate="forms %{y} and %{x}: %{z:.3f}<extra></extra>",
        )
    )
    axis = {"type": "category", "showgrid": False}
    figure.update_xaxes(title_text="form, nearest to the medoid first", **axis)
    figure.update_yaxes(autorange="reversed", **axis)
    return figure


def similarity_comparison(pairs: pd.DataFrame, height: int = 460) -> go.Figure:
    """Productions against Smatch, a mark for each pair; of very many every so-manieth is drawn."""
    shown = pairs[:: max(1, -(-len(pairs) // MOST_PAIRS))]
    figure = blank(height)
    figure.add_trace(
        go.Scattergl(
            x=shown.productions.to_numpy(),
            y=shown.smatch.to_numpy(),
            mode="markers",
            marker={"size": 5, "color": colour(0, 0.35)},
            hovertext=[f"forms {p.left} and {p.right}" for p in shown.itertuples()],
            hovertemplate="%{hovertext}: productions %{x:.3f}, Smatch %{y:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(title_text="similarity by productions", range=[-0.03, 1.03])
    figure.update_yaxes(title_text="similarity by Smatch", range=[-0.03, 1.03])
    return figure
