"""What the rows of a data set are like: for an imported file's summary, and before a run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.data.base import Example, Task
from core.language.derivation import Rule

LOW_COVERAGE = 0.5  # of the test rows


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
    known = {word for row in train for word in row.words}
    words = {word for row in test for word in row.words}
    return Statistics(
        forms=len({row.logical_form for row in (*train, *rest, *test)}),
        notation=train[0].derivation[0].action.fragment.notation,
        writable=n_covered(train, test),
        unknown_words=len(words - known),
        words=len(words),
    )


def n_covered(train: Sequence[Example], test: Sequence[Example]) -> int:
    """How many test rows can be written with the actions of the training rows."""
    shown = set(_rules(train).values())
    known = {number for number, rule in _rules(test).items() if rule in shown}
    covered = {
        number for number, steps in _derivations(test).items() if known.issuperset(map(id, steps))
    }
    return sum(id(row.derivation) in covered for row in test)


def low_coverage(covered: int, n_test: int) -> str:
    """What should be known before a run learns such rows; empty where all is well."""
    if covered >= LOW_COVERAGE * n_test:
        return ""
    return (
        f"Only {covered:,} of {n_test:,} test rows can be written with the actions that the "
        "training rows show: no parser gets more of them right. Do names stand in the logical "
        "forms that training rows do not have?"
    )


def coverage_warning(tasks: Iterable[Task]) -> str:
    """The same of a run's tasks, all of them learned."""
    tasks = list(tasks)
    test = [row for task in tasks for row in task.test]
    return low_coverage(n_covered([row for task in tasks for row in task.train], test), len(test))


def _derivations(rows: Iterable[Example]) -> dict[int, tuple[Rule, ...]]:
    """The rows' derivations by identity: rows of one form share theirs."""
    return {id(row.derivation): row.derivation for row in rows}


def _rules(rows: Iterable[Example]) -> dict[int, Rule]:
    """The rules of the rows by identity: derivations share theirs."""
    return {id(rule): rule for steps in _derivations(rows).values() for rule in steps}
