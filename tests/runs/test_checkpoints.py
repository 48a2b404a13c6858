"""Checkpoints: whole or not at all, read from the runs folder only."""

import errno
import os
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from core.runs import checkpoint_files, checkpoints
from core.runs.checkpoints import CheckpointError
from core.runs.run import RunTaken

STATE = {
    "weights": {"w": torch.arange(6.0).reshape(2, 3), "n": torch.tensor(3)},
    "optimizer": None,
    "position": [1, 0, 3],
    "memory": {0: [4, 2], 1: []},
    "generators": {"torch": {}, "numpy": {"order": '{"state": 1}'}},
    "rate": 0.5,
}


def test_a_state_comes_back_bit_by_bit(home: Path) -> None:
    assert checkpoints.load(1) is None
    checkpoints.save(1, STATE)
    back = checkpoints.load(1)
    assert torch.equal(back["weights"].pop("w"), STATE["weights"]["w"])
    assert torch.equal(back["weights"].pop("n"), STATE["weights"]["n"])
    assert back == {**STATE, "weights": {}}
    assert checkpoints.load(2) is None


def test_the_last_save_counts_and_leaves_nothing_beside_it(home: Path) -> None:
    checkpoints.save(1, {"epoch": 1})
    checkpoints.save(1, {"epoch": 2})
    checkpoints.save_parser(1, 0, {"task": 0})
    checkpoints.save_parser(1, 3, {"task": 3})
    assert checkpoints.load(1) == {"epoch": 2}
    assert [checkpoints.load_parser(1, task) for task in (0, 1, 3)] == [
        {"task": 0},
        None,
        {"task": 3},
    ]
    names = {path.name for path in (home / "checkpoints" / "1").iterdir()}
    assert names == {"state.pt", "parser-0.pt", "parser-3.pt"}
    checkpoints.drop_state(1)
    assert checkpoints.load(1) is None
    assert checkpoints.load_parser(1, 3) == {"task": 3}
    checkpoints.delete(1)
    assert not (home / "checkpoints" / "1").exists()
    checkpoints.delete(1)


