"""Which benchmark files are on this machine, and whether each is the published one.

`digests.txt` beside this module holds the SHA-256, size and name of every file of the authors'
public repository at the commit that `download` names.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from core.data.base import DataError
from core.paths import data_folder
from core.registry import datasets

DIGESTS = Path(__file__).with_name("digests.txt")

_CHUNK = 1 << 20


@dataclass(frozen=True)
class BenchmarkFile:
    """A published file: `name` is its folder and file name below the data folder."""

    name: str
    size: int  # bytes
    digest: str  # SHA-256, 64 hexadecimal digits

    @property
    def path(self) -> Path:
        return data_folder() / self.name


class State(StrEnum):
    """How much of a data set is on this machine, judged by name and size."""

    COMPLETE = "complete"
    PARTIAL = "partial"
    MISSING = "missing"


class Verdict(StrEnum):
    """What a file is when its content is compared with the published digest."""

    RIGHT = "right"
    WRONG = "wrong"
    MISSING = "missing"


@dataclass(frozen=True)
class Availability:
    """How much of a data set is on this machine."""

    state: State
    files_there: int
    files: int
    bytes_there: int
    bytes: int


@cache
def _published(table: Path) -> tuple[BenchmarkFile, ...]:
    lines = table.read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return tuple(BenchmarkFile(name, int(size), digest) for digest, size, name in rows)


def downloadable() -> tuple[str, ...]:
    """The registered names of the data sets that have published files."""
    return tuple(name for name, entry in datasets.items() if entry.folder)


def published_files(dataset: str) -> tuple[BenchmarkFile, ...]:
    """The files of a data set; DataError where it is none that can be downloaded."""
    if dataset not in downloadable():
        names = ", ".join(downloadable())
        raise DataError(f"'{dataset}' is no data set with files to get; there are: {names}.")
    folder = datasets[dataset].folder
    return tuple(file for file in _published(DIGESTS) if file.name.startswith(f"{folder}/"))


def digest_of(path: Path) -> str:
    """SHA-256 of a file's content, in hexadecimal; OSError where it can't be read."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def verdict(file: BenchmarkFile) -> Verdict:
    """Reads the whole file and compares; DataError where it is there and can't be read."""
    try:
        if file.path.stat().st_size != file.size:
            return Verdict.WRONG
        return Verdict.RIGHT if digest_of(file.path) == file.digest else Verdict.WRONG
    except (FileNotFoundError, NotADirectoryError):
        return Verdict.MISSING
    except OSError as error:
        raise DataError(f"{file.path}: can't be read: {error.strerror or error}.") from error


def check(dataset: str) -> dict[str, Verdict]:
    """File name → verdict, for every file of a data set."""
    return {file.name: verdict(file) for file in published_files(dataset)}


def _has_size(file: BenchmarkFile) -> bool:
    try:
        return file.path.stat().st_size == file.size
    except OSError:
        return False


def available() -> dict[str, Availability]:
    """For each data set with published files, how much is there; quick, reads no content."""
    availability = {}
    for dataset in downloadable():
        files = published_files(dataset)
        present = [file for file in files if _has_size(file)]
        state = State.COMPLETE if len(present) == len(files) else State.PARTIAL
        availability[dataset] = Availability(
            state if present else State.MISSING,
            len(present),
            len(files),
            sum(file.size for file in present),
            sum(file.size for file in files),
        )
    return availability
