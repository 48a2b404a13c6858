"""Finished runs as a store has them, without any training."""

from collections.abc import Mapping, Sequence

from core.config import RunConfig
from core.events import Accuracy, RunStarted
from core.experiments.experiment import Experiment
from core.runs.owner import new_owner
from core.runs.run import FINISHED
from core.runs.store import Store

TASKS = ("zoo", "port")
RIGHT = {  # of three pairs and two arms
    (0, 0): (2, 4),
    (0, 1): (6, 6),
    (1, 0): (1, 5),
    (1, 1): (5, 6),
    (2, 0): (3, 3),
    (2, 1): (9, 9),
}


def finished_run(store: Store, config: RunConfig, correct: Sequence[int]) -> int:
    """A run of two tasks of 10 test rows, so many of which are right in the end."""
    owner = new_owner()
    id = store.create(config, claimed_by=owner)
    facts = RunStarted(TASKS, (20, 20), (10, 10), ((10,), (10, 9)), 5, 2, 100, "cpu")
    store.record(id, facts, owner)
    store.record(id, Accuracy(0, 0, 10, 10), owner)
    for task, right in enumerate(correct):
        store.record(id, Accuracy(1, task, right, 10), owner)
    store.set_status(id, FINISHED, owner=owner)
    return id


def finished_cells(
    store: Store, experiment: Experiment, correct: Mapping[tuple[int, int], Sequence[int]]
) -> dict[tuple[int, int], int]:
    """Runs of these cells (pair, arm), each with its counts of right rows."""
    return {
        (pair, arm): finished_run(store, config, correct[pair, arm])
        for pair, arm, config in experiment.configs()
        if (pair, arm) in correct
    }
