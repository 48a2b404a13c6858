"""Whether the disk has room for what runs record and keep."""

import logging
import shutil
import time
from collections.abc import Callable

from core import paths
from core.runs.checkpoint_files import NoRoomError
from core.stopping import ShouldStop, check

LEAST_FREE = 8_000_000  # bytes; a checkpoint is about as large
SHARED = 1 << 16  # bytes of SQLite's file beside the database, made by whoever reads, and more
PAUSE = 2.0  # seconds between two tries

log = logging.getLogger(__name__)


def write_with_room(write: Callable[[], None], should_stop: ShouldStop, patience: float) -> None:
    """Write a checkpoint, tried again for so many seconds while the disk is full.

    NoRoomError after that; Stopped where the run is to stop meanwhile.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            write()
            return
        except NoRoomError as problem:
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            check(should_stop)
            log.warning("%s Trying again for %.0f s.", problem, left)
            time.sleep(min(PAUSE, left))


def lacking_room() -> str:
    """In a sentence that the disk of the runs is full; empty where it is not, or can't be seen."""
    free = _free()
    if free is None or free >= LEAST_FREE:
        return ""
    return (
        f"The disk that holds {paths.home()} is full ({free / 1e6:.1f} MB are free): runs wait "
        "until there is room, and go on by themselves then."
    )


def is_full() -> bool:
    """Whether the disk of the runs has no room even for what reading needs beside a database."""
    free = _free()
    return free is not None and free < SHARED


def _free() -> int | None:
    try:
        return shutil.disk_usage(paths.home()).free
    except OSError:
        return None
