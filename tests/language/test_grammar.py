"""Derivations are lossless and leftmost; the grammar's tables are what the rows show."""

import copy
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.derivation import (
    HOLE,
    ROOT,
    Action,
    Rule,
    Slot,
    actions_to_logical_form,
    logical_form_to_derivation,
)
from core.language.grammar import NEVER, Grammar
from core.language.notations.base import detect
from core.language.tree import Node, read
from core.paths import PROJECT
from tests.language.trees import PROPERTY, TREES

S, F = "s_expression", "functional"

TASKS = [
    ["( list ( all song ) )", "( list ( only ( all song ) ( live yes ) ) )"],
    ["( count ( all film ) )", "( list ( only ( all film ) ( long yes ) ) )"],
    ["( list ( all song ) )", "( count ( only ( all film ) ( live yes ) ) )"],
]


def derive(text: str, notation: str = S) -> tuple[Rule, ...]:
    return logical_form_to_derivation(read(text, notation))


@pytest.fixture
def grammar() -> Grammar:
    return Grammar([[derive(text) for text in rows] for rows in TASKS])


@PROPERTY
@given(TREES)
def test_deriving_is_the_inverse_of_writing_the_actions_out(tree: Node) -> None:
    steps = logical_form_to_derivation(tree)
    assert actions_to_logical_form([step.action for step in steps]) == tree


@PROPERTY
@given(TREES)
def test_each_step_fills_the_leftmost_open_slot(tree: Node) -> None:
    open_slots = [ROOT]
    for step in logical_form_to_derivation(tree):
        assert step.slot == open_slots.pop(0)
        open_slots = [*step.action.slots, *open_slots]
    assert not open_slots


def nodes_to_act_on(tree: Node) -> Iterator[Node]:
    """The nodes that take an action of their own, by the definition in words."""
    yield tree
    if any(child.children is not None for child in tree.children or ()):
        for child in tree.children:
            yield from nodes_to_act_on(child)


@PROPERTY
@given(TREES)
def test_a_derivation_has_a_step_for_each_node_outside_ground_fragments(tree: Node) -> None:
    assert len(logical_form_to_derivation(tree)) == len(list(nodes_to_act_on(tree)))


@pytest.mark.parametrize(
    ("text", "notation", "actions"),
    [
        (
            "( filter ( all x ) ( string < ) 3 )",
            S,
            ["( filter _ _ _ )", "GEN ( all x )", "GEN ( string < )", "GEN 3"],
        ),
        (
            "query ( nwr ( keyval ( 'name' , 'Bad ( A )' ) ) , qtype ( least ( topx ( 1 ) ) ) )",
            F,
            [
                "query ( _ , _ )",
                "nwr ( _ )",
                "GEN keyval ( 'name' , 'Bad ( A )' )",
                "qtype ( _ )",
                "least ( _ )",
                "GEN topx ( 1 )",
            ],
        ),
        (
            "( ( lambda s ( f s ) ) x )",
            S,
            ["( _ _ )", "( lambda _ _ )", "GEN s", "GEN ( f s )", "GEN x"],
        ),
        ("x", S, ["GEN x"]),
    ],
)
def test_actions_print_as_in_the_paper(text: str, notation: str, actions: list[str]) -> None:
    assert [str(step.action) for step in derive(text, notation)] == actions


def test_slots_are_named_by_parent_arity_and_place() -> None:
    slots = [str(step.slot) for step in derive("( f ( g ( h x ) y ) z )")]
    assert slots == ["ROOT", "f/2[0]", "g/2[0]", "g/2[1]", "f/2[1]"]


def test_a_label_that_looks_like_a_hole_is_none() -> None:
    ground, opening = derive("( f _ )"), derive("( f ( g ( h x ) ) )")
    assert ground[0].action != opening[0].action
    assert len(ground) == 1
    assert not ground[0].action.slots
    both = Grammar([[ground, opening]])
    assert len(both.actions) == 4
    for steps in (ground, opening, derive("( f _ ( g x ) )")):
        again = actions_to_logical_form([step.action for step in steps])
        assert logical_form_to_derivation(again) == steps


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_a_copied_action_keeps_its_holes(copied) -> None:
    action = derive("( f ( g x ) y )")[0].action
    again = copied(Action(action.fragment))
    assert again == action
    assert again.slots == (Slot("f", 2, 0), Slot("f", 2, 1))
    assert copied(HOLE) is HOLE


def test_an_action_from_another_process_is_found_in_a_table() -> None:
    code = (
        "import pickle, sys\n"
        "from core.language.derivation import logical_form_to_derivation\n"
        "from core.language.tree import read\n"
        "steps = logical_form_to_derivation(read('( f ( g x ) y )', 's_expression'))\n"
        "hash(steps)\n"
        "sys.stdout.buffer.write(pickle.dumps(steps))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "5"}  # texts hash otherwise than here
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, env=env, check=True, capture_output=True
    )
    table = {step: True for step in derive("( f ( g x ) y )")}
    assert all(step in table for step in pickle.loads(done.stdout))


def test_action_sequences_that_do_not_fit_are_refused() -> None:
    actions = [step.action for step in derive("( f ( g x ) y )")]
    with pytest.raises(ValueError, match="slots are still open"):
        actions_to_logical_form(actions[:-1])
    with pytest.raises(ValueError, match="1 more actions follow"):
        actions_to_logical_form([*actions, actions[-1]])
    with pytest.raises(ValueError, match="slots are still open"):
        actions_to_logical_form([])


