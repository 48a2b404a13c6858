"""Checkpoints in an object store: whole or not at all, and a run goes on from them elsewhere."""

import os
from pathlib import Path

import pytest
import torch

from core import paths
from core.experiments import catalog
from core.experiments.status import status
from core.runs import checkpoints
from core.runs.bucket import Bucket
from core.runs.checkpoints import CheckpointError
from core.runs.run import FINISHED, RUNNING, RunTaken, StoreError
from core.runs.store import Store
from tests.experiments.commands import TINY, done, experiment, kill_family
from tests.experiments.same_cells import assert_same_cells, cells


def kept(address: str) -> set[str]:
    """The names of all that lies in the home."""
    return set(Bucket.at(address).sizes())


def test_states_and_parsers_come_back_and_only_the_last_is_there(bucket_home: str) -> None:
    assert checkpoints.load(1) is None
    assert checkpoints.saved_parsers(1) == ()
    weights = torch.arange(6.0)
    for epoch in (1, 2):
        checkpoints.save(1, {"epoch": epoch, "weights": epoch * weights})
    checkpoints.save_parser(1, 3, {"task": 3})
    checkpoints.save_parser(12, 0, {"task": 0})  # another run's, whose number begins alike
    state = checkpoints.load(1)
    assert state["epoch"] == 2
    assert torch.equal(state["weights"], 2 * weights)
    assert checkpoints.load_parser(1, 3) == {"task": 3}
    assert checkpoints.saved_parsers(1) == (3,)
    names = {"1/state.pt", "1/parser-3.pt", "12/parser-0.pt"}
    assert kept(bucket_home) == {f"checkpoints/{name}" for name in names}
    assert checkpoints.size() == sum(Bucket.at(bucket_home).sizes().values()) > 0
    checkpoints.drop_state(1)
    assert checkpoints.load(1) is None
    checkpoints.delete(1)
    checkpoints.delete(1)  # nothing to remove is no error
    assert kept(bucket_home) == {"checkpoints/12/parser-0.pt"}


def test_who_has_lost_the_run_replaces_nothing(bucket_home: str) -> None:
    checkpoints.save(1, {"epoch": 1})

    def refuse(action) -> None:
        raise RunTaken("Run 1 is not held by this process any more.")

    with pytest.raises(RunTaken):
        checkpoints.save(1, {"epoch": 2}, refuse)
    assert checkpoints.load(1) == {"epoch": 1}
    assert kept(bucket_home) == {"checkpoints/1/state.pt"}


def test_what_killed_writers_left_is_removed(bucket_home: str) -> None:
    checkpoints.save(1, {"epoch": 1})
    left = Bucket.at(bucket_home).below("checkpoints/1") / "state.pt.7-7.part"
    left.put(b"half", lambda action: action())
    checkpoints.drop_parts(1, older=600.0)  # somebody may be writing it
    assert left.get() == b"half"
    checkpoints.drop_parts(1)
    assert kept(bucket_home) == {"checkpoints/1/state.pt"}


def test_an_object_that_is_damaged_is_said(bucket_home: str) -> None:
    (Bucket.at(bucket_home).below("checkpoints/1") / "state.pt").put(b"?", lambda action: action())
    with pytest.raises(CheckpointError, match=r"s3://tests/.*/state\.pt can't be read: it is cut"):
        checkpoints.load(1)


def test_a_bucket_that_is_not_there_is_said(bucket_home: str, monkeypatch) -> None:
    monkeypatch.setenv("TOTAL_RECALL_HOME", bucket_home.replace("tests/", "nothing/"))
    with pytest.raises(CheckpointError, match=r"s3://nothing/.*/state\.pt can't be written"):
        checkpoints.save(1, {"epoch": 1})
    monkeypatch.setenv("TOTAL_RECALL_HOME", "s3://")
    with pytest.raises(CheckpointError, match="TOTAL_RECALL_HOME can't be opened"):
        checkpoints.load(1)


def test_an_object_store_needs_a_database_beside_it(bucket_home: str, monkeypatch) -> None:
    assert paths.home_name() == bucket_home
    monkeypatch.delenv("TOTAL_RECALL_DATABASE_URL")
    with pytest.raises(StoreError, match="name one in TOTAL_RECALL_DATABASE_URL"):
        Store()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers by /proc")
def test_a_killed_run_goes_on_in_another_process_with_the_same_bits(
    tmp_path: Path, bucket_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, here = tmp_path / "tiny.toml", tmp_path / "here"
    file.write_text(TINY.replace("pairs = 2", "pairs = 1").replace("epochs = 2", "epochs = 12"))
    with monkeypatch.context() as patch:
        patch.delenv("TOTAL_RECALL_DATABASE_URL")
        done(here, "run", str(file), "--workers", "1")
    done(bucket_home, "import", str(file))
    store = Store()
    id = catalog.load(store, "tiny").id
    process = experiment(bucket_home, "run", "tiny", "--workers", "1")
    while not any(name.endswith("/state.pt") for name in kept(bucket_home)):
        assert process.poll() is None
    kill_family(process.pid)
    process.communicate()
    counts = status(store, id).counts
    assert (counts[RUNNING], counts[FINISHED]) == (1, 0)  # in the midst of the first cell
    assert "All 2 cells are done" in done(bucket_home, "run", "tiny", "--workers", "1")
    assert sorted(run.attempts for run in store.runs()) == [1, 2]
    database = os.environ["TOTAL_RECALL_DATABASE_URL"]
    assert_same_cells(cells("tiny", bucket_home, database), cells("tiny", here), n_cells=2)
    assert {name.rpartition("/")[2] for name in kept(bucket_home)} == {
        "parser-0.pt",
        "parser-1.pt",
    }
