"""Opening of files that users name: regular ones alone, for a pipe or a device may never end."""

import stat
from pathlib import Path
from typing import BinaryIO

from core.data.base import DataError


def open_regular(path: Path) -> BinaryIO:
    """The file, to be read as bytes; DataError where there is none or it is of another kind."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise DataError(
                f"{path}: can't be read: expected a file, found a folder, a pipe or a device."
            )
        return path.open("rb")
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error


def read_regular(path: Path, most: int) -> bytes:
    """What the file holds; DataError where it holds more than `most` bytes or can't be read."""
    with open_regular(path) as stream:
        try:
            data = stream.read(most + 1)
        except OSError as error:
            raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
    if len(data) > most:
        raise DataError(f"{path}: expected a file of at most {most:,} bytes.")
    return data
