"""Workers say that they are there; how many the app has is a setting of the machine."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.config import RunConfig
from core.experiments.worker import Worker
from core.options import ConfigError
from core.runs import settings, worker_list
from core.runs.manager import Manager
from core.runs.owner import Owner, new_owner
from core.runs.run import FINISHED, QUEUED, RUNNING, STOPPED
from core.runs.store import Store
from core.runs.tables import runs
from core.runs.worker_list import COMMAND_LINE, PROCESS, THREAD, workers
from core.runs.workers import IDLE_SECONDS

Until = Callable[..., None]


def test_a_worker_says_what_it_does_and_is_gone_when_it_ends(
    store: Store, toy_config: RunConfig, fake: Callable[..., None], until: Until
) -> None:
    id, stop, go_on = store.create(toy_config, "mine"), threading.Event(), threading.Event()
    fake.before_step = lambda epoch, step: go_on.wait(30)  # type: ignore[attr-defined]
    worker = Worker(store, "cpu", stop=stop, train=fake)
    thread = threading.Thread(target=worker.go)
    thread.start()
    until(lambda: store.run(id).status == RUNNING and len(workers(store)) == 1)
    (seen,) = workers(store)
    assert (seen.device, seen.kind, seen.run, seen.run_name) == ("cpu", PROCESS, id, "mine")
    assert seen.silent < 30
    go_on.set()
    until(lambda: store.run(id).status == FINISHED)
    assert workers(store)[0].run is None
    stop.set()
    thread.join(10)
    assert workers(store) == []


def test_the_apps_threads_and_a_command_are_listed(
    store: Store, toy_config: RunConfig, until: Until
) -> None:
    manager = Manager(store, devices=["cpu"])
    until(lambda: bool(workers(store)))
    id = store.create(toy_config, claimed_by=new_owner())
    seen = {each.kind: each.run for each in workers(store)}
    assert seen == {COMMAND_LINE: id, THREAD: None}
    manager.close()
    assert [each.kind for each in workers(Store())] == [COMMAND_LINE]


def test_the_silent_and_the_dead_are_left_out(store: Store, clock: object) -> None:
    here = new_owner()
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True
    )
    dead = replace(here, pid=int(done.stdout), token="dead")
    elsewhere = Owner("far", 1, "boot ns 5", "far")
    for owner in (here, dead, elsewhere):
        worker_list.beat(store, owner, "cpu", PROCESS)
    assert [each.host for each in workers(store)] == sorted([here.host, "far"])
    clock.pass_(400)  # type: ignore[attr-defined]
    assert {each.silent for each in workers(store)} == {400.0}
    clock.pass_(400)  # type: ignore[attr-defined]
    assert [each.host for each in workers(store)] == [here.host]


def test_the_setting_is_kept_and_the_environment_goes_before_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOTAL_RECALL_WORKERS")
    assert settings.workers(store) is None
    settings.set_workers(store, 3)
    assert settings.workers(Store()) == settings.wanted_workers(store) == 3
    monkeypatch.setenv("TOTAL_RECALL_WORKERS", "5")
    assert (settings.wanted_workers(store), settings.fixed_workers()) == (5, 5)
    monkeypatch.setenv("TOTAL_RECALL_WORKERS", "0")
    assert (settings.wanted_workers(store), settings.fixed_workers()) == (0, 0)
    monkeypatch.delenv("TOTAL_RECALL_WORKERS")
    settings.set_workers(store, 0)
    assert settings.workers(store) == settings.wanted_workers(store) == 0
    settings.set_workers(store, None)
    assert settings.workers(store) is None
    assert settings.wanted_workers(store) >= 1
    for wrong in (-1, 257):
        with pytest.raises(ConfigError, match="expected 0 to 256"):
            settings.set_workers(store, wrong)


def test_only_a_cell_goes_back_to_the_queue(store: Store, toy_config: RunConfig) -> None:
    for is_cell, expected in ((False, STOPPED), (True, QUEUED)):
        owner = new_owner()
        id = store.create(toy_config, claimed_by=owner)
        with store.writing() as connection:
            connection.execute(runs.update().where(runs.c.id == id).values(is_cell=is_cell))
        store.set_status(id, STOPPED, owner=owner)
        store.give_back(id)
        assert store.run(id).status == expected


def test_a_process_is_on_the_list_before_it_takes_its_first_run(store: Store, monkeypatch) -> None:
    stop, listed = threading.Event(), []

    def claim(owner: Owner, **_: Any) -> None:
        listed.append([(worker.pid, worker.kind) for worker in workers(store)])
        stop.set()

    monkeypatch.setattr(store, "claim", claim)
    monkeypatch.setattr(Worker, "_watch", lambda self: None)  # whose first sign may be late
    Worker(store, "cpu", stop=stop).go()
    assert listed == [[(os.getpid(), PROCESS)]]
    assert workers(store) == []


def test_a_thread_is_on_the_list_before_it_takes_its_first_run(
    store: Store, monkeypatch, until: Until
) -> None:
    listed: list[list[tuple[int, str]]] = []

    def claim(owner: Owner, **_: Any) -> None:
        listed.append([(worker.pid, worker.kind) for worker in workers(store)])

    monkeypatch.setattr(store, "claim", claim)
    manager = Manager(store, devices=["cpu"])
    until(lambda: listed, 60)
    manager.close()
    assert listed[0] == [(os.getpid(), THREAD)]


@pytest.mark.slow
def test_more_than_one_are_processes_that_come_and_go_with_the_setting(
    store: Store, toy_config: RunConfig, until: Until
) -> None:
    """They end with the manager: a run launched by hand is then stopped."""
    number = [2]
    config = toy_config.with_(dataset="demo", epochs=1000, record_actions=False)
    ids = [store.create(config.with_(seed=seed)) for seed in range(2)]
    manager = Manager(store, devices=["cpu"], wanted=lambda _: number[0])
    until(lambda: all(store.run(id).status == RUNNING for id in ids), 120)
    assert {each.kind for each in workers(store)} == {PROCESS}
    assert {each.run for each in workers(store)} == set(ids)
    number[0] = 1
    manager.workers.wake()
    until(lambda: THREAD in {each.kind for each in workers(store)}, 60)
    manager.close()
    assert {Store().run(id).status for id in ids} <= {STOPPED}
    assert workers(Store()) == []


@pytest.mark.slow
def test_no_worker_takes_anything_until_there_is_to_be_one(
    store: Store, toy_config: RunConfig, until: Until
) -> None:
    """A run that is carried out when the number becomes 0 goes on to its end."""
    number = [0]
    config = toy_config.with_(dataset="demo", epochs=1000, record_actions=False)
    manager = Manager(store, devices=["cpu"], wanted=lambda _: number[0])
    first = manager.submit(config)
    time.sleep(3 * IDLE_SECONDS)
    assert store.run(first).status == QUEUED
    assert workers(store) == []
    number[0] = 1
    manager.workers.wake()
    until(lambda: store.run(first).status == RUNNING, 60)
    number[0] = 0
    second = manager.submit(config.with_(seed=1))
    manager.workers.wake()
    until(lambda: manager.workers._idle, 60)
    manager.stop(first)
    until(lambda: store.run(first).status == STOPPED, 60)
    time.sleep(3 * IDLE_SECONDS)
    assert store.run(second).status == QUEUED
    manager.close()
