"""What a run records beside accuracy: everything, or as much as a share of its training pays for.

The share is kept by counts of work that are known before the run starts, never by the clock: equal
configurations record the same. Where everything costs more, errors are measured after fewer
epochs, then on fewer examples, then fewer tasks are looked at, in turn, for as long as it takes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig

SCORING_WORK = 0.3  # an example whose gold steps are scored, in examples trained on (measured)
CALL_WORK = 4.0  # what a batch costs that is scored and written down, however few examples it has
LEAST_ERROR_ROWS, LEAST_ROWS = 5, 20
_WORTH = 0.98  # a reduction that leaves more of the cost than this is passed over


@dataclass(frozen=True)
class RecordingPlan:
    """Which examples of which tasks are looked at, and when."""

    error_rows: int  # examples of each task and split whose error is measured; 0: none
    epochs_between: int  # errors after every so manieth epoch of a stage, and after its last
    rows: int  # examples of each task at most whose actions and predictions are recorded
    tasks: tuple[int, ...]  # looked at again after each later task; the newest always is
    actions: bool
    predictions: bool

    def looked_at(self, k: int) -> tuple[int, ...]:
        """The tasks whose examples are looked at while task k is the newest."""
        return (*(i for i in self.tasks if i < k), k)

    def measures(self, epoch: int, epochs: int) -> bool:
        """Whether errors follow this epoch (from 0) of a stage of so many."""
        last = epoch + 1 == epochs
        return self.error_rows > 0 and (last or (epoch + 1) % self.epochs_between == 0)

    def n_measured(self, epochs: int) -> int:
        """How many of a stage's epochs are followed by errors."""
        return sum(self.measures(epoch, epochs) for epoch in range(epochs))

    def indices(self, n: int) -> NDArray[np.int64]:
        """Which of n examples have their actions and predictions recorded: as many, evenly."""
        return np.linspace(0, n - 1, min(n, self.rows)).round().astype(np.int64)


@dataclass(frozen=True)
class RecordingCosts:
    """What the parts of a plan cost in examples trained on, from the sizes of a run's tasks."""

    train: Sequence[int]  # training examples of each task
    test: Sequence[int]
    epochs: Sequence[tuple[int, ...]]  # of each task's stages; none where it is not learned itself
    error_work: Callable[[int], Sequence[float]]  # error rows → work of measuring each task once

    def errors(self, plan: RecordingPlan, k: int) -> float:
        """Errors after one epoch on task k."""
        if not plan.error_rows:
            return 0.0
        work = self.error_work(plan.error_rows)
        return CALL_WORK + sum(work[i] for i in plan.looked_at(k))

    def actions(self, plan: RecordingPlan, i: int) -> float:
        """Action probabilities of task i, once."""
        return plan.actions * (CALL_WORK + SCORING_WORK * min(plan.rows, self.train[i]))

    def predictions(self, plan: RecordingPlan, i: int) -> float:
        """Predictions of task i, once, beside the parsing that accuracy needs."""
        return plan.predictions * (CALL_WORK + SCORING_WORK * min(plan.rows, self.test[i]))

    def task(self, plan: RecordingPlan, k: int) -> float:
        """All that is recorded of task k."""
        if not self.epochs[k]:
            return 0.0
        after = sum(self.actions(plan, i) + self.predictions(plan, i) for i in plan.looked_at(k))
        return sum(map(plan.n_measured, self.epochs[k])) * self.errors(plan, k) + after

    def total(self, plan: RecordingPlan) -> float:
        """All that is recorded of a run."""
        return sum(self.task(plan, k) for k in range(len(self.epochs)))


def everything(config: RunConfig, costs: RecordingCosts) -> RecordingPlan:
    """All that the config asks for."""
    return RecordingPlan(
        error_rows=config.error_rows,
        epochs_between=1,
        rows=max(*costs.train, *costs.test, 1),
        tasks=tuple(range(len(costs.train))),
        actions=config.record_actions,
        predictions=config.record_predictions,
    )


def within(budget: float, plan: RecordingPlan, costs: RecordingCosts) -> RecordingPlan:
    """The plan, reduced until it costs no more than the budget."""
    cost = costs.total(plan)
    while cost > budget:
        reduced = False
        for reduce in (_fewer_epochs, _fewer_rows, _fewer_tasks):
            smaller = reduce(plan, costs)
            if costs.total(smaller) <= _WORTH * cost:
                plan, cost, reduced = smaller, costs.total(smaller), True
            if cost <= budget:
                return plan
        if not reduced:
            plan = next(_without_a_part(plan))
            cost = costs.total(plan)
    return plan


def _fewer_epochs(plan: RecordingPlan, costs: RecordingCosts) -> RecordingPlan:
    longest = max((epochs for stages in costs.epochs for epochs in stages), default=1)
    return replace(plan, epochs_between=min(2 * plan.epochs_between, longest))


def _fewer_rows(plan: RecordingPlan, costs: RecordingCosts) -> RecordingPlan:
    error_rows = min(plan.error_rows, max(2 * plan.error_rows // 3, LEAST_ERROR_ROWS))
    rows = min(plan.rows, max(2 * plan.rows // 3, LEAST_ROWS))
    return replace(plan, error_rows=error_rows, rows=rows)


def _fewer_tasks(plan: RecordingPlan, costs: RecordingCosts) -> RecordingPlan:
    n = max(3 * len(plan.tasks) // 4, 1)
    spread = np.linspace(0, len(costs.epochs) - 1, n).round().astype(int).tolist()
    return replace(plan, tasks=tuple(spread))


def _without_a_part(plan: RecordingPlan) -> Iterator[RecordingPlan]:
    """Where nothing can be reduced: no errors, then no predictions, then nothing."""
    if plan.error_rows:
        yield replace(plan, error_rows=0)
    if plan.predictions:
        yield replace(plan, predictions=False)
    yield replace(plan, actions=False)


def describe(plan: RecordingPlan, whole: RecordingPlan, share: float) -> str:
    """What is recorded and what it costs, in a sentence: `share` of the work of training."""
    asked = whole.error_rows or whole.actions or whole.predictions
    if not asked:
        return "Records accuracy alone."
    cost = f"about {share:.0%} of training"
    if not (plan.error_rows or plan.actions or plan.predictions):
        return "Records accuracy alone: more costs too much beside so little training."
    parts = []
    if plan.error_rows:
        when = {1: "every epoch", 2: "every second epoch"}
        between = when.get(plan.epochs_between, f"every {plan.epochs_between} epochs")
        parts.append(f"errors on {plan.error_rows} rows a task after {between}")
    if plan.actions or plan.predictions:
        kinds = ["actions"] * plan.actions + ["predictions"] * plan.predictions
        rows = f"up to {plan.rows:,} rows a task" if plan.rows < whole.rows else "every row"
        parts.append(f"{' and '.join(kinds)} on {rows}")
    if len(plan.tasks) < len(whole.tasks):
        parts.append(f"{len(plan.tasks)} of the {len(whole.tasks)} tasks looked at again")
    return f"Records {', '.join(parts)}: {cost}."
