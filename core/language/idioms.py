"""Larger idioms by tree byte-pair encoding (Iyer et al., 2019, "Learning programmatic idioms").

The most frequent pair of a parent action and the action in one of its slots is collapsed into a
single action, again and again. Idioms learned on earlier tasks are applied first, in the order in
which they were learned, and old derivations are never cut anew.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.language.grammar import HOLE, Action, Step
from core.language.tree import Node


@dataclass(frozen=True)
class Idiom:
    """A pair to collapse: `child` in hole number `hole` of `parent`."""

    parent: Action
    hole: int
    child: Action

    @property
    def action(self) -> Action:
        """The pair as one action."""
        holes = iter(range(len(self.parent.slots)))

        def put(node: Node) -> Node:
            if node is HOLE:
                return self.child.fragment if next(holes) == self.hole else node
            if node.children is None:
                return node
            return Node(node.label, tuple(map(put, node.children)), node.notation)

        return Action(put(self.parent.fragment))


@dataclass
class _Derivation:
    """A derivation as a tree: each action with the derivations in its slots."""

    action: Action
    parts: list["_Derivation"]


def _to_tree(steps: Sequence[Step]) -> _Derivation:
    rest = iter(steps)

    def take() -> _Derivation:
        action = next(rest).action
        return _Derivation(action, [take() for _ in action.slots])

    return take()


def _to_steps(tree: _Derivation, root: Step) -> tuple[Step, ...]:
    steps, open_parts = [], [(root.slot, tree)]
    while open_parts:
        slot, part = open_parts.pop()
        steps.append(Step(slot, part.action))
        open_parts.extend(reversed(list(zip(part.action.slots, part.parts, strict=True))))
    return tuple(steps)


def _collapse(tree: _Derivation, idiom: Idiom, merged: Action) -> None:
    """Collapse every occurrence of the idiom, top down, in place."""
    while tree.action == idiom.parent and tree.parts[idiom.hole].action == idiom.child:
        tree.action = merged
        tree.parts[idiom.hole : idiom.hole + 1] = tree.parts[idiom.hole].parts
    for part in tree.parts:
        _collapse(part, idiom, merged)


def _pairs(tree: _Derivation) -> Iterable[tuple[Action, int, Action]]:
    for hole, part in enumerate(tree.parts):
        yield tree.action, hole, part.action
        yield from _pairs(part)


def apply(steps: Sequence[Step], idioms: Sequence[Idiom]) -> tuple[Step, ...]:
    """The derivation with the idioms collapsed, in their order."""
    tree = _to_tree(steps)
    for idiom in idioms:
        _collapse(tree, idiom, idiom.action)
    return _to_steps(tree, steps[0])


def learn(
    derivations: Iterable[Sequence[Step]], merges: int, min_count: int = 2
) -> tuple[Idiom, ...]:
    """At most `merges` idioms of pairs that occur at least `min_count` times.

    Ties go to the pair that prints first, so the result does not depend on hashing.
    """
    counted = Counter(tuple(steps) for steps in derivations)
    trees = [(_to_tree(steps), times) for steps, times in counted.items()]
    idioms: list[Idiom] = []
    while len(idioms) < merges:
        pairs: Counter[tuple[Action, int, Action]] = Counter()
        for tree, times in trees:
            for pair in _pairs(tree):
                pairs[pair] += times
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], str(p[0]), p[1], str(p[2])))
        if pairs[best] < min_count:
            break
        idiom = Idiom(*best)
        for tree, _ in trees:
            _collapse(tree, idiom, idiom.action)
        idioms.append(idiom)
    return tuple(idioms)
