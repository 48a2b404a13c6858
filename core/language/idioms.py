"""Larger idioms by tree byte-pair encoding (Iyer et al., 2019, "Learning programmatic idioms").

The most frequent pair of a parent action and the action in one of its slots is collapsed into a
single action, again and again. Idioms learned on earlier tasks are applied first, in the order in
which they were learned, and old derivations are never cut anew.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.language.derivation import HOLE, Action, Rule
from core.language.tree import Node


@dataclass(frozen=True)
class Idiom:
    """A pair to collapse: `child` in hole number `hole` of `parent`."""

    parent: Action
    hole: int
    child: Action

    @cached_property
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


def _to_tree(steps: Sequence[Rule]) -> _Derivation:
    rest = iter(steps)

    def take() -> _Derivation:
        action = next(rest).action
        return _Derivation(action, [take() for _ in action.slots])

    return take()


def _to_steps(tree: _Derivation, root: Rule) -> tuple[Rule, ...]:
    steps, open_parts = [], [(root.slot, tree)]
    while open_parts:
        slot, part = open_parts.pop()
        steps.append(Rule(slot, part.action))
        open_parts.extend(reversed(list(zip(part.action.slots, part.parts, strict=True))))
    return tuple(steps)


def _collapse(tree: _Derivation, idiom: Idiom, merged: Action) -> None:
    """Collapse every occurrence of the idiom, top down, in place."""
    while tree.action == idiom.parent and tree.parts[idiom.hole].action == idiom.child:
        tree.action = merged
        tree.parts[idiom.hole : idiom.hole + 1] = tree.parts[idiom.hole].parts
    for part in tree.parts:
        _collapse(part, idiom, merged)


_Pair = tuple[Action, int, Action]


def _pairs(tree: _Derivation) -> Iterable[_Pair]:
    for hole, part in enumerate(tree.parts):
        yield tree.action, hole, part.action
        yield from _pairs(part)


def apply(steps: Sequence[Rule], idioms: Sequence[Idiom]) -> tuple[Rule, ...]:
    """The derivation with the idioms collapsed, in their order."""
    tree = _to_tree(steps)
    for idiom in idioms:
        _collapse(tree, idiom, idiom.action)
    return _to_steps(tree, steps[0])


class _Counts:
    """How often each pair occurs in some derivations, kept up to date while they are collapsed."""

    def __init__(self, derivations: Iterable[Sequence[Rule]]) -> None:
        counted = Counter(tuple(steps) for steps in derivations)
        self._trees = [(_to_tree(steps), times) for steps, times in counted.items()]
        self._pairs: Counter[_Pair] = Counter()
        self._where: dict[_Pair, set[int]] = defaultdict(set)  # trees that have had the pair
        for number in range(len(self._trees)):
            self._count(number, 1)

    def _count(self, number: int, sign: int) -> None:
        tree, times = self._trees[number]
        for pair in _pairs(tree):
            self._pairs[pair] += sign * times
            self._where[pair].add(number)

    def best(self, min_count: int) -> Idiom | None:
        """The most frequent pair, of those the one that prints first; None below the count."""
        most = max(self._pairs.values(), default=0)
        if most < min_count:
            return None
        ties = (pair for pair, count in self._pairs.items() if count == most)
        return Idiom(*min(ties, key=lambda pair: (str(pair[0]), pair[1], str(pair[2]))))

    def collapse(self, idiom: Idiom) -> None:
        """Collapse the idiom wherever it occurs."""
        for number in self._where.pop((idiom.parent, idiom.hole, idiom.child)):
            self._count(number, -1)
            _collapse(self._trees[number][0], idiom, idiom.action)
            self._count(number, 1)


def learn(
    derivations: Iterable[Sequence[Rule]], merges: int, min_count: int = 2
) -> tuple[Idiom, ...]:
    """At most `merges` idioms of pairs that occur at least `min_count` (from 1) times.

    Ties go to the pair that prints first, so the result does not depend on hashing.
    """
    counts = _Counts(derivations)
    idioms: list[Idiom] = []
    while len(idioms) < merges and (idiom := counts.best(min_count)):
        counts.collapse(idiom)
        idioms.append(idiom)
    return tuple(idioms)
