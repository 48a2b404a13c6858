"""One run carried out: outcomes, checkpoints, stopping, heartbeat."""

import errno
import itertools
import threading
import time

import pytest

from core.config import RunConfig
from core.data.base import DataMissing
from core.events import Accuracy
from core.runs import checkpoints, execution
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.run import Run, RunTaken, StoreUnavailable
from core.runs.store import Store
from core.training.sequence import TrainingFailed


def begin(store: Store, **config) -> tuple[Run, object]:
    owner = new_owner()
    return store.run(store.create(RunConfig(**config), claimed_by=owner)), owner


def test_a_finished_run_has_its_record_and_its_parser(store: Store, fake) -> None:
    run, owner = begin(store)
    seen = []
    end = execute(store, run, owner, train=fake, watch=seen.append)
    assert (end.status, end.error, end.progress, end.device) == ("finished", "", 1.0, "cpu")
    assert set(end.versions) == {"python", "torch", "numpy", "total_recall"}
    assert seen[-2] == Accuracy(0, 0, 3, 5)
    assert checkpoints.load_parser(run.id, 0)["weights"].tolist() == [3.0, 3.0]
    assert checkpoints.load(run.id) is None  # there is nothing to go on with


def test_a_stop_is_obeyed_within_a_batch_and_resume_goes_on(store: Store, fake) -> None:
    run, owner = begin(store)
    stop, steps = threading.Event(), []

    def before_step(epoch: int, step: int) -> None:
        steps.append((epoch, step))
        if (epoch, step) == (1, 2):
            stop.set()

    fake.before_step = before_step
    assert execute(store, run, owner, train=fake, stop=stop).status == "stopped"
    assert steps[-1] == (1, 2)  # the batch in which the stop came is the last one
    assert checkpoints.load(run.id)["epoch"] == 1
    store.resume(run.id, claimed_by=owner)
    assert execute(store, store.run(run.id), owner, train=fake).status == "finished"
    assert fake.begun == [(0, 0), (0, 1)]
    assert steps[7:9] == [(1, 0), (1, 1)]


def test_a_stop_asked_for_in_the_store_is_obeyed(
    store: Store, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "POLL_SECONDS", 0.02)
    fake.pause, fake.epochs = 0.01, 1000
    run, owner = begin(store)
    thread = threading.Timer(0.1, store.request_stop, [run.id])
    thread.start()
    end = execute(store, run, owner, train=fake)
    thread.join()
    assert end.status == "stopped"
    assert end.progress < 0.1


def test_a_store_that_is_away_when_asked_about_a_stop_fails_nothing(
    store: Store, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, ask = [], store.stop_requested

    def away_for_a_while(id: int) -> bool:
        asked.append(id)
        if len(asked) <= 3:
            raise StoreUnavailable("The run store can't be read: the server restarts.")
        return ask(id)

    monkeypatch.setattr(execution, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(store, "stop_requested", away_for_a_while)
    fake.steps = 20
    run, owner = begin(store)
    end = execute(store, run, owner, train=fake)
    assert (end.status, end.error) == ("finished", "")
    assert len(asked) > 3


def test_the_store_is_asked_at_most_once_a_second(
    store: Store, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(store, "stop_requested", lambda id: asked.append(time.monotonic()))
    fake.steps = 200
    run, owner = begin(store)
    execute(store, run, owner, train=fake)
    assert all(later - earlier >= 1 for earlier, later in itertools.pairwise(asked))


WHERE = "(core.log in the folder of the runs has where)"


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (TrainingFailed("the loss is not finite in task 2: try a lower learning_rate."), None),
        (DataMissing("Overnight is not here: get it."), None),
        (RuntimeError("boom\nmore"), f"Unexpected RuntimeError: boom more {WHERE}."),
        (KeyError(), f"Unexpected KeyError: no message {WHERE}."),
        (OSError(errno.ENOSPC, "No space left on device"), "The disk is full."),
        (MemoryError(), "Memory ran out: a smaller batch_size, hidden_size or beam_size needs "
         "less of it."),
        (RuntimeError("CUDA error: device lost"), "The GPU failed (CUDA error: device lost): "
         "resume the run in a process started since."),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"),
         "Memory ran out: a smaller batch_size, hidden_size or beam_size needs less of it."),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
         "Memory ran out: a smaller batch_size, hidden_size or beam_size needs less of it."),
    ],
)  # fmt: skip
def test_a_failure_is_one_readable_sentence(store: Store, fake, caplog, problem, said) -> None:
    fake.fails[0] = problem
    run, owner = begin(store)
    end = execute(store, run, owner, train=fake)
    assert (end.status, end.error) == ("failed", said or str(problem))
    traced = any(record.exc_info for record in caplog.records)
    assert traced == (said is not None and "Unexpected" in said)


def test_a_checkpoint_that_cannot_be_written_ends_the_run_readably(
    store: Store, fake, home
) -> None:
    home.mkdir(exist_ok=True)
    (home / "checkpoints").write_text("a file where the folder should be")
    run, owner = begin(store)
    end = execute(store, run, owner, train=fake)
    assert end.status == "failed"
    assert "state.pt can't be written" in end.error


def test_what_an_earlier_database_left_is_not_gone_on_with(store: Store, fake) -> None:
    run, owner = begin(store)
    checkpoints.save(run.id, {"epoch": 2})
    execute(store, run, owner, train=fake)
    assert fake.begun == [(0, 0)]


def test_breaking_off_leaves_the_run_interrupted(store: Store, fake) -> None:
    fake.fails[0] = KeyboardInterrupt()
    run, owner = begin(store)
    with pytest.raises(KeyboardInterrupt):
        execute(store, run, owner, train=fake)
    assert store.run(run.id).status == "interrupted"


def test_a_run_taken_over_is_let_go(store: Store, fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "BEAT_SECONDS", 0.02)
    fake.pause, fake.epochs = 0.01, 1000
    run, owner = begin(store)

    def take(epoch: int, step: int) -> None:
        if (epoch, step) == (0, 1):
            store.set_status(run.id, "interrupted")
            store.resume(run.id, claimed_by=new_owner())

    fake.before_step = take
    with pytest.raises(RunTaken):
        execute(store, run, owner, train=fake)
    assert store.run(run.id).status == "running"


def test_the_heart_beats_while_training_says_nothing(
    store: Store, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "BEAT_SECONDS", 0.01)
    beats = []
    beat = store.heartbeat
    monkeypatch.setattr(store, "heartbeat", lambda *who: beats.append(who) or beat(*who))
    fake.epochs, fake.steps, fake.pause = 1, 1, 0.3
    run, owner = begin(store)
    assert execute(store, run, owner, train=fake).status == "finished"
    assert len(beats) > 3
    assert set(beats) == {(run.id, owner)}


def test_an_outcome_waits_for_a_store_that_can_be_written(
    store: Store, fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "POLL_SECONDS", 0.01)
    move, failures = store.set_status, [StoreUnavailable("full")] * 3

    def flaky(*args, **more) -> None:
        if failures:
            raise failures.pop()
        move(*args, **more)

    monkeypatch.setattr(store, "set_status", flaky)
    run, owner = begin(store)
    assert execute(store, run, owner, train=fake).status == "finished"
    failures += [StoreUnavailable("full")] * 1000
    run, owner = begin(store)
    with pytest.raises(StoreUnavailable):
        execute(store, run, owner, train=fake, patience=0.05)
