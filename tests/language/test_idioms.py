"""Idioms: lossless, never longer, the most frequent pair first, old derivations left alone."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.derivation import Rule, actions_to_logical_form, logical_form_to_derivation
from core.language.idioms import apply, learn
from core.language.tree import Node, read
from tests.language.trees import FUNCTIONAL_TERMS, PROPERTY, S_EXPRESSIONS

FORMS = [
    "( list ( only ( all song ) ( long ( very yes ) ) ) )",
    "( list ( only ( all song ) ( live ( very no ) ) ) )",
    "( list ( only ( all film ) ( long ( very yes ) ) ) )",
    "( count ( only ( all film ) ( long ( very no ) ) ) )",
]
FORESTS = st.one_of(
    st.lists(S_EXPRESSIONS, min_size=1, max_size=6),
    st.lists(FUNCTIONAL_TERMS, min_size=1, max_size=6),
)


def derive(text: str) -> tuple[Rule, ...]:
    return logical_form_to_derivation(read(text, "s_expression"))


def written(steps: tuple[Rule, ...]) -> Node:
    return actions_to_logical_form([step.action for step in steps])


@PROPERTY
@given(FORESTS, st.integers(0, 5))
def test_idioms_lose_nothing_and_never_lengthen(trees: list[Node], merges: int) -> None:
    rows = [logical_form_to_derivation(tree) for tree in trees]
    idioms = learn(rows, merges)
    assert len(idioms) <= merges
    for tree, steps in zip(trees, rows, strict=True):
        cut = apply(steps, idioms)
        assert written(cut) == tree
        assert len(cut) <= len(steps)


@PROPERTY
@given(FORESTS, st.integers(1, 5))
def test_each_idiom_shortens_what_it_was_learned_from(trees: list[Node], merges: int) -> None:
    rows = [logical_form_to_derivation(tree) for tree in trees]
    idioms = learn(rows, merges)
    total = sum(map(len, rows))
    for number in range(len(idioms)):
        shorter = sum(len(apply(steps, idioms[: number + 1])) for steps in rows)
        assert shorter < total
        total = shorter


@PROPERTY
@given(FORESTS)
def test_every_step_stays_in_the_leftmost_open_slot(trees: list[Node]) -> None:
    rows = [logical_form_to_derivation(tree) for tree in trees]
    for steps in rows:
        open_slots = [steps[0].slot]
        for step in apply(steps, learn(rows, 4)):
            assert step.slot == open_slots.pop(0)
            open_slots = [*step.action.slots, *open_slots]
        assert not open_slots


def pairs(tree: Node) -> Counter:
    """Pairs of a node's own action and a child's, counted on the tree itself."""
    counts: Counter = Counter()
    if tree.is_ground:
        return counts
    shape = (tree.label, len(tree.children))
    for position, child in enumerate(tree.children):
        key = str(child) if child.is_ground else (child.label, len(child.children))
        counts[shape, position, key] += 1
        counts += pairs(child)
    return counts


def test_the_first_idiom_is_the_most_frequent_pair() -> None:
    counted = sum((pairs(read(text, "s_expression")) for text in FORMS), Counter())
    (idiom,) = learn(map(derive, FORMS), 1)
    fragment, child = idiom.parent.fragment, idiom.child.fragment
    child_key = (child.label, len(child.children)) if idiom.child.slots else str(child)
    key = ((fragment.label, len(fragment.children)), idiom.hole, child_key)
    assert counted[key] == max(counted.values())
    before = sum(len(derive(text)) for text in FORMS)
    after = sum(len(apply(derive(text), [idiom])) for text in FORMS)
    assert before - after == counted[key]


@PROPERTY
@given(FORESTS, st.integers(1, 6), st.integers(1, 3))
def test_each_idiom_is_the_most_frequent_pair_of_what_the_ones_before_have_left(
    trees: list[Node], merges: int, min_count: int
) -> None:
    rows = [logical_form_to_derivation(tree) for tree in trees]
    idioms = learn(rows, merges, min_count)
    for number in range(len(idioms) + 1):
        counted = sum((pairs_of(apply(steps, idioms[:number])) for steps in rows), Counter())
        most = max(counted.values(), default=0)
        if number == len(idioms):
            assert number == merges or most < min_count
        else:
            idiom = idioms[number]
            assert counted[idiom.parent, idiom.hole, idiom.child] == most >= min_count


def pairs_of(steps: tuple[Rule, ...]) -> Counter:
    """Pairs of an action and the one in a slot of it, counted with a stack of open slots."""
    counts: Counter = Counter()
    open_slots: list = [None]
    for step in steps:
        above = open_slots.pop()
        if above is not None:
            counts[(*above, step.action)] += 1
        positions = range(len(step.action.slots))
        open_slots += [(step.action, position) for position in reversed(positions)]
    return counts


def test_repeated_rows_count_as_often_as_they_stand() -> None:
    rare, frequent = derive("( a ( b x ) y )"), derive("( c ( d x ) y )")
    (idiom,) = learn([rare, rare, frequent, frequent, frequent], 1)
    assert str(idiom.action).startswith("( c")


def test_pairs_below_the_count_are_left() -> None:
    rows = [derive("( a ( b x ) y )")] * 2
    assert learn(rows, 10, min_count=3) == ()
    assert learn(rows, 10, min_count=2)
    assert learn([], 10) == ()


def test_a_later_task_does_not_cut_old_derivations_anew() -> None:
    old = [derive(text) for text in FORMS[:2]]
    first = learn(old, 2)
    cut = [apply(steps, first) for steps in old]
    new = [apply(derive(text), first) for text in FORMS[2:]]
    second = learn(new, 3, min_count=1)
    assert second
    assert [apply(steps, first) for steps in old] == cut
    for steps in new:  # the new idioms build on derivations that the first have cut
        assert written(apply(steps, second)) == written(steps)


def test_learning_twice_gives_the_same_idioms_in_the_same_order() -> None:
    rows = [derive(text) for text in FORMS]
    assert learn(rows, 6) == learn(rows, 6)


def test_a_chain_of_one_action_is_collapsed_once_a_pair() -> None:
    steps = derive("( n ( n ( n ( n ( n x ) ) ) ) )")
    (idiom,) = learn([steps], 1)
    cut = apply(steps, [idiom])
    assert len(cut) == 3  # four open nodes make two pairs, and the ground one stays
    assert written(cut) == written(steps)


@pytest.mark.parametrize("text", ["x", "( f x )"])
def test_a_derivation_of_one_step_stays(text: str) -> None:
    idioms = learn([derive(form) for form in FORMS], 5)
    assert apply(derive(text), idioms) == derive(text)
