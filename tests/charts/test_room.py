"""The room around a figure: wider where more stands there, and no more than once."""

import math

import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from core.charts.cells import diverging, heat
from core.charts.room import make_room
from core.charts.template import blank


def margins(figure: go.Figure) -> dict[str, float]:
    return {side: figure.layout.margin[side] for side in "lrtb"}


def named(names: list[str], title: str = "") -> go.Figure:
    figure = blank().add_trace(go.Scatter(x=list(range(len(names))), y=list(range(len(names)))))
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=names)
    return figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=names, title_text=title or None
    )


def test_names_and_a_title_beside_the_axis_widen_its_margin():
    short, long = (margins(make_room(named([word] * 3)))["l"] for word in ("ab", "ab" * 10))
    titled = margins(make_room(named(["ab"] * 3, "a title")))["l"]
    assert short < titled < long


def test_names_below_lie_flat_then_slanted_then_upright():
    names = ["1 · basketball"] * 8
    flat, slanted, upright = (
        margins(make_room(named(names), width))["b"] for width in (1050, 400, 200)
    )
    assert flat < slanted < upright
    longest = (upright - slanted) / (1 - math.sin(math.radians(30)))
    assert 4 * len(names[0]) < longest < 7 * len(names[0])


def test_categories_count_as_names():
    drawn = blank().add_trace(go.Box(y=["a group with a long name"] * 2, x=[1, 2]))
    plain = blank().add_trace(go.Box(y=[1.0, 2.0], x=[1, 2]))
    assert margins(make_room(drawn))["l"] > margins(make_room(plain))["l"] + 50


def test_a_bar_of_colours_stands_on_the_right():
    without = margins(make_room(named(["a"])))["r"]
    untitled, titled = (
        margins(make_room(blank().add_trace(heat([[0.5]], title))))["r"] for title in ("", "P")
    )
    assert without == 0 < untitled < titled
    hidden = blank().add_trace(diverging([[0.5]], "points", 1, showscale=False))
    assert margins(make_room(hidden))["r"] == 0


def legend(names: list[str], groups: list[str] | None = None, width: float = 1050) -> float:
    figure = blank()
    for at, name in enumerate(names):
        group = groups[at] if groups else None
        figure.add_trace(go.Scatter(x=[1], y=[1], name=name, legendgroup=group))
    return margins(make_room(figure, width))["t"]


def test_a_legend_has_as_many_lines_as_its_width_asks_for():
    short, long = legend(["a name"] * 2), legend(["a name" * 5] * 6)
    assert legend(["alone"]) == blank().layout.template.layout.margin.t
    assert short < long == legend(["a name" * 5] * 6, width=1000)
    assert long < legend(["a name" * 5] * 6, width=400)
    grouped = legend(["a name"] * 4, ["one", "one", "other", "other"])
    assert grouped == pytest.approx(long)


def test_room_is_made_once_and_never_less_than_was_asked_for():
    figure = named(["one", "two"]).update_layout(margin={"b": 200, "t": 90})
    first = margins(make_room(figure))
    assert (first["b"], first["t"]) == (200, 90)
    assert margins(make_room(figure)) == first
    cells = blank().add_trace(heat([[0.5]], "P")).update_layout(margin={"t": 70, "b": 20})
    assert margins(make_room(cells))["t"] == 70


def test_names_above_take_their_room_above():
    drawn = [named(["a long name"] * 30).update_layout(margin={"b": 20}) for _ in range(2)]
    drawn[1].update_xaxes(side="top")
    below, above = (margins(make_room(figure)) for figure in drawn)
    assert above["t"] == below["b"] > 50
    assert above["b"] == 20


def test_figures_of_several_axes_are_left_alone():
    several = make_subplots(1, 2).update_layout(margin={"l": 3})
    assert margins(make_room(several))["l"] == 3
