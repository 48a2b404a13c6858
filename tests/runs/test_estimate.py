"""Estimates: from runs that compare, with what they rest on; nothing where nothing is known."""

from dataclasses import replace

import pytest
from sqlalchemy import update

from core.config import RunConfig
from core.events import RunStarted, StageTime
from core.runs.estimate import estimate, measure
from core.runs.owner import new_owner
from core.runs.store import Store
from core.runs.tables import runs
from core.training import progress

FACTS = RunStarted(("a", "b"), (5, 6), (4, 4), ((4,), (4, 4)), 9, 4, 77, "cpu")


def past(store: Store, config: RunConfig, seconds: float, work: float) -> int:
    """A run that was carried out here at work / seconds, half of it sampling without work."""
    owner = new_owner()
    id = store.create(config, claimed_by=owner)
    store.record(id, FACTS, owner)
    store.record(id, StageTime(0, "train", seconds / 2, work), owner)
    store.record(id, StageTime(0, "sampling", seconds / 2, 0.0), owner)
    store.set_status(id, "finished")
    return id


def test_nothing_known_is_no_estimate(store: Store, toy_config: RunConfig) -> None:
    assert estimate(store, toy_config) is None


def test_the_rate_is_the_median_of_runs_like_it(store: Store, toy_config: RunConfig) -> None:
    for rate in (10, 20, 40):
        past(store, toy_config.with_(seed=rate, epochs=rate), 100, 100 * rate)
    past(store, toy_config.with_(method="emr"), 100, 1)  # compares less well, so doesn't count
    estimated = estimate(store, toy_config)
    work = progress.work(toy_config)
    assert estimated.seconds == pytest.approx(work / 20)
    assert estimated.low < work / 40
    assert estimated.high > work / 10
    assert estimated.basis == "from 3 earlier runs like it here"


def test_runs_of_its_size_give_a_wider_range(store: Store, toy_config: RunConfig) -> None:
    past(store, toy_config, 100, 1000)
    narrow = estimate(store, toy_config)
    wide = estimate(store, toy_config.with_(method="finetune"))
    assert narrow.basis == "from 1 earlier run like it here"
    assert wide.basis == "from 1 earlier run of its size here"
    assert wide.high / wide.low > narrow.high / narrow.low


@pytest.mark.parametrize("change", [{"threads": 2}, {"hidden_size": 99}, {"beam_size": 3}])
def test_other_sizes_and_threads_say_nothing(
    store: Store, toy_config: RunConfig, change: dict
) -> None:
    past(store, toy_config.with_(**change), 100, 1000)
    assert estimate(store, toy_config) is None


def test_other_devices_and_hosts_say_nothing(store: Store, toy_config: RunConfig) -> None:
    id = past(store, toy_config, 100, 1000)
    with store.engine.execution_options(writes=True).begin() as connection:
        connection.execute(update(runs).where(runs.c.id == id).values(owner_host="elsewhere"))
    id = past(store, toy_config, 100, 1000)
    store.record(id, replace(FACTS, device="cuda:0"))
    assert estimate(store, toy_config) is None


def test_what_was_too_short_says_nothing(store: Store, toy_config: RunConfig) -> None:
    past(store, toy_config, 0.5, 1000)
    assert estimate(store, toy_config) is None


def test_a_few_real_steps_can_be_timed(
    toy_config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = measure(toy_config, seconds=0.05)
    assert 0 < measured.low < measured.seconds < measured.high
    assert measured.basis == "from a few steps measured now"
    monkeypatch.setattr(progress, "calibrate", lambda config, seconds: 0.0)
    assert measure(toy_config) is None
