"""Who holds a run: claims from many sides at once, heartbeats, processes that are gone."""

import signal
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from core.config import RunConfig
from core.events import RunStarted
from core.runs import clock as clock_module
from core.runs.owner import Owner, new_owner
from core.runs.run import RunTaken, StoreError
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES, runs
from tests.runs.samples import MANY, SAMPLES, progress, python

CONFIG = RunConfig()


def test_claims_take_the_run_that_waits_longest(store: Store) -> None:
    first, second, third = (store.create(CONFIG) for _ in range(3))
    owner = new_owner()
    store.request_stop(first)
    store.resume(first)  # goes to the end of the queue
    assert [store.claim(owner).id for _ in range(3)] == [second, third, first]
    assert store.claim(owner) is None


def test_claims_by_number_and_device(store: Store) -> None:
    cpu, cuda = (
        store.create(CONFIG.with_(device="cpu")),
        store.create(CONFIG.with_(device="cuda:0")),
    )
    assert store.claim(new_owner(), devices=["cuda:1"]) is None
    assert store.claim(new_owner(), devices=["cuda:0", "auto"]).id == cuda
    assert store.claim(new_owner(), id=cuda) is None
    assert store.claim(new_owner(), id=cpu).status == "running"


def test_threads_claim_each_run_once(store: Store) -> None:
    ids = [store.create(CONFIG) for _ in range(24)]
    claimed: list[int] = []

    def work() -> None:
        owner = new_owner()
        while (run := store.claim(owner)) is not None:
            claimed.append(run.id)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == ids


CLAIM = """
from core.runs.owner import new_owner
from core.runs.store import Store
store, owner = Store(), new_owner()
while (run := store.claim(owner)) is not None:
    print(run.id)
"""


def test_processes_claim_each_run_once(store: Store) -> None:
    ids = [store.create(CONFIG) for _ in range(24)]
    workers = [python(CLAIM) for _ in range(3)]
    claimed = [int(line) for worker in workers for line in worker.communicate()[0].split()]
    assert sorted(claimed) == ids
    assert [worker.returncode for worker in workers] == [0, 0, 0]


HOLD = """
import sys, time
from core.config import RunConfig
from core.runs.owner import new_owner
from core.runs.store import Store
print(Store().create(RunConfig(), claimed_by=new_owner()), flush=True)
time.sleep(60)
"""


def test_a_killed_process_s_run_is_interrupted_at_once(store: Store) -> None:
    process = python(HOLD)
    id = int(process.stdout.readline())
    assert store.mark_interrupted() == []
    process.kill()
    process.wait()
    process.stdout.close()
    assert store.mark_interrupted() == [id]
    run = store.run(id)
    assert (run.status, run.error) == ("interrupted", "The process that ran it is gone.")
    assert store.mark_interrupted() == []
    store.resume(id)


def test_a_pid_that_another_process_has_by_now_is_no_owner(store: Store) -> None:
    earlier = replace(new_owner(), started=new_owner().started + "0")
    id = store.create(CONFIG, claimed_by=earlier)
    assert store.mark_interrupted() == [id]


def test_silence_ends_a_run_of_another_host_but_not_of_a_process_that_is_seen(
    store: Store, clock
) -> None:
    elsewhere = store.create(CONFIG, claimed_by=replace(new_owner(), host="elsewhere"))
    here = store.create(CONFIG, claimed_by=new_owner())
    clock.pass_(29)
    assert store.mark_interrupted() == []
    store.heartbeat(elsewhere, new_owner())  # not its owner: no sign of life
    clock.pass_(2)
    assert store.mark_interrupted() == [elsewhere]
    assert store.run(elsewhere).seconds == 0  # up to its last sign of life
    clock.pass_(1e6)
    assert store.mark_interrupted() == []
    assert store.run(here).status == "running"


def test_heartbeats_and_records_are_signs_of_life(store: Store, clock) -> None:
    owner = replace(new_owner(), host="elsewhere")
    id = store.create(CONFIG, claimed_by=owner)
    for act in (lambda: store.heartbeat(id, owner), lambda: store.record(id, SAMPLES[0][0], owner)):
        clock.pass_(25)
        act()
        clock.pass_(25)
        assert store.mark_interrupted() == []
        store.heartbeat(id, owner)


