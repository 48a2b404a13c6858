"""Recorded runs: what a file keeps, what a store makes of it, if a new run still records it."""

import lzma
import math
from pathlib import Path

import pytest

from core.commands.demo import record
from core.config import RunConfig
from core.events import (
    Accuracy,
    Epoch,
    Event,
    MemoryStored,
    Predictions,
    Progress,
    RunStarted,
    StageTime,
)
from core.runs.estimate import _past
from core.runs.recordings import (
    DEMO_FILE,
    MARK,
    Recording,
    load,
    newest_of,
    put_in,
    rounded,
    save,
)
from core.runs.run import FINISHED, StoreError
from core.runs.store import Store
from core.stopping import Stopped
from core.validation.presets import DEMO, demo_configs, presets_of
from tests.conftest import make_toy_config


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record(make_toy_config().with_(method="emr", epochs=1), lambda event: None)


def compared(event: Event) -> Event | None:
    """What is the same whenever a run records it: all but Progress and how long things took."""
    if isinstance(event, (Progress, StageTime)):
        return None
    if isinstance(event, Epoch):
        return rounded(Epoch(**{**vars(event), "seconds": 0.0}))
    return rounded(event)


def test_a_file_keeps_what_a_run_told(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "runs.json.xz"
    save(path, [recording])
    (again,) = load(path)
    assert again.events == tuple(rounded(event) for event in recording.events)
    assert (again.config, again.versions) == (recording.config, recording.versions)
    gold = next(event for event in again.events if isinstance(event, Predictions)).gold
    assert all(len(f"{p:.6g}".lstrip("0.")) <= 6 for row in gold for p in row)


@pytest.mark.parametrize("content", [b"", b"{}", lzma.compress(b"[1]"), lzma.compress(b"{}")])
def test_what_is_no_recording_is_said(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.xz"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is no file of recorded runs"):
        load(path)
    with pytest.raises(StoreError, match="is no file of recorded runs"):
        load(tmp_path / "missing.xz")


def test_a_store_has_it_once_finished_and_marked(recording: Recording, store: Store) -> None:
    (id,) = put_in(store, [recording])
    assert put_in(store, [recording]) == [id]
    run = store.run(id)
    assert (run.status, run.progress, run.tasks) == (FINISHED, 1.0, recording.facts.tasks)
    assert run.versions[MARK]
    assert run.name.endswith("(recorded)")
    assert _past(store, run.config) == []  # how long it took elsewhere says nothing of this machine
    assert newest_of(store, recording.config) is None
    carried_out = store.create(recording.config)
    assert newest_of(store, recording.config) == carried_out


def against_a_new_run(stored: Recording, until: int | None = None) -> list[tuple[Event, Event]]:
    """The events of a run trained anew (so many epochs of the first task) beside the stored ones.

    Another kind of CPU rounds otherwise in the last bit, which grows from epoch to epoch.
    """
    from core.training.sequence import train

    anew: list[Event] = []

    def stop() -> bool:
        return until is not None and sum(isinstance(event, Epoch) for event in anew) >= until

    try:
        train(stored.config.with_(device="cpu"), anew.append, stop)
    except Stopped:
        assert until is not None
    new = [event for event in map(compared, anew) if event is not None]
    old = [event for event in map(compared, stored.events) if event is not None]
    assert any(isinstance(event, RunStarted) for event in new)
    assert until is not None or len(new) == len(old)
    return list(zip(new, old, strict=False))


def close(new: object, old: object) -> bool:
    """Equal but for rounding in numbers that are not whole."""
    if isinstance(old, float) and isinstance(new, float):
        return math.isclose(new, old, rel_tol=1e-3, abs_tol=1e-6)
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(new) == len(old) and all(map(close, new, old))
    if isinstance(old, dict) and isinstance(new, dict):
        return new.keys() == old.keys() and all(close(new[key], old[key]) for key in old)
    return new == old


def test_the_recorded_demo_is_the_demo_and_begins_as_a_new_run_does() -> None:
    recordings = load(DEMO_FILE)
    budget = RunConfig().recording_budget
    assert tuple(r.config.with_(recording_budget=budget) for r in recordings) == demo_configs()
    assert all(DEMO in presets_of(r.config) for r in recordings)
    pairs = against_a_new_run(recordings[0], until=1)
    assert sum(isinstance(event, Epoch) for event, _ in pairs) == 1
    for new, old in pairs:
        assert type(new) is type(old)
        assert close(vars(new), vars(old)), (new, old)


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1])
def test_the_recorded_demo_is_a_new_runs_to_the_end(which: int) -> None:
    pairs = against_a_new_run(load(DEMO_FILE)[which])
    correct = total = 0
    for new, old in pairs:
        assert type(new) is type(old)
        if isinstance(new, MemoryStored):
            assert new.indices == old.indices
        if isinstance(new, Accuracy):
            assert (new.after, new.on, new.total) == (old.after, old.on, old.total)
            if new.after == 5:
                correct, total = correct + new.correct - old.correct, total + new.total
    assert abs(correct) < 0.1 * total  # ACC_whole after the last task, within 10 points
