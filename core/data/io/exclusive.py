"""One download of a data set at a time, whichever thread or process carries it out.

Two that write one file would each append what the other has, also after it has taken its name.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.data.base import DataError

try:
    import fcntl
except ImportError:  # no POSIX: threads of this process alone are kept apart
    fcntl = None  # type: ignore[assignment]

_in_progress: set[str] = set()
_lock = threading.Lock()


@contextmanager
def alone(dataset: str, folder: Path) -> Iterator[None]:
    """Keeps others out of the data set's folder, which is made; DataError where one is at it."""
    busy = DataError(f"{dataset} is being downloaded already.")
    with _lock:
        if dataset in _in_progress:
            raise busy
        _in_progress.add(dataset)
    try:
        with _locked(folder, busy):
            yield
    finally:
        with _lock:
            _in_progress.discard(dataset)


@contextmanager
def _locked(folder: Path, busy: DataError) -> Iterator[None]:
    """Holds the folder's lock, which ends with the process and leaves no file behind."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = None if fcntl is None else os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise DataError(f"{folder}: can't be written: {error.strerror or error}.") from error
    if handle is None:
        yield
        return
    try:
        with suppress(OSError):  # a file system without locks
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise busy from None
        yield
    finally:
        os.close(handle)
