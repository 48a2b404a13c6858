"""A parse beside the gold derivation, step by step, and beside the gold tree, node by node."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.language.derivation import Action, actions_to_logical_form
from core.language.grammar import Grammar
from core.language.tree import Node

SAME, WRONG, OTHER, ABSENT = "as gold", "first wrong", "not as gold", "absent"
OPEN = "…"  # stands where a parse that never ended leaves a slot open
MOST_EXTRA = 12  # lines in a row without a gold step; a parse gone astray may have dozens


@dataclass(frozen=True, eq=False)
class Alignment:
    """A row's parses beside its gold steps: a line for each gold step and for what is too much.

    `texts` has the columns step (from 1, missing where the line has no gold step), gold and, for
    each task after which it was parsed, the parse's action there; `marks` the same columns of
    tasks with SAME, WRONG (its first wrong step), OTHER or ABSENT.
    """

    texts: pd.DataFrame
    marks: pd.DataFrame


def align(gold: Sequence[str], parses: Mapping[int, Sequence[str]]) -> Alignment:
    """Parses (by the task after which) and gold, texts of actions, on common lines.

    Up to a parse's first wrong step both are the same, and that step stands beside the gold one;
    what follows is matched as difflib does. Of more than MOST_EXTRA actions in a row that stand
    beside no gold step, the last line says how many are left out.
    """
    paired = {after: _pair(gold, parse) for after, parse in parses.items()}
    extra = [
        max((len(between[at]) for _, between in paired.values()), default=0)
        for at in range(len(gold) + 1)
    ]
    lines: list[dict[Any, Any]] = []
    for at in range(len(gold) + 1):
        for number in range(extra[at]):
            rest = {k: b[at][number] if number < len(b[at]) else "" for k, (_, b) in paired.items()}
            lines.append({"step": None, "gold": ""} | rest)
        if at < len(gold):
            actions = {k: beside[at] for k, (beside, _) in paired.items()}
            lines.append({"step": at + 1, "gold": gold[at]} | actions)
    texts = pd.DataFrame(lines, columns=["step", "gold", *parses]).astype({"step": "Int64"})
    marks = pd.DataFrame({k: list(_marks(texts.gold, texts[k])) for k in parses})
    return Alignment(texts, marks)


def _pair(gold: Sequence[str], parse: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """What of the parse stands beside each gold step ("" for nothing), and before each (and last,
    after all) what stands beside none.
    """
    same = next(
        (t for t, (g, p) in enumerate(zip(gold, parse, strict=False)) if g != p),
        min(len(gold), len(parse)),
    )
    beside = [*parse[: same + 1], *[""] * len(gold)][: len(gold)]
    between: list[list[str]] = [[] for _ in range(len(gold) + 1)]
    start = same + 1
    if same >= len(gold):
        between[len(gold)] = _cut(list(parse[same:]))
        return beside, between
    matcher = difflib.SequenceMatcher(None, gold[start:], parse[start:], autojunk=False)
    for _, i, j, p, q in matcher.get_opcodes():
        run = list(parse[start + p : start + q])
        for number, text in enumerate(run[: j - i]):
            beside[start + i + number] = text
        between[start + j] += _cut(run[j - i :])
    return beside, between


def _cut(texts: list[str]) -> list[str]:
    surplus = len(texts) - MOST_EXTRA
    return texts if surplus <= 0 else [*texts[: MOST_EXTRA - 1], f"… and {surplus + 1} more"]


def _marks(gold: pd.Series, parse: pd.Series) -> Iterator[str]:
    wrong = False
    for expected, text in zip(gold, parse, strict=True):
        if expected and text == expected:
            yield SAME
        elif not wrong and (expected or text):
            wrong = True
            yield WRONG
        else:
            yield OTHER if text else ABSENT


def written(grammar: Grammar, numbers: Sequence[int]) -> Node:
    """The tree that a parse writes; where it never came to an end, OPEN stands for what is open."""
    actions = [grammar.actions[number] for number in numbers]
    n_open = 1 + sum(len(action.slots) - 1 for action in actions)
    return actions_to_logical_form([*actions, *[Action(Node(OPEN))] * n_open])


def differing_nodes(gold: Node, parse: Node) -> tuple[frozenset[int], frozenset[int]]:
    """The nodes of each tree that the other does not have there, by number, depth-first from 0.

    Nodes are held against one another from the root down, child by child; below a label that is
    not the same, children are still compared where there are as many.
    """
    in_gold: set[int] = set()
    in_parse: set[int] = set()

    def walk(a: Node | None, b: Node | None, at: tuple[int, int]) -> tuple[int, int]:
        """Mark what differs from these nodes on; returns the numbers that follow."""
        first, second = at
        alike = a is not None and b is not None and a.label == b.label
        if a is not None:
            in_gold.update([] if alike else [first])
            first += 1
        if b is not None:
            in_parse.update([] if alike else [second])
            second += 1
        below_a = a.children or () if a is not None else ()
        below_b = b.children or () if b is not None else ()
        compared = len(below_a) == len(below_b) or alike
        for number in range(max(len(below_a), len(below_b))):
            left = below_a[number] if number < len(below_a) else None
            right = below_b[number] if number < len(below_b) else None
            if compared:
                first, second = walk(left, right, (first, second))
            else:
                first, _ = walk(left, None, (first, second))
                _, second = walk(None, right, (first, second))
        return first, second

    walk(gold, parse, (0, 0))
    return frozenset(in_gold), frozenset(in_parse)
