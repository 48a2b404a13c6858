"""Logical forms as sequences of actions, and back.

A parser writes a logical form depth-first, left to right. Each step fills the leftmost open slot
with an action: either a label with so many child slots, or a ground fragment, a piece of tree with
nothing left to fill.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from core.language.tree import Node, hashed_once


@hashed_once
@dataclass(frozen=True)
class Slot:
    """Where a node hangs: its parent's label, arity and the index among the children."""

    parent: str | None  # None: the slot of the whole form
    arity: int
    index: int

    def __str__(self) -> str:
        return "ROOT" if self.parent is None else f"{self.parent}/{self.arity}[{self.index}]"


ROOT = Slot(None, 1, 0)


class _Hole(Node):
    """The one hole: recognised by identity, unequal to a label "_", the same after a copy."""

    def __reduce__(self) -> str:
        return "HOLE"


HOLE = _Hole("_")


@hashed_once
@dataclass(frozen=True)
class Action:
    """A piece of tree whose holes are the slots that it opens; without holes it is ground."""

    fragment: Node

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The child slots, left to right; empty for a ground fragment."""
        return tuple(_holes(self.fragment))

    @cached_property
    def name(self) -> str:
        return f"GEN {self.fragment}" if not self.slots else str(self.fragment)

    def __str__(self) -> str:
        return self.name


def _holes(node: Node) -> Iterator[Slot]:
    children = node.children or ()
    for index, child in enumerate(children):
        if child is HOLE:
            yield Slot(node.label, len(children), index)
        else:
            yield from _holes(child)


@hashed_once
@dataclass(frozen=True)
class Rule:
    """One step of a derivation: the slot and the action that fills it."""

    slot: Slot
    action: Action


def logical_form_to_derivation(node: Node) -> tuple[Rule, ...]:
    """The derivation of a form, depth-first, left to right; ground nodes are one action."""
    steps, open_nodes = [], [(ROOT, node)]
    while open_nodes:
        slot, node = open_nodes.pop()
        if node.is_ground:
            steps.append(_ground_rule(slot, node))
            continue
        children = node.children or ()
        rule = _expansion_rule(slot, node.label, len(children), node.notation)
        steps.append(rule)
        open_nodes.extend(zip(reversed(rule.action.slots), reversed(children), strict=True))
    return tuple(steps)


@lru_cache(maxsize=1 << 17)
def _ground_rule(slot: Slot, node: Node) -> Rule:
    return Rule(slot, Action(node))


@lru_cache(maxsize=1 << 14)
def _expansion_rule(slot: Slot, label: str, arity: int, notation: str) -> Rule:
    return Rule(slot, expansion(label, arity, notation))


@lru_cache(maxsize=4096)
def expansion(label: str, arity: int, notation: str) -> Action:
    """The action that writes a label and opens so many slots below it."""
    return Action(Node(label, (HOLE,) * arity, notation))


def actions_to_logical_form(actions: Sequence[Action]) -> Node:
    """The form that the actions write; ValueError where slots stay open or actions are left."""
    n_open = 1
    for number, action in enumerate(actions):
        if not n_open:
            left = len(actions) - number
            raise ValueError(f"the logical form is complete, yet {left} more actions follow.")
        n_open += len(action.slots) - 1
    if n_open:
        raise ValueError("the action sequence ends while slots are still open.")
    written: list[Node] = []  # from the last action back, so that no depth is too great
    for action in reversed(actions):
        written.append(_filled(action.fragment, written))
    return written.pop()


def _filled(node: Node, parts: list[Node]) -> Node:
    """The node with its holes filled, left to right, from the end of `parts`."""
    if node is HOLE:
        return parts.pop()
    if node.children is None:
        return node
    return Node(node.label, tuple(_filled(child, parts) for child in node.children), node.notation)
