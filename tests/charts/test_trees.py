"""Trees are drawn as they are, and what differs between two is marked."""

from itertools import combinations

import pytest

from core.charts import trees
from core.charts.template import NEUTRAL
from core.language.tree import read


def test_a_tree_has_its_nodes_and_edges_and_parents_over_their_children():
    form = read("( f ( g x <b> ) y )", "s_expression")
    edges, nodes = trees.tree(form).data
    assert list(nodes.hovertext) == ["f", "g", "x", "&lt;b&gt;", "y"]
    assert list(nodes.y) == [0, 1, 2, 2, 1]
    f, g, x, b, y = nodes.x
    assert x < g < b <= f < y
    letters = [len(leaf) + trees.GAP for leaf in ("x", "<b>", "y")]
    assert f == sum(letters) / 2
    assert g == sum(letters[:2]) / 2
    assert [x, b - x, y - b] == [letters[0] / 2, sum(letters[:2]) / 2, sum(letters[1:]) / 2]
    assert sum(value is None for value in edges.x) == 4
    (_, alone) = trees.tree(read("x", "functional")).data
    assert list(alone.hovertext) == ["x"]


def test_two_trees_stand_one_below_the_other_with_the_marked_nodes_as_diamonds():
    gold = read("( f ( g x ) y )", "s_expression")
    parse = read("( f ( h x ) )", "s_expression")
    figure = trees.pair([gold, parse], ["Gold", "<b>"], [{1, 3}, {1}])
    _, mine, _, theirs = figure.data
    assert list(mine.marker.symbol) == ["circle", "diamond", "circle", "diamond"]
    assert [colour == NEUTRAL for colour in mine.marker.color] == [True, False, True, False]
    assert list(theirs.marker.symbol) == ["circle", "diamond", "circle"]
    assert [note.text for note in figure.layout.annotations] == ["Gold", "&lt;b&gt;"]
    assert figure.data[1].yaxis != figure.data[3].yaxis


@pytest.mark.parametrize("leaves", [3, 12, 30])
def test_no_label_stands_on_another_and_the_figure_stays_as_wide_as_it_is(leaves: int):
    below = " ".join(f"( a_rather_long_label_{n} x ( y z{n} ) )" for n in range(leaves))
    _, nodes = trees.tree(read(f"( f {below} )", "s_expression")).data
    drawn = list(zip(nodes.x, nodes.y, nodes.text, strict=True))
    for (left_x, left_y, left), (right_x, right_y, right) in combinations(drawn, 2):
        assert left_y != right_y or abs(left_x - right_x) > (len(left) + len(right)) / 2
    assert all("a_rather_long_label" in text for text in nodes.hovertext[1::4])
    if leaves < 20:
        assert max(nodes.x) <= trees.WIDTH
