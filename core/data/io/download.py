"""Fetches the benchmarks from their authors' public repository, and word vectors from their
authors' server, or either from a mirror.

A file grows under the name `….part`, so that a later call goes on where a cut connection left off,
and takes its own name only once its SHA-256 is the published one.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from itertools import accumulate
from pathlib import Path
from time import monotonic

from core.data.base import DataError
from core.data.io import sources, vector_files
from core.data.io.exclusive import alone
from core.data.io.inventory import BenchmarkFile, Verdict, digest_of, published_files, verdict
from core.data.io.prompt import read_promptly
from core.data.io.sources import CutError, Opener, StalledError, is_url, opener_of
from core.stopping import ShouldStop, check, never

LEAST_RATE = 1000  # bytes a second, over TIMEOUT; a slower source is given up
ATTEMPTS = 5  # connections for one file in a call, as long as each brings something

_CHUNK = 1 << 16


@dataclass(frozen=True)
class DownloadProgress:
    """How far a download is, files that were there from the start included."""

    file: str
    files_done: int
    files: int
    bytes_done: int
    bytes: int


def get(
    dataset: str,
    source: str | Path | None = None,
    *,
    progress: Callable[[DownloadProgress], None] = lambda progress: None,
    should_stop: ShouldStop = never,
) -> None:
    """Fetches the files of a data set or of word vectors that are not there yet.

    `source` is the URL or the folder of a mirror that is laid out as the data folder is; of word
    vectors also the file itself. Stopped where `should_stop` asks for it, DataError says what went
    wrong; a later call goes on from there.
    """
    opener = opener_of(source, dataset in vector_files.TABLES)
    if dataset in vector_files.TABLES:
        mirror = Path(source).expanduser() if source and not is_url(source) else None
        files: tuple[BenchmarkFile, ...] = (vector_files.wanted_file(dataset, mirror),)
    else:
        files = published_files(dataset)
    starts = [0, *accumulate(file.size for file in files)]

    def show(number: int, received: int) -> None:
        name = files[min(number, len(files) - 1)].name
        progress(DownloadProgress(name, number, len(files), starts[number] + received, starts[-1]))

    with alone(dataset, files[0].path.parent):
        for number, file in enumerate(files):
            check(should_stop)
            if verdict(file) is not Verdict.RIGHT:
                _fetch(file, opener, partial(show, number), should_stop)
            show(number + 1, 0)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: can't be written: {error.strerror or error}.") from error


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _fetch(
    file: BenchmarkFile,
    opener: Opener,
    report: Callable[[int], None],
    should_stop: ShouldStop,
) -> None:
    """Brings one file under its name."""
    part = file.path.with_name(f"{file.path.name}.part")
    with _writing(part):
        part.parent.mkdir(parents=True, exist_ok=True)
        if part.is_symlink() or (part.exists() and not part.is_file()):
            part.unlink()  # what we write must not go elsewhere
    for attempt in range(1, ATTEMPTS + 1):
        had = _size(part)
        try:
            if had != file.size:
                _receive(file, part, had, opener, report, should_stop)
            break
        except CutError as cut:
            have = _size(part)
            if have <= had or attempt == ATTEMPTS or isinstance(cut, StalledError):
                raise DataError(
                    f"{file.name}: {cut}; {have:,} of {file.size:,} bytes are here. Check the "
                    "network and try again: it goes on from there. Or name a mirror, a URL or a "
                    "folder."
                ) from cut
    _accept(file, part)


def _receive(
    file: BenchmarkFile,
    part: Path,
    had: int,
    opener: Opener,
    report: Callable[[int], None],
    should_stop: ShouldStop,
) -> None:
    """Appends to the part until it has the file's size."""
    stream, have = opener(file, had if had < file.size else 0)
    with stream:
        with _writing(part):
            out = part.open("ab" if have else "wb")
        with out:
            since, had_then = monotonic(), have
            while have < file.size:
                if monotonic() - since >= sources.TIMEOUT:
                    if have - had_then < LEAST_RATE * sources.TIMEOUT:
                        raise StalledError(f"less than {LEAST_RATE:,} bytes a second came")
                    since, had_then = monotonic(), have
                check(should_stop)
                try:
                    n_bytes = min(_CHUNK, file.size - have)
                    chunk = read_promptly(stream, n_bytes, sources.TIMEOUT)
                except (OSError, HTTPException) as error:
                    raise CutError(f"reading was cut off ({error})") from error
                if not chunk:
                    raise CutError("the connection was cut, or the file there is shorter")
                with _writing(part):
                    out.write(chunk)
                    out.flush()
                have += len(chunk)
                report(have)
            with _writing(part):
                os.fsync(out.fileno())


def _accept(file: BenchmarkFile, part: Path) -> None:
    with _writing(part):
        digest = digest_of(part)
        if digest != file.digest:
            part.unlink()
            raise DataError(
                f"{file.name}: what the source holds is not the published file (SHA-256 "
                f"{digest[:12]}…, expected {file.digest[:12]}…); it was thrown away."
            )
        part.replace(file.path)
