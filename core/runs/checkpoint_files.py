"""One file of a checkpoint: written whole or not at all, verified when it is read.

It is what `torch.save` writes, and behind that a mark and the SHA-256 of all before the mark. Files
of earlier versions have no digest: there the checksums inside the file say whether it is whole.
"""

import errno
import hashlib
import io
import os
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from core.runs.bucket import Publish, StoredObject

_MARK = b"\ntotal recall sha256 "
_TAIL = len(_MARK) + hashlib.sha256().digest_size
_CHUNK = 1 << 20


class CheckpointError(RuntimeError):
    """A checkpoint that can't be written or read: which one, and why."""


class NoRoomError(CheckpointError):
    """A checkpoint that can't be written now: the disk is full."""


def at_once(action: Callable[[], None]) -> None:
    """Publishes for whoever calls."""
    action()


def write(path: Path | StoredObject, state: dict[str, Any], publish: Publish = at_once) -> None:
    """Write beside the path, sync, and take the path's name within `publish`; an object of a store
    as core.runs.bucket has it.

    CheckpointError where that fails, NoRoomError on a full disk; what was there before is still
    there then.
    """
    import torch

    whole = io.BytesIO()
    torch.save(state, whole)  # to memory first: on a full disk its own writer ends the process
    whole.write(_MARK + hashlib.sha256(whole.getbuffer()).digest())
    try:
        if isinstance(path, Path):
            _write_file(path, whole, publish)
        else:
            path.put(whole.getvalue(), publish)
    except OSError as error:
        kind = NoRoomError if error.errno in (errno.ENOSPC, errno.EDQUOT) else CheckpointError
        raise kind(f"The checkpoint {path} can't be written: {why(error)}.") from error


def _write_file(path: Path, whole: io.BytesIO, publish: Publish) -> None:
    part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.write(whole.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        publish(lambda: _take_place(part, path))
        _sync_folder(path.parent)
    finally:
        _remove_part(part)


def read(path: Path | StoredObject) -> dict[str, Any] | None:
    """What was written, on the CPU; None where there is nothing; CheckpointError if not whole."""
    try:
        opened = _open(path)
        if opened is None:
            return None
        with opened as file:
            reason = _fault(file)
            state = None if reason else _load(file)
    except OSError as error:
        raise CheckpointError(f"The checkpoint {path} can't be read: {why(error)}.") from error
    if reason or not isinstance(state, dict):
        reason = reason or "it does not hold what a checkpoint does"
        raise CheckpointError(f"The checkpoint {path} can't be read: {reason}.")
    return state


def _open(path: Path | StoredObject) -> BinaryIO | None:
    """Its bytes; None where there is nothing."""
    if not isinstance(path, Path):
        content = path.get()
        return None if content is None else io.BytesIO(content)
    if not path.exists():
        return None
    if not path.is_file():
        raise CheckpointError(f"The checkpoint {path} can't be read: it is no file.")
    return path.open("rb")


def why(error: Exception) -> str:
    """A few words, without a full stop."""
    text = getattr(error, "strerror", None) or str(error).strip().split("\n")[0]
    return (text or type(error).__name__).rstrip(".")


def _fault(file: BinaryIO) -> str:
    """What is wrong with the bytes of the file; empty where they are as they were written."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    file.seek(0)
    if tail.startswith(_MARK):
        same = _digest(file, size - _TAIL) == tail.removeprefix(_MARK)
        return "" if same else "it is damaged, its content is not what was written"
    try:
        with zipfile.ZipFile(file) as archive:
            bad = archive.testzip()
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError):
        return "it is cut short, or no checkpoint"
    return f"it is damaged in {bad!r}" if bad else ""


def _digest(file: BinaryIO, size: int) -> bytes:
    digest = hashlib.sha256()
    while size > 0:
        chunk = file.read(min(_CHUNK, size))
        if not chunk:
            break
        digest.update(chunk)
        size -= len(chunk)
    file.seek(0)
    return digest.digest()


def _load(file: BinaryIO) -> object:
    """The object in the file; None where it is of a kind that no checkpoint holds."""
    import torch

    file.seek(0)
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception:  # torch.load has no one kind of error, and its advice is not for here
        return None


def _take_place(part: Path, path: Path) -> None:
    if part.exists():  # else it has been done, by the same call: a store's transaction is repeated
        part.replace(path)


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself survive a power cut, where a folder can be opened."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove_part(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:
        return  # its folder is what can't be written; the error that led here says so
