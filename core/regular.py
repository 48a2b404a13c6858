"""Opening of files that users name: regular ones alone, for a pipe or a device may never end."""

import errno
import stat
from pathlib import Path
from typing import BinaryIO

MOST_TEXT = 50_000_000  # bytes of a file of settings or results


def open_file(path: Path) -> BinaryIO:
    """The file, to be read as bytes; OSError where there is none or it is of another kind."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "expected a file, found a folder, a pipe or a device")
    return path.open("rb")


def read_file(path: Path, most: int) -> bytes:
    """What the file holds; OSError where it holds more than `most` bytes or can't be read."""
    with open_file(path) as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"expected a file of at most {most:,} bytes")
    return data


def read_text(path: Path, most: int = MOST_TEXT) -> str:
    """The file's text in UTF-8, with line feeds for line ends; OSError or UnicodeDecodeError."""
    return read_file(path, most).decode("utf-8").replace("\r\n", "\n")
