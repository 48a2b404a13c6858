from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.base import FormReader
from core.language.tree import Node, read
from core.similarity import productions as module
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.productions import ProductionSimilarity, productions

LABELS = st.sampled_from(["a", "b", "c", ""])
LEAVES = st.builds(Node, st.sampled_from(["a", "b", "c"]))
TREES = st.recursive(
    LEAVES,
    lambda below: st.builds(Node, LABELS, st.lists(below, max_size=3).map(tuple)),
    max_leaves=12,
)


def slow_similarity(left: Node, right: Node) -> float:
    """The formula of the paper's release, walked production by production."""
    mine, theirs = list(productions(left).elements()), list(productions(right).elements())
    shared = sum(p in theirs for p in mine) + sum(p in mine for p in theirs)
    return shared / (len(mine) + len(theirs))


def test_productions_are_the_internal_nodes_with_their_childrens_labels():
    tree = read("( f ( g x ) ( f ( g x ) y ) )", "s_expression")
    assert productions(tree) == Counter(
        {("f", ("g", "f")): 1, ("g", ("x",)): 2, ("f", ("g", "y")): 1}
    )


def test_repeats_count_from_the_side_that_repeats():
    once = read("( f ( g x ) )", "s_expression")  # f(g), g(x)
    twice = read("( h ( g x ) ( g x ) )", "s_expression")  # h(g, g), g(x), g(x)
    table = all_pairs(ProductionSimilarity([once, twice]))
    assert table[0, 1] == pytest.approx((1 + 2) / (2 + 3))


def test_a_bare_token_is_like_itself_only():
    bare, other_token, empty = Node("x"), Node("y"), Node("x", ())
    table = all_pairs(ProductionSimilarity([bare, other_token, empty]))
    assert table.tolist() == np.eye(3).tolist()


@given(st.lists(TREES, min_size=1, max_size=6))
def test_all_pairs_equal_the_pairs_one_by_one(trees: list[Node]):
    table = all_pairs(ProductionSimilarity(trees))
    expected = [[slow_similarity(left, right) for right in trees] for left in trees]
    np.testing.assert_allclose(table, expected, rtol=1e-6)


@given(st.lists(TREES, min_size=1, max_size=6), st.data())
def test_a_block_is_that_part_of_the_whole(trees: list[Node], data: st.DataObject):
    numbers = st.lists(st.integers(0, len(trees) - 1), max_size=5)
    rows, columns = np.array(data.draw(numbers), int), np.array(data.draw(numbers), int)
    similarity = ProductionSimilarity(trees)
    block = similarity.between(rows, columns)
    assert (block == all_pairs(similarity)[np.ix_(rows, columns)]).all()


def test_small_blocks_give_the_same_bits(monkeypatch: pytest.MonkeyPatch):
    trees = [read(f"( f ( g x{i % 7} ) y{i % 3} )", "s_expression") for i in range(20)]
    whole = all_pairs(ProductionSimilarity(trees))
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)  # one row at a time
    assert (all_pairs(ProductionSimilarity(trees)) == whole).all()


@pytest.mark.data
def test_real_forms_equal_the_pairs_one_by_one(real_data: Path):
    read_row = FormReader().example
    lines = (real_data / "overnight/calendar_train.tsv").read_text(encoding="utf-8").splitlines()
    forms = distinct_forms([read_row(*line.split("\t")) for line in lines])
    table = all_pairs(ProductionSimilarity(forms.trees))
    assert len(forms) == 192
    some = np.random.default_rng(0).choice(len(forms), 40, replace=False)
    expected = [[slow_similarity(forms.trees[i], forms.trees[j]) for j in some] for i in some]
    np.testing.assert_allclose(table[np.ix_(some, some)], expected, rtol=1e-6)
