"""Checkpoints: whole or not at all, read from the runs folder only."""

import errno
import os
import pickle
from pathlib import Path

import pytest
import torch

from core.runs import checkpoints
from core.runs.checkpoints import CheckpointError

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


@pytest.mark.parametrize("content", [b"", b"no checkpoint", pickle.dumps(Harmful())])
def test_what_is_no_checkpoint_is_refused_unread(
    home: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    place = checkpoints.folder(1)
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    (place / "state.pt").write_bytes(content)
    with pytest.raises(CheckpointError, match=r"state\.pt can't be read: ."):
        checkpoints.load(1)
    assert not (place / "harm").exists()


def test_an_object_in_a_real_checkpoint_is_refused(home: Path) -> None:
    place = checkpoints.folder(1)
    place.mkdir(parents=True)
    torch.save({"x": Harmful()}, place / "state.pt")
    with pytest.raises(CheckpointError, match="can't be read"):
        checkpoints.load(1)


@pytest.mark.parametrize("run", ["../../etc", "1/../2", "x"])
def test_a_run_is_a_number(home: Path, run: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        checkpoints.load(run)
