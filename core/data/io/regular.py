"""Regular files of rows and vectors: what is wrong with one is a DataError."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.data.base import DataError
from core.regular import open_file, read_file


@contextmanager
def _in_a_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error


def open_regular(path: Path) -> BinaryIO:
    """The file, to be read as bytes; DataError where there is none or it is of another kind."""
    with _in_a_sentence(path):
        return open_file(path)


def read_regular(path: Path, most: int) -> bytes:
    """What the file holds; DataError where it holds more than `most` bytes or can't be read."""
    with _in_a_sentence(path):
        return read_file(path, most)
