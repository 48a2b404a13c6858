"""What an imported file holds, for its summary."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.data.base import Example, Task
from core.language.derivation import Rule


@dataclass(frozen=True)
class Statistics:
    """What the rows of some tasks are like; fields as in `Upload`."""

    forms: int
    notation: str
    writable: int
    unknown_words: int
    words: int


def statistics(tasks: Iterable[Task]) -> Statistics:
    """Over all tasks together, as a parser that has learned them all sees them."""
    train = [row for task in tasks for row in task.train]
    test = [row for task in tasks for row in task.test]
    rest = [row for task in tasks for row in task.valid]
    shown = set(_rules(train).values())
    known_rules = {number for number, rule in _rules(test).items() if rule in shown}
    writable = {
        number
        for number, steps in _derivations(test).items()
        if known_rules.issuperset(map(id, steps))
    }
    known = {word for row in train for word in row.words}
    words = {word for row in test for word in row.words}
    return Statistics(
        forms=len({row.logical_form for row in (*train, *rest, *test)}),
        notation=train[0].derivation[0].action.fragment.notation,
        writable=sum(id(row.derivation) in writable for row in test),
        unknown_words=len(words - known),
        words=len(words),
    )


def _derivations(rows: Iterable[Example]) -> dict[int, tuple[Rule, ...]]:
    """The rows' derivations by identity: rows of one form share theirs."""
    return {id(row.derivation): row.derivation for row in rows}


def _rules(rows: Iterable[Example]) -> dict[int, Rule]:
    """The rules of the rows by identity: derivations share theirs."""
    return {id(rule): rule for steps in _derivations(rows).values() for rule in steps}
