"""Where the files of downloads come from: their publishers, a mirror on the web, or a folder."""

from collections.abc import Callable
from functools import partial
from http.client import HTTPException, InvalidURL
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from core.data.base import DataError
from core.data.io import vector_files
from core.data.io.inventory import BenchmarkFile
from core.data.io.prompt import open_promptly
from core.data.io.regular import open_regular

REPOSITORY = "zhuang-li/cl_nsp"
COMMIT = "ceb0c25ac8264613314d25591a472682c3cd0818"
ORIGIN = f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/datasets"
TIMEOUT = 20.0  # seconds without an answer or a byte


class CutError(Exception):
    """The connection could not be made or ended too early: the reason."""


class StalledError(CutError):
    """The source is too slow to wait for."""


# Opens a file's source at an offset: the stream, and the offset at which it really starts.
Opener = Callable[[BenchmarkFile, int], tuple[Any, int]]


def is_url(source: str | Path) -> bool:
    """Whether it is an address on the web, not a path."""
    return str(source).lower().startswith(("http://", "https://"))


def opener_of(source: str | Path | None, of_vectors: bool) -> Opener:
    """What opens files there; None: where they are published. DataError: it is no source."""
    if source is None:
        return partial(_open_url, _origin)
    text = str(source)
    if is_url(text):
        return partial(_open_url, partial(_in_mirror, text.rstrip("/")))
    try:
        path = Path(text).expanduser()
        exists = bool(text) and (path.is_dir() or (of_vectors and path.is_file()))
    except (OSError, RuntimeError):  # too long a name; the home of a user that is none
        exists = False
    if not exists:
        raise DataError(f"{text[:200]}: expected a folder that is there, or an http or https URL.")
    return partial(_open_copy, path)


def _in_mirror(url: str, file: BenchmarkFile) -> str:
    """Below the mirror's address, or the address itself where it names the file."""
    return url if url.endswith("/" + Path(file.name).name) else f"{url}/{file.name}"


def _origin(file: BenchmarkFile) -> str:
    """Where a file is published."""
    if file == vector_files.ARCHIVE:
        return vector_files.ORIGIN
    return f"{ORIGIN}/{_in_repository(file.name)}"


def _in_repository(name: str) -> str:
    folder, _, file = name.partition("/")
    return f"{folder}/continual_split/{file}"


def _open_copy(mirror: Path, file: BenchmarkFile, offset: int) -> tuple[Any, int]:
    stream = open_regular(vector_files.copy_in(mirror, file) or mirror / file.name)
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
        answer = open_promptly(request, TIMEOUT)
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
        raise CutError(f"{host} can't be reached ({_printable(reason)})") from error
    goes_on = answer.status == 206 and answer.headers.get("Content-Range", "").startswith(
        f"bytes {offset}-"
    )
    return answer, offset if goes_on else 0


def _printable(text: object) -> str:
    """What a server says, for one line of a terminal."""
    return "".join(c for c in str(text) if c.isprintable())[:100]