def test_an_owner_that_lost_its_run_learns_so_and_cannot_move_it(store: Store) -> None:
    old, new = new_owner(), new_owner()
    id = store.create(CONFIG, claimed_by=old)
    assert store.heartbeat(id, old)
    store.set_status(id, "interrupted")
    store.resume(id, claimed_by=new)
    assert not store.heartbeat(id, old)
    for act in writes(store, id, old):
        with pytest.raises(RunTaken, match="not held by this process"):
            act()
    assert_untouched(store, id)
    for act in writes(store, id, new):
        act()
    assert store.run(id).status == "finished"
    for act in writes(store, id, new):  # it has let go of it
        with pytest.raises(RunTaken):
            act()


def writes(store: Store, id: int, owner: Owner | None) -> list[Callable[[], None]]:
    """All that is written of a run while it is carried out, its end last."""
    events = [*SAMPLES, *MANY, (RunStarted(("a",), (1,), (1,), ((1,),), 1, 1, 1, "cpu"), {})]
    events.append((progress(29), {}))
    acts = [lambda event=event: store.record(id, event, owner) for event, _ in events]
    acts.append(lambda: store.note_versions(id, {"torch": "9"}, owner))
    return [*acts, lambda: store.set_status(id, "finished", owner=owner)]


def assert_untouched(store: Store, id: int) -> None:
    run = store.run(id)
    assert (run.status, run.progress, run.facts, run.versions) == ("running", 0.0, None, {})
    for table in EVENT_TABLES.values():
        assert store.fetch(select(table)) == []


def test_nothing_is_written_for_a_held_run_without_its_owner(store: Store) -> None:
    id = store.create(CONFIG, claimed_by=new_owner())
    for act in writes(store, id, None)[:-1]:
        with pytest.raises(RunTaken):
            act()
    assert_untouched(store, id)


def test_progress_held_back_is_not_written_for_another_s_attempt(store: Store) -> None:
    old, new = new_owner(), new_owner()
    id = store.create(CONFIG, claimed_by=old)
    for done in (1, 2, 3):  # the last ones wait for the next write
        store.record(id, progress(done), old)
    store.set_status(id, "interrupted")
    store.resume(id, claimed_by=new)
    store.record(id, progress(90), new)
    store.set_status(id, "stopped", owner=new)
    assert store.run(id).last_progress.done == 90


SUSPENDED = """
import sys
from core.config import RunConfig
from core.events import Progress
from core.runs.owner import new_owner
from core.runs.run import RunTaken
from core.runs.store import Store
store, owner = Store(), new_owner()
id = store.create(RunConfig(), claimed_by=owner)
print(id, flush=True)
sys.stdin.readline()
try:
    store.record(id, Progress(29, 100, 0, "slow", 0, 1, 1.0), owner)
except RunTaken as error:
    print(error)
"""


def test_a_process_that_slept_while_another_finished_its_run_writes_nothing(store: Store) -> None:
    process = python(SUSPENDED, stdin=subprocess.PIPE)
    id = int(process.stdout.readline())
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(StoreError, match="fallen silent"):
        store.release(id)
    clock_ahead(store, id, hours=2)
    assert store.mark_interrupted() == []  # its process is there
    assert store.run(id).can_release
    store.release(id)
    new = new_owner()
    store.resume(id, claimed_by=new)
    store.set_status(id, "finished", owner=new)
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate("go on\n")
    assert "not held by this process" in out
    assert (store.run(id).status, store.run(id).progress) == ("finished", 1.0)


def clock_ahead(store: Store, id: int, *, hours: float) -> None:
    """As if the run's last sign of life were so long ago."""
    with store.engine.execution_options(writes=True).begin() as connection:
        earlier = clock_module.now() - timedelta(hours=hours)
        times = {"heartbeat": earlier, "attempt_started": earlier}
        connection.execute(update(runs).where(runs.c.id == id).values(times))


@pytest.mark.parametrize("status", ["interrupted", "stopped"])
def test_a_run_silent_for_an_hour_can_be_ended_and_is_not_before(store, clock, status) -> None:
    owner = new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    clock.pass_(3599)
    assert not store.run(id).can_release
    with pytest.raises(StoreError, match="fallen silent"):
        store.release(id)
    with pytest.raises(StoreError, match="stop it"):
        store.delete(id)
    clock.pass_(1)
    assert (store.run(id).can_release, store.run(id).silent) == (True, 3600)
    store.heartbeat(id, owner)
    assert not store.run(id).can_release
    clock.pass_(3600)
    store.release(id, status)
    run = store.run(id)
    assert (run.status, run.error) == (status, "Its process has been silent for 60 minutes.")
    assert (run.seconds, run.silent) == (3600, None)  # up to the last sign of life
    with pytest.raises(StoreError, match="fallen silent"):
        store.release(id)
    store.delete(id)
