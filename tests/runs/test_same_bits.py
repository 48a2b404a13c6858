"""The same config gives the same bits: twice, in two threads at once, in another process, and when
it was killed or stopped and went on."""

import os
import subprocess
from pathlib import Path

import pytest

from core.__main__ import main
from core.config import RunConfig
from core.runs import checkpoints
from core.runs.manager import Manager
from core.runs.store import Store
from tests.campaign import bits
from tests.campaign.bits import command, recorded, small_config, words_of

pytestmark = pytest.mark.slow


@pytest.fixture
def config() -> RunConfig:
    return small_config()


def assert_same(store: Store, first: int, second: int) -> None:
    bits.assert_same(store, first, second)
    assert len(recorded(store, first)["accuracies"]) == 3


@pytest.fixture
def plain(config: RunConfig) -> int:
    """A run by the command line, in this process, without interruption."""
    assert main([*words_of(config), "--quiet"]) == 0
    return 1


def begin(config: RunConfig) -> subprocess.Popen:
    words = command(*words_of(config), "--quiet")
    return subprocess.Popen(words, env={**os.environ, "OMP_NUM_THREADS": "1"})


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
        assert main([*words_of(config), "--quiet"]) == 3
    assert main(["resume", "2", "--quiet"]) == 0
    assert_same(store, plain, 2)


def test_another_seed_gives_other_bits(store: Store, config: RunConfig, plain: int) -> None:
    main([*words_of(config.with_(seed=1)), "--quiet"])
    assert recorded(store, plain)["epochs"] != recorded(store, 2)["epochs"]
    assert Path(checkpoints.folder(2)).exists()
