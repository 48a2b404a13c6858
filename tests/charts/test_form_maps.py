"""Maps of forms: coloured, searched, one a memory, and a search that is played."""

import numpy as np
import pandas as pd
import pytest

from core.analysis.form_accuracy import right_by_form
from core.charts import clusters as charts
from core.charts import form_maps
from tests.conftest import make_toy_tasks

TABLE = pd.DataFrame(
    {
        "form": range(4),
        "logical_form": ["a", "b", "c", "d"],
        "rows": [1, 2, 3, 4],
        "cluster": [0, 0, 1, 1],
        "x": [0.0, 1, 2, 3],
        "y": [3.0, 2, 1, 0],
    }
)


def test_forms_that_are_searched_for_stand_out_and_unknown_values_are_open():
    colouring = charts.Colouring(np.array([0, 50, np.nan, 100]), "acc (%)", 100)
    marker = charts.form_map(TABLE, colouring=colouring, matches=[1]).data[0].marker
    assert [opacity > 0.5 for opacity in marker.opacity] == [False, True, False, False]
    assert list(marker.symbol) == ["circle", "circle", "circle-open", "circle"]
    assert marker.color[2] == charts.UNKNOWN
    assert len(set(marker.color)) == 4


def test_a_map_without_distances_uses_the_width():
    assert charts.form_map(TABLE).layout.yaxis.scaleanchor == "x"
    assert charts.form_map(TABLE, unit="").layout.yaxis.scaleanchor is None


def test_each_memory_has_a_map_of_its_own_with_all_forms():
    figure = form_maps.multiples(TABLE, {"one": [0], "two": [1, 2]}, {})
    faint, held, faint_too, held_too = figure.data
    assert (list(held.x), list(held_too.x)) == ([0], [1, 2])
    assert len(faint.x) + len(held.x) == len(faint_too.x) + len(held_too.x) == 4
    assert held.marker.color != held_too.marker.color


def test_a_form_has_the_colour_of_the_first_memory_that_keeps_it():
    figure = charts.form_map(TABLE)
    charts.colour_by_memory(figure, TABLE, {"one": [0, 1], "two": [1, 2]})
    first, second, third, none = figure.data[0].marker.color
    assert first == second != third
    assert none == charts.UNKNOWN


@pytest.mark.parametrize("count", [3, 500])
def test_a_played_search_ends_with_its_memory_and_entropy(count):
    steps = pd.DataFrame({"step": range(count), "entropy": np.linspace(1, 2, count)})
    states = [[at % 4, (at + 1) % 4] for at in range(count)]
    figure = form_maps.played(TABLE, states, steps)
    assert 1 < len(figure.frames) <= form_maps.MOST_FRAMES
    rings, point = figure.frames[-1].data
    assert set(rings.x) == {float(form) for form in states[-1]}
    assert (point.x[0], point.y[0]) == (count - 1, 2)
    for axis, ends in ((figure.layout.xaxis2, (0, count - 1)), (figure.layout.yaxis2, (1, 2))):
        assert axis.range[0] < ends[0] < ends[1] < axis.range[1]
    assert [step.label for step in figure.layout.sliders[0].steps][-1] == str(count - 1)


def test_accuracy_by_form_is_that_of_the_test_rows_with_it():
    test = make_toy_tasks()[0].test
    right = [1, 0, 1, 1, 0]
    predictions = pd.DataFrame(
        {"after": [0] * 5 + [1] * 5, "row": [*range(5)] * 2, "correct": right + [0] * 5}
    )
    texts = [str(test[1].tree), "( nowhere )", str(test[0].tree)]
    shares = right_by_form(predictions, test, texts, 0)
    assert shares.tolist() == pytest.approx([0, np.nan, 1], nan_ok=True)
    assert np.nansum(right_by_form(predictions, test, texts, 1)) == 0


@pytest.mark.parametrize(
    ("up", "height"), [(0.5, 580), (0.01, form_maps.LOWEST), (1.0, form_maps.HIGHEST)]
)
def test_a_map_of_distances_is_as_high_as_fills_the_width(up, height):
    table = pd.DataFrame({"x": [0.0, 0.2, 2.0], "y": [0.0, 2 * up, up]})
    assert form_maps.height_of(table) == height
    assert form_maps.height_of(table.assign(x=0.0)) == form_maps.HIGHEST


def test_small_and_played_maps_have_a_unit_as_long_up_as_across_where_distances_have_one():
    rings = {str(n): [n] for n in range(4)}
    steps = pd.DataFrame({"step": [0, 1], "entropy": [1.0, 2.0]})
    for equal in (True, False):
        figure = form_maps.multiples(TABLE, rings, {}, equal)
        played = form_maps.played(TABLE, [[0], [1]], steps, equal)
        axes = [*figure.select_yaxes(), played.layout.yaxis]
        assert [axis.scaleanchor == axis.anchor for axis in axes] == [equal] * len(axes)
        assert played.layout.yaxis2.scaleanchor is None
    flat = form_maps.multiples(TABLE.assign(y=TABLE.y / 100), rings, {})
    assert flat.layout.height < form_maps.multiples(TABLE, rings, {}).layout.height
