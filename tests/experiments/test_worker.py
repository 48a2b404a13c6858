"""Workers carry out what waits; one that ends gives its run back, one that dies is replaced."""

import os
import signal
import threading
import time

import pytest

from core.config import RunConfig
from core.events import Accuracy, RunStarted
from core.experiments import catalog, work
from core.experiments import worker as worker_module
from core.experiments.experiment import Arm, Experiment, default_pairs
from core.experiments.status import status
from core.experiments.worker import Worker
from core.options import ConfigError
from core.runs import pool as pool_module
from core.runs.execution import execute
from core.runs.pool import Pool, assign, default_workers
from core.runs.run import FAILED, FINISHED, QUEUED, STOPPED, Run
from core.runs.store import Store
from core.stopping import Stopped


def quick(config, record, should_stop=lambda: False, **_more) -> None:
    """Stands in for the training."""
    record(RunStarted(("a",), (1,), (1,), ((1,),), 1, 1, 1, "cpu"))
    record(Accuracy(0, 0, config.seed % 2, 1))


def endless(config, record, should_stop=lambda: False, **_more) -> None:
    while not should_stop():
        time.sleep(0.01)
    raise Stopped


def until(condition, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_a_worker_takes_what_waits(store: Store, small: Experiment) -> None:
    id = catalog.create(store, small)
    work.enqueue(store, "small")
    worker = Worker(store, "cpu", stop=threading.Event(), train=quick)
    assert [worker.work_once() for _ in range(7)] == [True] * 6 + [False]
    assert status(store, id).counts[FINISHED] == 6


def test_a_worker_that_has_lost_its_gpu_ends_with_that_run(store: Store, small: Experiment) -> None:
    def lost(*_given, **_more) -> None:
        raise RuntimeError("CUDA error: unspecified launch failure")

    id = catalog.create(store, small)
    work.enqueue(store, "small")
    worker = Worker(store, "cpu", stop=threading.Event(), train=lost)
    worker.go()
    assert worker.stop.is_set()
    assert (status(store, id).counts[FAILED], status(store, id).counts[QUEUED]) == (1, 5)


def test_a_worker_that_ends_gives_its_run_back(store: Store, small: Experiment) -> None:
    catalog.create(store, small)
    work.enqueue(store, "small")
    stop = threading.Event()
    thread = threading.Thread(target=Worker(store, "cpu", stop=stop, train=endless).go)
    thread.start()
    until(lambda: store.runs(statuses=["running"]))
    (run,) = store.runs(statuses=["running"])
    stop.set()
    thread.join(20)
    assert store.run(run.id).status == QUEUED


def test_a_run_that_somebody_stops_stays_stopped(
    store: Store, toy_config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the worker is told to end before it has looked at what became of the run."""
    run, stop = store.create(toy_config), threading.Event()

    def asked(config, record, should_stop, **more) -> None:
        store.request_stop(run)
        endless(config, record, should_stop)

    def ended(*args, **more) -> Run:
        done = execute(*args, **more)
        stop.set()
        return done

    monkeypatch.setattr(worker_module, "execute", ended)
    assert Worker(store, "cpu", stop=stop, train=asked).work_once()
    assert store.run(run).status == STOPPED


def test_devices_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module.devices, "available", lambda: ("cpu", "cuda:0", "cuda:1"))
    assert assign(3) == ["cuda:0", "cuda:1", "cuda:0"]
    assert assign(2, "cpu") == ["cpu", "cpu"]
    assert assign(1, "cuda") == ["cuda:0"]
    assert default_workers()[0] == 2
    with pytest.raises(ConfigError, match=r"cuda:7.*cuda:0"):
        assign(1, "cuda:7")
    monkeypatch.setattr(pool_module.devices, "available", lambda: ("cpu",))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    monkeypatch.setattr(os, "getloadavg", lambda: (3.2, 0.0, 0.0))
    assert default_workers()[0] == 5
    monkeypatch.setattr(os, "getloadavg", lambda: (30.0, 0.0, 0.0))
    assert default_workers()[0] == 1
    with pytest.raises(ConfigError, match="--workers 0"):
        Pool(0)


@pytest.fixture
def tiny() -> Experiment:
    """On the demo's first two tasks, which other processes have too."""
    base = RunConfig(
        dataset="demo", task_order=("library", "kitchen"), memory_size=3, epochs=1, word_size=4,
        hidden_size=4, action_size=4, batch_size=256, device="cpu", error_rows=0,
        record_actions=False, record_predictions=False,
    )  # fmt: skip
    from core.data.base import load_tasks

    names = [task.name for task in load_tasks(RunConfig(dataset="demo"))][:2]
    arms = (Arm("plain", {"method": "finetune"}), Arm("replay", {"method": "emr"}))
    return Experiment("tiny", base.with_(task_order=tuple(names)), arms, default_pairs(2))


@pytest.mark.slow
def test_a_pool_outlives_a_worker_that_is_killed(store: Store, tiny: Experiment) -> None:
    id = catalog.create(store, tiny)
    work.enqueue(store, "tiny")
    pool = Pool(1, "cpu", experiment="tiny")
    try:
        until(lambda: store.runs(statuses=["running"]))
        first = pool._workers[0]
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        until(lambda: [store.mark_interrupted(), pool.watch(), not status(store, id).pending][-1])
    finally:
        pool.end()
    assert pool._workers[0].pid != first.pid
    assert status(store, id).counts[FINISHED] == 4


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(store: Store, tmp_path) -> None:
    code = (
        "import os, sys, time\nfrom core.runs.pool import Pool\n"
        "pool = Pool(1, 'cpu')\nprint(pool._workers[0].pid, flush=True)\ntime.sleep(600)"
    )
    import subprocess
    import sys

    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    worker = int(parent.stdout.readline())
    time.sleep(1)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until(lambda: not os.path.exists(f"/proc/{worker}"))  # noqa: PTH110 - a process, not a file
