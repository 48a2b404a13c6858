"""What an imported file holds, for its summary."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.data.base import Example, Task


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
    shown = {rule for steps in _derivations(train) for rule in steps}
    writable = {id(steps) for steps in _derivations(test) if shown.issuperset(steps)}
    known = {word for row in train for word in row.words}
    words = {word for row in test for word in row.words}
    return Statistics(
        forms=len({row.logical_form for row in (*train, *rest, *test)}),
        notation=train[0].derivation[0].action.fragment.notation,
        writable=sum(id(row.derivation) in writable for row in test),
        unknown_words=len(words - known),
        words=len(words),
    )


def _derivations(rows: Iterable[Example]) -> Iterable[tuple]:
    """The rows' derivations, each object once: rows of one form share theirs."""
    return {id(row.derivation): row.derivation for row in rows}.values()