def test_a_full_disk_leaves_the_last_checkpoint(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.save(1, {"epoch": 1})

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(CheckpointError, match=r"state\.pt can't be written: No space left"):
            checkpoints.save(1, {"epoch": 2})
    assert checkpoints.load(1) == {"epoch": 1}
    assert [path.name for path in (home / "checkpoints" / "1").iterdir()] == ["state.pt"]


def test_a_write_cut_short_leaves_the_last_checkpoint(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoints.save(1, {"epoch": 1})

    def cut(part: Path, target: Path) -> None:
        part.write_bytes(part.read_bytes()[:10])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            checkpoints.save(1, {"epoch": 2})
    assert checkpoints.load(1) == {"epoch": 1}


def test_an_unwritable_place_is_named(home: Path) -> None:
    home.mkdir()
    (home / "checkpoints").write_text("a file where the folder should be")
    with pytest.raises(CheckpointError, match=r"checkpoints.* can't be written: "):
        checkpoints.save(1, {"epoch": 1})
    with pytest.raises(CheckpointError, match=r"parser-0\.pt can't be written: "):
        checkpoints.save_parser(1, 0, {"epoch": 1})


class Harmful:
    def __reduce__(self) -> tuple:
        return (os.mkdir, ("harm",))


@pytest.mark.parametrize(
    "content", [b"", b"no checkpoint", pickle.dumps(Harmful()), pickle.dumps({"a": 1})]
)
def test_what_is_no_checkpoint_is_refused_unread(
    home: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    folder = checkpoints.folder(1)
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    (folder / "state.pt").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"state\.pt can't be read: ."):
        checkpoints.load(1)
    assert not (folder / "harm").exists()


def test_an_object_in_a_real_checkpoint_is_refused(home: Path) -> None:
    folder = checkpoints.folder(1)
    folder.mkdir(parents=True)
    torch.save({"x": Harmful()}, folder / "state.pt")
    with pytest.raises(CheckpointError, match="can't be read"):
        checkpoints.load(1)


@pytest.mark.parametrize("run", ["../../etc", "1/../2", "x"])
def test_a_run_is_a_number(home: Path, run: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        checkpoints.load(run)


@pytest.mark.parametrize("digest", [True, False], ids=["digest", "of an earlier version"])
@pytest.mark.parametrize("seed", range(20))
def test_four_hundred_changed_bytes_are_noticed(home: Path, seed: int, digest: bool) -> None:
    rng = np.random.default_rng(seed)
    weights = torch.from_numpy(rng.normal(size=(50, 40)))
    path = checkpoints.folder(1) / "state.pt"
    if digest:
        checkpoints.save(1, {"weights": weights})
    else:
        path.parent.mkdir(parents=True)
        torch.save({"weights": weights}, path)
    whole = bytearray(path.read_bytes())
    start = int(rng.integers(300, len(whole) - 2000))
    whole[start : start + 400] = bytes(byte ^ 0x5A for byte in whole[start : start + 400])
    path.write_bytes(whole)
    with pytest.raises(CheckpointError, match=r"can't be read: it is (damaged|cut short)"):
        checkpoints.load(1)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_a_file_cut_short_is_noticed(home: Path, share: float) -> None:
    checkpoints.save(1, STATE)
    path = checkpoints.folder(1) / "state.pt"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(CheckpointError, match="cut short"):
        checkpoints.load(1)


@pytest.mark.parametrize("state", [torch.zeros(3), [1, 2], 5, "text", None])
def test_what_is_no_dict_is_no_checkpoint(home: Path, state: object) -> None:
    checkpoint_files.write(checkpoints.folder(1) / "parser-0.pt", state)
    with pytest.raises(CheckpointError, match="does not hold what a checkpoint does"):
        checkpoints.load_parser(1, 0)


def test_nobody_is_told_to_switch_safety_off(home: Path) -> None:
    folder = checkpoints.folder(1)
    folder.mkdir(parents=True)
    torch.save({"x": Harmful()}, folder / "state.pt")
    with pytest.raises(CheckpointError) as error:
        checkpoints.load(1)
    assert "weights_only" not in str(error.value)


def test_what_is_published_is_refused_where_the_run_is_taken(home: Path) -> None:
    checkpoints.save(1, {"epoch": 1})

    def refuse(action: object) -> None:
        raise RunTaken("taken")

    with pytest.raises(RunTaken):
        checkpoints.save(1, {"epoch": 2}, refuse)
    with pytest.raises(RunTaken):
        checkpoints.save_parser(1, 0, {"epoch": 2}, refuse)
    assert checkpoints.load(1) == {"epoch": 1}
    assert [path.name for path in checkpoints.folder(1).iterdir()] == ["state.pt"]


def test_sweeping_removes_what_nobody_needs(home: Path) -> None:
    for run in (1, 2, 3):
        checkpoints.save(run, {"epoch": 1})
        checkpoints.save_parser(run, 0, {"epoch": 1})
        for name, age in (("state.pt.7-7.part", 3600), ("state.pt.8-8.part", 0)):
            part = checkpoints.folder(run) / name
            part.write_bytes(b"half")
            os.utime(part, (time.time() - age, time.time() - age))
    checkpoints.sweep(finished=[1, 9], ended=[1, 2])
    left = {run: {path.name for path in checkpoints.folder(run).iterdir()} for run in (1, 2, 3)}
    both = {"state.pt", "parser-0.pt"}
    assert left[1] == {"parser-0.pt"}
    assert left[2] == both | {"state.pt.8-8.part"}  # somebody may be writing it
    assert left[3] == both | {"state.pt.7-7.part", "state.pt.8-8.part"}
