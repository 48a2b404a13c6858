"""Checkpoints: the state from which a run goes on, and its parser after each task.

A file is written beside its place, synced and renamed, so that whatever happens the last whole one
stays. They lie in `paths.home()/checkpoints/<run>/` and nothing is read from anywhere else.
"""

import io
import os
import shutil
import threading
from pathlib import Path
from typing import Any

from core import paths


class CheckpointError(RuntimeError):
    """A checkpoint that can't be written or read: which one, and why."""


def folder(run: int) -> Path:
    """Where the run's checkpoints lie."""
    return paths.home() / "checkpoints" / str(int(run))


def save(run: int, state: dict[str, Any]) -> None:
    """Keep the state (plain values and tensors) from which the run can go on.

    CheckpointError where it can't be written; the one kept before is then still there.
    """
    _write(folder(run) / "state.pt", state)


def load(run: int) -> dict[str, Any] | None:
    """The state kept last, on the CPU; None where there is none; CheckpointError if unreadable."""
    return _read(folder(run) / "state.pt")


def save_parser(run: int, task: int, state: dict[str, Any]) -> None:
    """Keep the parser as it is after the task (counted from 0). Errors as in `save`."""
    _write(folder(run) / f"parser-{int(task)}.pt", state)


def load_parser(run: int, task: int) -> dict[str, Any] | None:
    """What `keep` kept of this task, on the CPU; None where it has kept nothing."""
    return _read(folder(run) / f"parser-{int(task)}.pt")


def saved_parsers(run: int) -> tuple[int, ...]:
    """The tasks (from 0), in order, of which `keep` has kept the parser."""
    found = [file.stem.removeprefix("parser-") for file in folder(run).glob("parser-*.pt")]
    return tuple(sorted(int(number) for number in found if number.isdecimal()))


def drop_state(run: int) -> None:
    """Forget the state of a finished run, which needs none; its parsers stay."""
    _remove(folder(run) / "state.pt")


def delete(run: int) -> None:
    """Remove all that is kept of the run; nothing to remove is no error."""
    place = folder(run)
    try:
        if place.exists():
            shutil.rmtree(place)
    except OSError as error:
        raise CheckpointError(f"{place} can't be removed: {_why(error)}.") from error


def _write(path: Path, state: dict[str, Any]) -> None:
    import torch

    whole = io.BytesIO()
    torch.save(state, whole)  # to memory first: on a full disk its own writer ends the process
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(whole.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        _remove_part(part)
        raise CheckpointError(f"The checkpoint {path} can't be written: {_why(error)}.") from error


def _read(path: Path) -> dict[str, Any] | None:
    import torch

    try:
        if not path.exists():
            return None
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch.load has no one kind of error for a file that is none
        raise CheckpointError(f"The checkpoint {path} can't be read: {_why(error)}.") from error


def _sync_folder(place: Path) -> None:
    """Make the renaming itself survive a power cut, where a folder can be opened."""
    if os.name == "posix":
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove_part(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:
        return  # its folder is what can't be written; the error that led here says so


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(f"{path} can't be removed: {_why(error)}.") from error


def _why(error: Exception) -> str:
    """A few words, without a full stop."""
    said = getattr(error, "strerror", None) or str(error).strip().split("\n")[0]
    return (said or type(error).__name__).rstrip(".")
