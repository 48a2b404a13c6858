"""Runs as the store would hold them, told by made-up events: for tests that only look at runs."""

from collections.abc import Sequence

import numpy as np

from core.config import RunConfig
from core.events import Accuracy, Epoch, MemoryStored, Progress, RunStarted, StageTime
from core.runs.life import FINISHED, RUNNING
from core.runs.owner import new_owner
from core.runs.store import Store

TASKS = ("calendar", "blocks", "housing")
ROWS = (40, 60, 50)  # test rows of each task


def started(tasks: Sequence[str] = TASKS, rows: Sequence[int] = ROWS) -> RunStarted:
    """The facts of a run over these tasks; nine of ten test rows are reachable."""
    reachable = tuple(tuple(r * 9 // 10 for r in rows[: k + 1]) for k in range(len(tasks)))
    return RunStarted(
        tasks=tuple(tasks),
        train_rows=tuple(4 * r for r in rows),
        test_rows=tuple(rows),
        reachable=reachable,
        actions=120,
        slots=30,
        parameters=1_800_000,
        device="cpu",
    )


def matrix(kept: float, rows: Sequence[int] = ROWS, seed: int = 0) -> list[list[int]]:
    """Correct rows [k][i]: 80 % when just learned, times `kept` for each task learned since."""
    rng = np.random.default_rng(seed)
    return [
        [int(rng.binomial(rows[i], 0.8 * kept ** (k - i))) for i in range(k + 1)]
        for k in range(len(rows))
    ]


def tell(
    store: Store,
    run: int,
    *,
    kept: float = 0.7,
    tasks: Sequence[str] = TASKS,
    rows: Sequence[int] = ROWS,
    until: int | None = None,
    seed: int = 0,
) -> None:
    """Record what a run tells from its start to its end, or to the middle of task `until`."""
    facts = started(tasks, rows)
    store.record(run, facts)
    acc, epochs, total = matrix(kept, rows, seed), 4, 15.0 * sum(facts.train_rows)
    done = 0.0
    for k in range(len(tasks)):
        for stage in ("fast", "slow"):
            for epoch in range(epochs):
                if until == k and stage == "slow" and epoch == 2:
                    return
                done += 15.0 * facts.train_rows[k] / (2 * epochs)
                loss = 12.0 / (1 + epoch + epochs * (stage == "slow")) + 0.1 * k
                parts = {"current": loss * 0.7, "replay": loss * 0.3} if k else {"current": loss}
                store.record(run, Progress(done, total, k, stage, epoch + 1, epochs, loss))
                told = Epoch(k, stage, epoch, loss, facts.train_rows[k], 1.5, parts)
                store.record(run, told)
            store.record(run, StageTime(k, stage, 1.5 * epochs, done))
        trace = {"entropy": [3.0, 3.2], "sweeps": [3.0, 3.2]}
        store.record(run, MemoryStored(k, tuple(range(10)), trace))
        for i in range(k + 1):
            store.record(run, Accuracy(k, i, acc[k][i], rows[i]))


def finished_run(store: Store, config: RunConfig, name: str = "", **told) -> int:
    """A run that has told everything and has ended."""
    id = store.create(config, name, claimed_by=new_owner())
    tell(store, id, **told)
    store.move(id, FINISHED)
    return id


def running_run(store: Store, config: RunConfig, name: str = "", **told) -> int:
    """A run in the midst of its second task."""
    id = store.create(config, name, claimed_by=new_owner())
    tell(store, id, until=1, **told)
    assert store.run(id).status == RUNNING
    return id
