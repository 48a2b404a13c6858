"""Checkpoints: the state from which a run goes on, and its parser after each task.

They lie in `paths.home()/checkpoints/<run>/`, or in the object store that TOTAL_RECALL_HOME names
(core.runs.bucket), and nothing is read from anywhere else. Who writes for a run gives a `publish`
that refuses where another process has the run by now.
"""

import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core import paths
from core.runs import checkpoint_files
from core.runs.bucket import Bucket, Publish
from core.runs.checkpoint_files import CheckpointError as CheckpointError
from core.runs.checkpoint_files import at_once, why

_UNFIT = "can't go on from its checkpoint"
_STALE = 600.0  # seconds after which nobody is still writing a file
_STATE, _PART = "state.pt", ".part"


def folder(run: int) -> Path:
    """Where the run's checkpoints lie on this machine's disk."""
    return paths.home() / "checkpoints" / str(int(run))


def _location(run: int) -> Path | Bucket:
    """Where they lie; CheckpointError where that is a store whose address can't be opened."""
    if not paths.bucket():
        return folder(run)
    try:
        return Bucket.at(paths.bucket()).below(f"checkpoints/{int(run)}")
    except OSError as error:
        raise CheckpointError(f"TOTAL_RECALL_HOME can't be opened: {why(error)}.") from error


def save(run: int, state: dict[str, Any], publish: Publish = at_once) -> None:
    """Keep the state (plain values and tensors) from which the run can go on.

    CheckpointError where it can't be written; the one kept before is then still there.
    """
    checkpoint_files.write(_location(run) / _STATE, state, publish)


def load(run: int) -> dict[str, Any] | None:
    """The state kept last, on the CPU; None where there is none; CheckpointError if not whole."""
    return checkpoint_files.read(_location(run) / _STATE)


def save_parser(run: int, task: int, state: dict[str, Any], publish: Publish = at_once) -> None:
    """Keep the parser as it is after the task (counted from 0). Errors as in `save`."""
    checkpoint_files.write(_location(run) / f"parser-{int(task)}.pt", state, publish)


def load_parser(run: int, task: int) -> dict[str, Any] | None:
    """What `save_parser` kept of this task, on the CPU; None where it has kept nothing."""
    return checkpoint_files.read(_location(run) / f"parser-{int(task)}.pt")


def saved_parsers(run: int) -> tuple[int, ...]:
    """The tasks (from 0), in order, of which `save_parser` has kept the parser."""
    names = [name for name in _names(run) if name.startswith("parser-") and name.endswith(".pt")]
    numbers = [name.removeprefix("parser-").removesuffix(".pt") for name in names]
    return tuple(sorted(int(number) for number in numbers if number.isdecimal()))


def unfit(run: int, reason: str) -> str:
    """What a run's error says where its checkpoint is damaged or another's."""
    anew = f"It can be begun anew: python -m core resume {run} --anew"
    return f"Run {run} {_UNFIT}: {reason} {anew}."


def can_begin_anew(error: str) -> bool:
    """Whether this error of a run came of its checkpoint: every attempt to resume it fails so."""
    return _UNFIT in error


def drop_state(run: int) -> None:
    """Forget the state of a finished run, which needs none; its parsers stay."""
    _remove(run, [_STATE, *(name for name in _names(run) if name.endswith(_PART))])


def drop_parts(run: int, older: float = 0.0) -> None:
    """Remove what writers that are gone have left half written, for so many seconds."""
    _remove(run, [name for name in _names(run, older) if name.endswith(_PART)])


def sweep(finished: Iterable[int], ended: Iterable[int]) -> None:
    """Remove what is of no use: the state of runs that have finished, parts of those that ended.

    A process that was killed between the end of a run and clearing up leaves the one, in the midst
    of writing the other.
    """
    for run in finished:
        drop_state(run)
    for run in ended:
        drop_parts(run, older=_STALE)


def delete(run: int) -> None:
    """Remove all that is kept of the run; nothing to remove is no error."""
    location = _location(run)
    try:
        if isinstance(location, Bucket):
            location.remove(location.sizes())
        elif location.exists():
            shutil.rmtree(location)
    except OSError as error:
        raise CheckpointError(f"{location} can't be removed: {why(error)}.") from error


def size() -> int:
    """The bytes of all that is kept of runs."""
    if paths.bucket():
        return sum(Bucket.at(paths.bucket()).below("checkpoints").sizes().values())
    kept = (paths.home() / "checkpoints").glob("*/*")
    return sum(path.stat().st_size for path in kept if path.is_file())


def _names(run: int, older: float = 0.0) -> list[str]:
    """Of the files of the run that were written so many seconds ago."""
    location = _location(run)
    try:
        if isinstance(location, Bucket):
            return list(location.sizes(older))
        files = list(location.glob("*"))
        if older:
            files = [path for path in files if path.stat().st_mtime <= time.time() - older]
        return [path.name for path in files]
    except OSError as error:
        raise CheckpointError(f"{location} can't be read: {why(error)}.") from error


def _remove(run: int, names: Iterable[str]) -> None:
    location = _location(run)
    try:
        if isinstance(location, Bucket):
            location.remove(names)
            return
        for name in names:
            (location / name).unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(f"{location} can't be removed: {why(error)}.") from error
