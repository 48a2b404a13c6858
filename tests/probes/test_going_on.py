"""A run that was stopped and went on has recorded what one that never stopped has: nothing twice,
nothing missing.
"""

import pickle
from collections.abc import Callable

import pytest
from sqlalchemy import select

from core.config import RunConfig
from core.registry import methods
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES
from core.stopping import Stopped
from core.training.sequence import train


def records(store: Store, run: int) -> dict[str, list[tuple]]:
    """All that the store keeps of a run's events, but for how long things took."""
    rows_by_table = {}
    with store.engine.connect() as connection:
        for table in EVENT_TABLES.values():
            columns = [c for c in table.c if c.name not in ("run_id", "seconds")]
            query = select(*columns).where(table.c.run_id == run).order_by(*table.primary_key)
            rows_by_table[table.name] = [tuple(row) for row in connection.execute(query)]
    return rows_by_table


def learn(store: Store, config: RunConfig, patience: Callable[[], int] | None = None) -> int:
    """Carry a run out into the store; with `patience` every attempt stops after so many checks."""
    run, checkpoint = store.create(config), None
    while True:
        left = None if patience is None else patience()

        def stop() -> bool:
            nonlocal left
            left = None if left is None else left - 1
            return left is not None and left < 0

        def save(state: dict) -> None:
            nonlocal checkpoint
            checkpoint = pickle.dumps(state)

        resume = None if checkpoint is None else pickle.loads(checkpoint)
        try:
            train(config, lambda e: store.record(run, e), stop, resume=resume, save=save)
            return run
        except Stopped:
            continue


@pytest.mark.parametrize("name", list(methods))
def test_a_run_stopped_again_and_again_records_the_same(toy_config, store, name) -> None:
    """Attempts of 1, 2, 3 … checks: stops in epochs, at their ends, between the parts of a task's
    evaluation and within its readings.
    """
    config = toy_config.with_(method=name, task_order=("zoo", "farm"), error_rows=3)
    attempts = iter(range(1, 10_000))
    stopped = learn(store, config, lambda: next(attempts))
    assert next(attempts) > 5
    whole = learn(store, config)
    assert records(store, stopped) == records(store, whole)
    counts = {name: len(rows) for name, rows in records(store, whole).items()}
    empty = {"memories", "measures"}  # not every method has these
    assert all(counts[table] for table in counts if table not in empty)


def test_a_run_stopped_where_a_stage_ends_records_the_same(toy_config, store) -> None:
    options = {"task_order": ("zoo", "farm"), "method_options": {"fast_epochs": 1}}
    config = toy_config.with_(method="total_recall", **options)
    states: list[dict] = []
    whole = learn(store, config)
    run = store.create(config)
    train(config, lambda e: store.record(run, e), save=lambda s: states.append(pickle.dumps(s)))
    positions = [tuple(pickle.loads(state)["position"]) for state in states]
    assert (0, 1, 0) in positions  # between fast and slow
    for state in states:
        events: list = []
        train(config, events.append, resume=pickle.loads(state))
        for event in events:
            store.record(run, event)
        assert records(store, run) == records(store, whole)


def test_the_time_spent_recording_is_kept_over_a_stop(toy_config) -> None:
    config = toy_config.with_(method="finetune", task_order=("zoo", "farm"))
    states: list[dict] = []
    train(config, lambda event: None, save=lambda state: states.append(pickle.dumps(state)))
    state = pickle.loads(states[0])  # after the first epoch
    stage, recording = state["seconds"]
    assert stage > 0
    assert recording > 0
    state["seconds"] = [1000.0, 2000.0]
    events: list = []
    train(config, events.append, resume=state)
    seconds = {(e.task, e.stage): e.seconds for e in events if type(e).__name__ == "StageTime"}
    assert 1000 < seconds[0, "train"] < 2000 < seconds[0, "recording"]
    assert seconds[1, "train"] < 1000
    assert seconds[1, "recording"] < 1000
