"""Fetches the benchmarks from their authors' public repository, or from a mirror of it.

A file grows under the name `….part`, so that a later call goes on where a cut connection left off,
and takes its own name only once its SHA-256 is the published one.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException, InvalidURL
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from core.data.base import DataError
from core.data.io.exclusive import alone
from core.data.io.inventory import BenchmarkFile, Verdict, digest_of, published_files, verdict
from core.data.io.regular import open_regular

REPOSITORY = "zhuang-li/cl_nsp"
COMMIT = "ceb0c25ac8264613314d25591a472682c3cd0818"
ORIGIN = f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/datasets"
TIMEOUT = 20.0  # seconds without an answer or a byte
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


class _CutError(Exception):
    """The connection could not be made or ended too early: the reason."""


class _StalledError(_CutError):
    """The source is too slow to wait for."""


# Opens a file's source at an offset: the stream, and the offset at which it really starts.
_Opener = Callable[[BenchmarkFile, int], tuple[Any, int]]


def get(
    dataset: str,
    source: str | Path | None = None,
    *,
    progress: Callable[[DownloadProgress], None] = lambda progress: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Fetches the files of a data set that are not there yet; False where it was stopped.

    `source` is the URL or the folder of a mirror that is laid out as the data folder is. DataError
    says what went wrong; a later call goes on from there.
    """
    files = published_files(dataset)
    opener = _opener(source)
    starts = [0, *accumulate(file.size for file in files)]

    def tell(number: int, there: int) -> None:
        name = files[min(number, len(files) - 1)].name
        progress(DownloadProgress(name, number, len(files), starts[number] + there, starts[-1]))

    with alone(dataset, files[0].path.parent):
        for number, file in enumerate(files):
            if should_stop():
                return False
            there = verdict(file) is Verdict.RIGHT
            if not there and not _fetch(file, opener, partial(tell, number), should_stop):
                return False
            tell(number + 1, 0)
    return True


def _opener(source: str | Path | None) -> _Opener:
    if source is None:
        return partial(_open_url, lambda file: f"{ORIGIN}/{_in_repository(file.name)}")
    text = str(source)
    if text.lower().startswith(("http://", "https://")):
        return partial(_open_url, lambda file: f"{text.rstrip('/')}/{file.name}")
    try:
        folder = Path(text).expanduser()
        there = bool(text) and folder.is_dir()
    except (OSError, RuntimeError):  # too long a name; the home of a user that is none
        there = False
    if not there:
        raise DataError(f"{text[:200]}: expected a folder that is there, or an http or https URL.")
    return partial(_open_copy, folder)


def _in_repository(name: str) -> str:
    folder, _, file = name.partition("/")
    return f"{folder}/continual_split/{file}"


def _open_copy(folder: Path, file: BenchmarkFile, offset: int) -> tuple[Any, int]:
    path = folder / file.name
    stream = open_regular(path)
    stream.seek(offset)
    return stream, offset


def _open_url(
    address: Callable[[BenchmarkFile], str], file: BenchmarkFile, offset: int
) -> tuple[Any, int]:
    url = address(file)
    try:
        request = Request(url, headers={"Accept-Encoding": "identity"})
        if offset:
            request.add_header("Range", f"bytes={offset}-")
        answer = urlopen(request, timeout=TIMEOUT)
    except HTTPError as error:
        error.close()
        if error.code == 416 and offset:  # the server has no byte behind the offset
            return _open_url(address, file, 0)
        what = "the server has no such file" if error.code == 404 else "the server refused"
        raise DataError(f"{url}: {what} ({error.code} {_printable(error.reason)}).") from error
    except (ValueError, InvalidURL) as error:
        raise DataError(f"{url}: expected an http or https URL ({error}).") from error
    except (URLError, OSError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        reason = getattr(reason, "strerror", None) or reason
        host = urlsplit(url).netloc
        raise _CutError(f"{host} can't be reached ({_printable(reason)})") from error
    goes_on = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(
        f"bytes {offset}-"
    )
    return answer, offset if goes_on else 0


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: can't be written: {error.strerror or error}.") from error


def _printable(text: object) -> str:
    """What a server says, for one line of a terminal."""
    return "".join(c for c in str(text) if c.isprintable())[:100]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _fetch(
    file: BenchmarkFile,
    opener: _Opener,
    report: Callable[[int], None],
    should_stop: Callable[[], bool],
) -> bool:
    """Brings one file under its name; False where it was stopped."""
    part = file.path.with_name(f"{file.path.name}.part")
    with _writing(part):
        part.parent.mkdir(parents=True, exist_ok=True)
        if part.is_symlink() or (part.exists() and not part.is_file()):
            part.unlink()  # what we write must not go elsewhere
    for attempt in range(1, ATTEMPTS + 1):
        had = _size(part)
        try:
            if had != file.size and not _receive(file, part, had, opener, report, should_stop):
                return False
            break
        except _CutError as cut:
            have = _size(part)
            if have <= had or attempt == ATTEMPTS or isinstance(cut, _StalledError):
                raise DataError(
                    f"{file.name}: {cut}; {have:,} of {file.size:,} bytes are here. Check the "
                    "network and try again: it goes on from there. Or name a mirror, a URL or a "
                    "folder."
                ) from cut
    _accept(file, part)
    return True


def _receive(
    file: BenchmarkFile,
    part: Path,
    had: int,
    opener: _Opener,
    report: Callable[[int], None],
    should_stop: Callable[[], bool],
) -> bool:
    """Appends to the part until it has the file's size; False where it was stopped."""
    stream, have = opener(file, had if had < file.size else 0)
    with stream:
        with _writing(part):
            out = part.open("ab" if have else "wb")
        with out:
            since, had_then = monotonic(), have
            while have < file.size:
                if monotonic() - since >= TIMEOUT:
                    if have - had_then < LEAST_RATE * TIMEOUT:
                        raise _StalledError(f"less than {LEAST_RATE:,} bytes a second came")
                    since, had_then = monotonic(), have
                if should_stop():
                    return False
                try:
                    chunk = stream.read1(min(_CHUNK, file.size - have))
                except (OSError, HTTPException) as error:
                    raise _CutError(f"reading was cut off ({error})") from error
                if not chunk:
                    raise _CutError("the connection was cut, or the file there is shorter")
                with _writing(part):
                    out.write(chunk)
                    out.flush()
                have += len(chunk)
                report(have)
            with _writing(part):
                os.fsync(out.fileno())
    return True


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
