"""Made-up runs for a benchmark of the store: written in bulk, as runs would have recorded them."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Table, insert

from core.config import RunConfig
from core.events import RunStarted
from core.runs import tables
from core.runs.run import FINISHED, default_name
from core.runs.store import Store

TASKS = tuple(f"task {letter}" for letter in "abcdefgh")
LISTED = 300  # the newest runs, as many as a page lists, have recorded everything
STAGES = (("fast", 5), ("slow", 10))  # with their epochs
ROWS = 20  # test rows of each task, and its actions
METHODS = ("finetune", "emr", "gem", "derpp", "total_recall")
Rows = Iterator[tuple[Table, dict[str, Any]]]


def fill(store: Store, runs: int) -> None:
    """Write so many finished runs, in one transaction."""
    by_table: dict[Table, list[dict[str, Any]]] = {}
    for id in range(1, runs + 1):
        for table, row in _rows(id, complete=id > runs - LISTED):
            by_table.setdefault(table, []).append(row)
    with store.engine.execution_options(writes=True).begin() as connection:
        for table, rows in by_table.items():
            connection.execute(insert(table), rows)


def _config(id: int) -> RunConfig:
    """Five methods and seeds, ever other memory sizes; with and without the fast stage."""
    method, seed = METHODS[id % 5], id // 5 % 5
    options = {"fast": "none"} if method == "total_recall" and id // 25 % 2 else {}
    return RunConfig(
        dataset="overnight",
        method=method,
        method_options=options,
        sampler="random",
        memory_size=10 + id // 50,
        seed=seed,
    )


def _rows(id: int, complete: bool) -> Rows:
    yield tables.runs, finished_row(id, _config(id))
    for table, row in of_tasks(complete):
        yield table, {"run_id": id, **row}
    if complete:
        for action in range(ROWS * len(TASKS)):
            yield tables.actions, {"run_id": id, "action": action, "text": f"GEN ( {action} )"}


def finished_row(id: int, config: RunConfig) -> dict[str, Any]:
    """The columns of a finished run."""
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=id)
    facts = RunStarted(
        tasks=TASKS,
        n_train=(4 * ROWS,) * len(TASKS),
        n_test=(ROWS,) * len(TASKS),
        covered=tuple((ROWS - 1,) * (k + 1) for k in range(len(TASKS))),
        actions=ROWS * len(TASKS),
        slots=ROWS,
        parameters=1_000_000,
        device="cpu",
    )
    return {
        "id": id,
        "name": default_name(config),
        "config": config.to_json(),
        "status": FINISHED,
        "wanted_device": "cpu",
        "device": "cpu",
        "facts": asdict(facts),
        "progress": 1.0,
        "created": moment,
        "queued": moment,
        "started": moment,
        "ended": moment,
        "seconds": 60.0,
    }


def of_tasks(complete: bool) -> Rows:
    """What a run records of all tasks, but for its number; `complete`: more than accuracies."""
    for k in range(len(TASKS)):
        yield from _of_task(k, complete)


def _of_task(k: int, complete: bool) -> Rows:
    for number, (stage, n_epochs) in enumerate(STAGES):
        key = {"task": k, "stage": stage}
        yield tables.stage_times, {**key, "seconds": 3.0, "work": 1.0}
        for epoch in range(n_epochs):
            key = {"task": k, "stage": stage, "epoch": epoch, "stage_number": number}
            loss = {"loss": 10 / (1 + epoch), "rows": 4 * ROWS, "seconds": 0.3, "parts": {}}
            yield tables.epochs, key | loss
            for on in range(k + 1) if complete else ():
                for split in ("train", "test"):
                    counts = {"correct": epoch, "total": ROWS, "nll": 9.0, "writable": ROWS - 1}
                    yield tables.errors, key | {"on_task": on, "split": split} | counts
    yield tables.memories, {"task": k, "rows": list(range(10)), "trace": {}}
    yield tables.diagnostics, {"task": k, "name": "share", "value": 0.5}
    for on in range(k + 1):
        after = {"after": k, "on_task": on}
        yield tables.accuracies, after | {"correct": 10 + (k + on) % 7, "total": ROWS}
        for number in range(ROWS) if complete else ():
            probability = {"action": on * ROWS + number, "mean": 0.9 / (1 + k - on), "count": 5}
            yield tables.action_probabilities, after | probability
            parse = {
                "row": number,
                "correct": number % 2 == 0,
                "parse": [number],
                "complete": True,
                "log_prob": -1.0,
                "first_wrong": None if number % 2 == 0 else 0,
                "gold": [0.5],
            }
            yield tables.predictions, after | parse
