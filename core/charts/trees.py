"""Logical forms as trees: one alone, or the gold and the predicted one with what differs marked."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import networkx as nx
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from core.charts.template import NEUTRAL, TEMPLATE, blank, colour, plain
from core.language.tree import Node
from core.text import middle_cut

LEVEL = 62  # pixels from a node to its children
LABELS = (22, 16, 12, 9, 6)  # letters of a label beside its node: the first that fits is taken
WIDTH = 185  # letters that fit side by side
GAP = 3  # letters between two labels
LIFT = 0.42  # levels from a node up to its label's upper edge, where the edge to it ends


@dataclass(frozen=True, eq=False)
class _Layout:
    """A tree's nodes by number, depth-first, each in the middle of the room that it and what hangs
    below it take, so that no two labels overlap.
    """

    graph: nx.DiGraph
    x: dict[int, float]  # in letters
    depth: dict[int, int]
    text: dict[int, str]  # the labels as written
    width: float  # letters

    @property
    def levels(self) -> int:
        return max(1, max(self.depth.values()))


def tree(form: Node) -> go.Figure:
    """A logical form as a tree: each node above the middle of its children, no label on another."""
    layout = _lay_out(form)
    figure = blank(140 + LEVEL * layout.levels)
    for trace in _traces(layout):
        figure.add_trace(trace)
    _fit(figure, layout)
    return figure


def pair(
    forms: Sequence[Node], titles: Sequence[str], differing: Sequence[Collection[int]]
) -> go.Figure:
    """Two trees, one below the other; the nodes that differ (by number, depth-first) are marked."""
    layouts = [_lay_out(form) for form in forms]
    levels = [layout.levels + 1.6 for layout in layouts]
    figure = make_subplots(
        rows=2,
        cols=1,
        row_heights=levels,
        vertical_spacing=46 / (LEVEL * sum(levels)),
        subplot_titles=[plain(title) for title in titles],
    )
    figure.update_layout(template=TEMPLATE, height=80 + round(LEVEL * sum(levels)))
    for at, (layout, marked) in enumerate(zip(layouts, differing, strict=True), start=1):
        for trace in _traces(layout, marked):
            figure.add_trace(trace, row=at, col=1)
        _fit(figure, layout, row=at, col=1)
    figure.update_annotations(font={"size": 14}, x=0, xanchor="left")
    figure.update_layout(margin={"t": 30, "b": 10})
    return figure


def _lay_out(form: Node) -> _Layout:
    graph = nx.DiGraph()
    _grow(graph, form)
    depth = nx.single_source_shortest_path_length(graph, 0)
    for most in LABELS:
        text = {node: middle_cut(label, most) for node, label in graph.nodes(data="label")}
        room = _room(graph, text)
        if room[0] <= WIDTH:
            break
    x = {0: room[0] / 2}
    for node in nx.dfs_preorder_nodes(graph, 0):
        left = x[node] - sum(room[child] for child in graph.successors(node)) / 2
        for child in graph.successors(node):
            x[child] = left + room[child] / 2
            left += room[child]
    return _Layout(graph, x, dict(depth), text, room[0])


def _room(graph: nx.DiGraph, text: dict[int, str]) -> dict[int, float]:
    """The letters that each node's label, or all that hangs below it, take side by side."""
    room: dict[int, float] = {}
    for node in nx.dfs_postorder_nodes(graph, 0):
        below = sum(room[child] for child in graph.successors(node))
        room[node] = max(len(text[node]) + GAP, below)
    return room


def _grow(graph: nx.DiGraph, form: Node) -> None:
    """The nodes by number, depth-first; a node without a label is drawn as a dot."""
    open_nodes: list[tuple[Node, int | None]] = [(form, None)]
    while open_nodes:
        node, parent = open_nodes.pop()
        number = len(graph)
        graph.add_node(number, label=node.label or "·")
        if parent is not None:
            graph.add_edge(parent, number)
        open_nodes.extend((child, number) for child in reversed(node.children or ()))


def _traces(layout: _Layout, marked: Collection[int] | None = None) -> list[go.Scatter]:
    """Edges, then nodes: coloured by whether they are leaves or, of two trees, what is marked."""
    graph, x, depth = layout.graph, layout.x, layout.depth
    along: list[float | None] = []
    down: list[float | None] = []
    for parent, child in graph.edges:
        along += [x[parent], x[child], None]
        down += [depth[parent], depth[child] - LIFT * bool(graph.out_degree(child)), None]
    line = {"color": NEUTRAL, "width": 1.2}
    labels = graph.nodes(data="label")
    if marked is None:
        look = {"size": 9, "color": [colour(0 if graph.out_degree(n) else 1) for n in graph]}
    else:
        look = {
            "size": [12 if node in marked else 8 for node in graph],
            "color": [colour(1) if node in marked else NEUTRAL for node in graph],
            "symbol": ["diamond" if node in marked else "circle" for node in graph],
        }
    nodes = go.Scatter(
        x=[x[node] for node in graph],
        y=[depth[node] for node in graph],
        text=[plain(layout.text[node]) for node in graph],
        hovertext=[plain(label) for _, label in labels],
        hoverinfo="text",
        mode="markers+text",
        textfont={"size": 12},
        marker=look,
        textposition=["top center" if graph.out_degree(n) else "bottom center" for n in graph],
    )
    return [go.Scatter(x=along, y=down, mode="lines", line=line, hoverinfo="skip"), nodes]


def _fit(figure: go.Figure, layout: _Layout, **where: int) -> None:
    """Room for the labels on all sides."""
    spare = max(0.0, WIDTH * 0.6 - layout.width) / 2  # a small tree is not drawn out
    bottom = max(layout.depth.values()) + 0.6
    figure.update_xaxes(visible=False, range=[-spare, layout.width + spare], **where)
    figure.update_yaxes(visible=False, range=[bottom, -0.5], **where)
    figure.update_layout(showlegend=False, hovermode="closest")
