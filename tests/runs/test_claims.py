"""Who holds a run: claims from many sides at once, heartbeats, processes that are gone."""

import threading
from dataclasses import replace

import pytest

from core.config import RunConfig
from core.runs.owner import new_owner
from core.runs.run import StoreError
from core.runs.store import Store
from tests.runs.samples import SAMPLES, python

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
    for act in (lambda: store.heartbeat(id, owner), lambda: store.record(id, SAMPLES[0][0])):
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
    with pytest.raises(StoreError, match="another process"):
        store.set_status(id, "finished", owner=old)
    store.set_status(id, "finished", owner=new)