@pytest.mark.parametrize(("text", "opening"), [("( f x )", "( f "), ("f ( x )", "f ( ")])
def test_a_form_far_deeper_than_data_hold_is_written(text: str, opening: str) -> None:
    """A parser that repeats one action writes such forms; Python's own stack would not do."""
    notation = detect([text])
    outer, inner = derive(opening + text + " )", notation)
    form = actions_to_logical_form([outer.action] * 5000 + [inner.action])
    assert str(form) == opening * 5000 + text + " )" * 5000


def test_applicable_actions_are_those_seen_so_far_in_the_slot(grammar: Grammar) -> None:
    for k in range(len(TASKS)):
        seen = [step for rows in TASKS[: k + 1] for text in rows for step in derive(text)]
        for slot in grammar.slots:
            expected = {step.action for step in seen if step.slot == slot}
            assert set(grammar.applicable(slot, k)) == expected
        known = {step.action for step in seen}
        assert {grammar.actions[i] for i in np.flatnonzero(grammar.known(k))} == known


def test_unseen_and_specific_actions_follow_from_which_tasks_show_them(grammar: Grammar) -> None:
    shown = [{step.action for text in rows for step in derive(text)} for rows in TASKS]
    for k in range(len(TASKS)):
        earlier = set().union(*shown[:k])
        unseen = {grammar.actions[i] for i in np.flatnonzero(grammar.unseen(k))}
        assert unseen == shown[k] - earlier
        for j in range(k + 1):
            elsewhere = set().union(*(shown[i] for i in range(k + 1) if i != j))
            row = grammar.specific_to(k)[j]
            assert {grammar.actions[i] for i in np.flatnonzero(row)} == shown[j] - elsewhere


def test_counts_are_of_every_occurrence() -> None:
    row = derive("( f ( g x ) ( g x ) )")
    grammar = Grammar([[row, row], [row]])
    action_id = grammar.action_ids[row[1].action]
    assert grammar.counts[:, action_id].tolist() == [4, 2]


def test_encoding_gives_the_numbers_back(grammar: Grammar) -> None:
    steps = derive(TASKS[1][1])
    slots, actions = grammar.encode(steps)
    assert [grammar.slots[i] for i in slots] == [step.slot for step in steps]
    assert [grammar.actions[i] for i in actions] == [step.action for step in steps]


@pytest.mark.parametrize(
    "text",
    [
        "( list ( all ship ) )",  # an unseen action
        "( all song )",  # known, but not at the root
        "( list ( all song ) ( all song ) )",  # an unseen slot
    ],
)
def test_what_training_does_not_show_has_no_encoding(grammar: Grammar, text: str) -> None:
    assert grammar.encode(derive(text)) is None
    assert grammar.first_writable_task(derive(text)) == NEVER


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (TASKS[0][1], 0),
        (TASKS[1][0], 1),
        ("( list ( all film ) )", NEVER),
        ("( list ( only ( all film ) ( live yes ) ) )", 1),
        ("( count ( only ( all song ) ( live yes ) ) )", 2),
    ],
)
def test_a_form_is_first_known_after_the_last_task_that_it_needs(
    grammar: Grammar, text: str, first: int
) -> None:
    assert grammar.first_writable_task(derive(text)) == first


def ways(grammar: Grammar, slot: Slot, node: Node) -> int:
    """In how many ways the grammar's actions write a node into a slot, by trying them all."""
    count = 0
    for action in grammar.applicable(slot, NEVER - 1) if slot in grammar.slot_ids else ():
        if action.fragment == node:
            count += 1
        elif action.slots and str(action) == str(
            logical_form_to_derivation(wrapped(node))[0].action
        ):
            count += math.prod(map(partial(ways, grammar), action.slots, node.children))
    return count


def wrapped(node: Node) -> Node:
    """The node with children that are no leaves, so that its derivation begins with its label."""
    inner = Node("x", (Node("x", None, node.notation),), node.notation)
    return Node(node.label, (inner,) * len(node.children or ()), node.notation)


FEW_WORDS = st.recursive(
    st.builds(Node, st.sampled_from("ab")),
    lambda below: st.builds(
        Node, st.sampled_from("fg"), st.lists(below, min_size=1, max_size=2).map(tuple)
    ),
    max_leaves=5,
)


@PROPERTY
@given(st.lists(FEW_WORDS, min_size=1, max_size=8))
def test_a_form_said_to_be_written_one_way_has_no_other(trees: list[Node]) -> None:
    grammar = Grammar([[logical_form_to_derivation(tree) for tree in trees]])
    for tree in trees:
        count = ways(grammar, ROOT, tree)
        assert count >= 1
        if grammar.writes_one_way(logical_form_to_derivation(tree)):
            assert count == 1


def test_a_ground_fragment_whose_parts_are_known_too_is_written_in_two_ways() -> None:
    texts = ["( f a b )", "( f ( g a ) b )", "( f a ( g b ) )"]
    grammar = Grammar([[derive(text) for text in texts]])
    assert ways(grammar, ROOT, read(texts[0], S)) == 2
    assert not grammar.writes_one_way(derive(texts[0]))
    assert grammar.writes_one_way(derive(texts[1]))
    assert Grammar([[derive(text) for text in texts[:2]]]).writes_one_way(derive(texts[0]))
