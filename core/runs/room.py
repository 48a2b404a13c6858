"""Whether the disk has room for what runs record and keep."""

import shutil

from core import paths

LEAST_FREE = 8_000_000  # bytes; a checkpoint is about as large


def lacking_room() -> str:
    """In a sentence that the disk of the runs is full; empty where it is not, or can't be seen."""
    try:
        free = shutil.disk_usage(paths.home()).free
    except OSError:
        return ""
    if free >= LEAST_FREE:
        return ""
    return (
        f"The disk that holds {paths.home()} is full ({free / 1e6:.1f} MB are free): runs wait "
        "until there is room, and go on by themselves then."
    )
