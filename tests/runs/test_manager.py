"""The manager: queue, workers, what happens to one run when another fails."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from core.config import RunConfig
from core.options import ConfigError
from core.runs import checkpoints, workers
from core.runs.manager import Manager, close_manager, manager
from core.runs.owner import new_owner
from core.runs.run import StoreError
from core.runs.store import Store

CONFIG = RunConfig()


@pytest.fixture
def make(store: Store, fake) -> Iterator[Callable[..., Manager]]:
    made = []

    def build(**more) -> Manager:
        more = {"devices": ["cpu"], "train": fake, "validate": lambda config: None} | more
        made.append(Manager(store, **more))
        return made[-1]

    yield build
    for built in made:
        built.close()


def statuses(store: Store) -> dict[int, str]:
    return {run.id: run.status for run in store.runs()}


def test_runs_are_carried_out_in_the_order_of_the_queue(make, store, fake, until) -> None:
    made = make()
    ids = [made.submit(CONFIG.with_(seed=seed), f"seed {seed}") for seed in (3, 1, 2)]
    until(lambda: set(statuses(store).values()) == {"finished"})
    assert [seed for seed, _ in fake.begun] == [3, 1, 2]
    assert [store.run(id).name for id in ids] == ["seed 3", "seed 1", "seed 2"]


def test_an_exception_in_one_run_leaves_the_next_running(make, store, fake, until) -> None:
    fake.fails[0] = RuntimeError("boom")
    made = make()
    first, second = (made.submit(CONFIG.with_(seed=seed)) for seed in (0, 1))
    until(lambda: store.run(second).status == "finished")
    assert store.run(first).status == "failed"
    assert "boom" in store.run(first).error


def test_a_worker_that_has_lost_its_gpu_leaves_what_waits(make, store, fake, until) -> None:
    fake.fails[0] = RuntimeError("CUDA error: unspecified launch failure")
    made = make()
    first, second = (made.submit(CONFIG.with_(seed=seed)) for seed in (0, 1))
    until(lambda: not made.workers._owners)
    assert statuses(store) == {first: "failed", second: "queued"}
    assert "The GPU failed" in store.run(first).error


def test_a_store_that_fails_for_a_while_does_not_end_the_worker(
    make, store, until, monkeypatch
) -> None:
    claim, failures = store.claim, [StoreError("gone for a moment")]
    monkeypatch.setattr(workers, "IDLE_SECONDS", 0.01)

    def flaky(*args, **more):
        if failures:
            raise failures.pop()
        return claim(*args, **more)

    monkeypatch.setattr(store, "claim", flaky)
    made = make()
    id = made.submit(CONFIG)
    until(lambda: store.run(id).status == "finished")
    assert failures == []


def test_stop_and_resume(make, store, fake, until) -> None:
    fake.epochs, fake.pause = 3, 0.02
    reached = threading.Event()
    fake.before_step = lambda epoch, step: reached.set() if epoch == 1 else None
    made = make()
    id = made.submit(CONFIG)
    reached.wait(10)
    made.stop(id)
    until(lambda: store.run(id).status == "stopped", 1.0)
    with pytest.raises(StoreError):
        made.stop(id)
    made.resume(id)
    until(lambda: store.run(id).status == "finished")
    assert fake.begun == [(0, 0), (0, 1)]
    with pytest.raises(StoreError):
        made.resume(id)


def test_delete_takes_the_checkpoints_and_is_refused_while_running(
    make, store, fake, until
) -> None:
    fake.pause, fake.epochs = 0.02, 1000
    made = make()
    id = made.submit(CONFIG)
    until(lambda: checkpoints.load(id) is not None)
    with pytest.raises(StoreError, match="running"):
        made.delete(id)
    assert checkpoints.load(id) is not None
    made.stop(id)
    until(lambda: store.run(id).status == "stopped")
    made.delete(id)
    assert not checkpoints.folder(id).exists()
    assert statuses(store) == {}


def test_nothing_is_queued_that_cannot_be_carried_out(make, store) -> None:
    made = make(validate=None)
    for config in (
        RunConfig(method="none_such"),
        RunConfig(dataset="toy", method="emr", memory_size=0),
        RunConfig(dataset="toy", method="emr", method_options={"none_such": 1}),
    ):
        with pytest.raises(ConfigError):
            made.submit(config)
    assert statuses(store) == {}


def test_two_workers_carry_out_two_runs_at_once(make, store, fake, until) -> None:
    meeting = threading.Barrier(2)
    fake.epochs = fake.steps = 1
    fake.before_step = lambda epoch, step: meeting.wait(10) and None
    made = make(workers=2)
    for seed in (0, 1):
        made.submit(CONFIG.with_(seed=seed))
    until(lambda: set(statuses(store).values()) == {"finished"})


def test_a_worker_takes_runs_for_its_device_only(make, store, until) -> None:
    made = make()
    elsewhere = made.submit(CONFIG.with_(device="cuda:7"))
    on_cpu = made.submit(CONFIG.with_(device="cpu"))
    until(lambda: store.run(on_cpu).status == "finished")
    assert store.run(elsewhere).status == "queued"


def test_runs_queued_by_another_process_are_found(make, store, until) -> None:
    make()
    id = store.create(CONFIG)  # nobody is woken
    until(lambda: store.run(id).status == "finished")


def test_runs_whose_process_is_gone_are_marked_at_the_start(make, store, monkeypatch) -> None:
    owner = new_owner()
    gone = store.create(CONFIG, claimed_by=type(owner)(owner.host, 2**22 + 1, owner.started, "x"))
    make()
    assert store.run(gone).status == "interrupted"


def test_closing_stops_what_runs(make, store, fake, until) -> None:
    fake.pause, fake.epochs = 0.02, 1000
    made = make()
    id = made.submit(CONFIG)
    until(lambda: store.run(id).status == "running")
    began = time.monotonic()
    made.close()
    assert time.monotonic() - began < 5
    assert store.run(id).status == "stopped"


def test_closing_does_not_wait_for_a_run_that_does_not_heed_it(
    make, store, fake, until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "CLOSE_SECONDS", 0.2)
    reached, go_on = threading.Event(), threading.Event()

    def before_step(epoch: int, step: int) -> None:
        reached.set()
        go_on.wait(30)

    fake.before_step = before_step
    made = make()
    id = made.submit(CONFIG)
    reached.wait(30)
    made.close()
    assert store.run(id).status == "stopped"
    go_on.set()
    until(lambda: not made.workers.running)
    assert (store.run(id).status, store.run(id).error) == ("stopped", "")


ENDS_WITH_A_RUN = """
import sys, time, threading
from core.config import RunConfig
from core.runs import manager as module

