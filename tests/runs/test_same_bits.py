"""The same config gives the same bits: twice, in two threads at once, in another process, and when
it was killed or stopped and went on."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from sqlalchemy import select

from core.__main__ import main
from core.analysis.command_line import command_line
from core.config import RunConfig
from core.data.demo import demo
from core.runs import checkpoints
from core.runs.manager import Manager
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES

pytestmark = pytest.mark.slow

CONFIG = RunConfig(
    epochs=2,
    hidden_size=16,
    word_size=16,
    action_size=16,
    memory_size=10,
    threads=1,
    device="cpu",
    method_options={"fast_epochs": 1},
)


@pytest.fixture
def config() -> RunConfig:
    """Two tasks of the demo, learned by Total Recall in seconds."""
    names = [task.name for task in demo(CONFIG.options("dataset"))]
    return CONFIG.with_(task_order=names[:2])


def recorded(store: Store, id: int) -> dict[str, list[tuple]]:
    """All that a run recorded, but for how long it took."""
    rows_by_table = {}
    with store.engine.connect() as connection:
        for table in EVENT_TABLES.values():
            columns = [c for c in table.c if c.name not in ("run_id", "seconds")]
            query = select(*columns).where(table.c.run_id == id).order_by(*table.primary_key)
            rows_by_table[table.name] = [tuple(row) for row in connection.execute(query)]
    return rows_by_table


def assert_same(store: Store, first: int, second: int) -> None:
    assert store.run(first).status == store.run(second).status == "finished"
    assert recorded(store, first) == recorded(store, second)
    assert len(recorded(store, first)["accuracies"]) == 3
    for task in (0, 1):
        left, right = (checkpoints.load_parser(id, task) for id in (first, second))
        assert_equal(left, right)


def assert_equal(left: Any, right: Any) -> None:
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_equal(left[key], right[key])
    elif isinstance(left, torch.Tensor):
        assert torch.equal(left, right)
    else:
        assert left == right


@pytest.fixture
def plain(config: RunConfig) -> int:
    """A run by the command line, in this process, without interruption."""
    assert main([*words(config), "--quiet"]) == 0
    return 1


def words(config: RunConfig) -> list[str]:
    return command_line(config).split()[3:]


def begin(config: RunConfig) -> subprocess.Popen:
    command = [sys.executable, "-m", "core", *words(config), "--quiet"]
    return subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})


def test_threads_at_once_and_the_command_line(
    store: Store, config: RunConfig, plain: int, until
) -> None:
    manager = Manager(store, workers=2, devices=["cpu"])
    try:
        ids = [manager.submit(config), manager.submit(config)]
        process = begin(config)
        until(lambda: all(store.run(id).ended for id in ids), 240)
        assert process.wait(240) == 0
    finally:
        manager.close()
    for id in (*ids, store.runs(limit=1)[0].id):
        assert_same(store, plain, id)


def test_kill_9_and_resume(store: Store, config: RunConfig, plain: int, until) -> None:
    process = begin(config)
    until(lambda: len(store.runs()) == 2 and recorded(store, 2)["epochs"], 240)
    process.kill()
    process.wait()
    assert store.mark_interrupted() == [2]
    assert main(["resume", "2", "--quiet"]) == 0
    assert store.run(2).attempts == 2
    assert_same(store, plain, 2)


@pytest.mark.parametrize("batch", [1, 9, 19, 36])
def test_stopped_anywhere_and_resumed(
    store: Store, config: RunConfig, plain: int, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.runs import execution

    asked = []
    real = execution.Hold.should_stop

    def should_stop(hold: execution.Hold) -> bool:
        asked.append(hold)
        return len(asked) == batch or real(hold)

    with monkeypatch.context() as patch:
        patch.setattr(execution.Hold, "should_stop", should_stop)
        assert main([*words(config), "--quiet"]) == 3
    assert main(["resume", "2", "--quiet"]) == 0
    assert_same(store, plain, 2)


def test_another_seed_gives_other_bits(store: Store, config: RunConfig, plain: int) -> None:
    main([*words(config.with_(seed=1)), "--quiet"])
    assert recorded(store, plain)["epochs"] != recorded(store, 2)["epochs"]
    assert Path(checkpoints.folder(2)).exists()
