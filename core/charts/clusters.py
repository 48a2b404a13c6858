"""Cluster figures: the map of forms, silhouettes, distances in a cluster, Smatch."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import plotly.graph_objects as go
from plotly.colors import sample_colorscale

from core.charts.cells import heat
from core.charts.marks import Mark
from core.charts.template import LEGEND, NEUTRAL, PALETTE, SYMBOLS, blank, colour, lines, plain
from core.text import middle_cut

MANY = 1500  # points from which on the browser's graphics card draws them
MOST_PAIRS = 4000  # points of a scatter of pairs
UNKNOWN = "rgba(128,128,128,0.5)"  # of a form whose value is not known
HOVER = 160  # letters of a form that are shown beside the pointer


def colour_by_memory(
    figure: go.Figure,
    table: pd.DataFrame,
    rings: Mapping[str, Sequence[int]],
    looks: Mapping[str, Mark] = MappingProxyType({}),
) -> None:
    """Give the map's forms the colour of the first memory that keeps them; grey where none does."""
    taken = {mark.slot for mark in looks.values()}
    free = (colour(slot) for slot in count() if slot not in taken)
    colours = dict.fromkeys(table.form, UNKNOWN)
    for name, forms in rings.items():
        drawn = looks[name].colour() if name in looks else next(free)
        colours |= {form: drawn for form in forms if colours[form] == UNKNOWN}
        mark = {"size": 10, "color": drawn}
        shown = plain(middle_cut(name, LEGEND))
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", name=shown, marker=mark))
    figure.data[0].marker.color = list(colours.values())


@dataclass(frozen=True, eq=False)
class Colouring:
    """What is drawn by colour: a value for each form (NaN: not known, grey), from 0 to `most`."""

    values: npt.NDArray[Any]
    name: str
    most: float

    def marker(self) -> dict[str, Any]:
        known = ~np.isnan(self.values)
        at = np.clip(np.where(known, self.values, 0) / self.most, 0, 1)
        shades = sample_colorscale("Viridis", at.tolist())
        bar = {"title": {"text": self.name, "side": "right"}, "thickness": 12}
        return {
            "color": [s if k else UNKNOWN for s, k in zip(shades, known, strict=True)],
            "symbol": np.where(known, "circle", "circle-open").tolist(),
            "line": {"width": 1, "color": NEUTRAL},
            "showscale": True,
            "colorscale": "Viridis",
            "cmin": 0,
            "cmax": self.most,
            "colorbar": bar,
        }


def form_map(
    table: pd.DataFrame,
    rings: Mapping[str, Sequence[int]] | None = None,
    height: int = 620,
    unit: str = "distance 1 − similarity",
    looks: Mapping[str, Mark] = MappingProxyType({}),
    colouring: Colouring | None = None,
    matches: Collection[int] | None = None,
) -> go.Figure:
    """The forms on a plane: size by rows, colour and symbol by cluster, rings around forms in
    memories.

    `table` is analysis.clusters.form_table's; `rings` are the numbers of forms by a memory's name.
    `unit` is that of the plane's distances, empty where they have none; `looks` are those of rings
    that are a run's, others take the colours left. `colouring` draws something else than clusters
    by colour; of the forms that are not among `found` little is seen. Every mark has its form's
    number as `customdata`.
    """
    taken = {mark.slot for mark in looks.values()}
    free = (colour(slot) for slot in count() if slot not in taken)
    figure = blank(height)
    scatter = go.Scattergl if len(table) > MANY else go.Scatter
    clusters = table.cluster.to_numpy()
    size = _sizes(table["rows"])
    figure.add_trace(
        scatter(
            x=table.x.to_numpy(),
            y=table.y.to_numpy(),
            mode="markers",
            marker={
                "size": size,
                "symbol": [SYMBOLS[c // len(PALETTE) % len(SYMBOLS)] for c in clusters],
                "opacity": _opacity(table, matches),
                "line": {"width": 0},
                **(_by_cluster(clusters) if colouring is None else colouring.marker()),
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
    anchor = {"scaleanchor": "x"} if unit else {}  # else its scale says nothing: the width is used
    figure.update_yaxes(title_text="second coordinate", **anchor)
    figure.update_layout(
        dragmode="lasso",
        hovermode="closest",
        legend={"itemsizing": "constant"},
    )
    return figure


def _by_cluster(clusters: npt.NDArray[Any]) -> dict[str, Any]:
    return {"color": [PALETTE[c % len(PALETTE)] for c in clusters]}


def _opacity(table: pd.DataFrame, matches: Collection[int] | None) -> Any:
    if matches is None:
        return 0.75
    return np.where(table.form.isin(list(matches)), 0.95, 0.1)


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