def train(config, record, should_stop=lambda: False, **more):
    print("begun", flush=True)
    while threading.main_thread().is_alive():
        time.sleep(0.01)
    if sys.argv[1] == "import":
        import concurrent.futures.process  # refused while Python ends
    while not should_stop():
        time.sleep(0.01)
    raise sequence.Stopped

from core.training import sequence
sequence.train = train
made = module.manager()
made.submit(RunConfig())
while not made.workers.running:
    time.sleep(0.01)
time.sleep(0.5)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["import", "nothing"])
def test_a_process_that_ends_stops_its_runs_first(store, what: str) -> None:
    command = [sys.executable, "-c", ENDS_WITH_A_RUN, what]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "begun\n"), ended.stderr
    assert (store.run(1).status, store.run(1).error) == ("stopped", "")


def test_a_process_has_one_manager_even_when_the_code_is_imported_again(home) -> None:
    first = manager()
    managers = []
    threads = [threading.Thread(target=lambda: managers.append(manager())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {id(each) for each in managers} == {id(first)}
    kept = sys.modules.pop("core.runs.manager")
    try:
        from core.runs.manager import manager as again

        assert again is not manager
        assert again() is first
    finally:
        sys.modules["core.runs.manager"] = kept
    close_manager()
    second = manager()
    assert second is not first, "the closed one is not given again"
    close_manager()
    close_manager()  # with none there it does nothing


def test_the_number_of_workers_can_be_set(home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOTAL_RECALL_WORKERS", "none")
    with pytest.raises(StoreError, match="TOTAL_RECALL_WORKERS = 'none'"):
        manager()
