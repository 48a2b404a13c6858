"""A user's own tasks, from one imported file (`core/data/io/import_table.py` says of what).

The file is checked whole before it is kept, and kept under the SHA-256 of its content, so a run's
configuration says exactly which rows it learned.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile

from core.data.base import DataError, DataMissing, Task
from core.data.io.import_table import LIMITS, Progress, read_tasks
from core.data.io.kept import Kept, no_collection
from core.data.io.statistics import Statistics, low_coverage, statistics
from core.options import option
from core.paths import home
from core.registry import datasets, notations
from core.text import counted

DIGITS = 8  # of the digest, in names

_DIGEST = re.compile(r"[0-9a-f]{64}")
_loaded: Kept[tuple[Task, ...]] = Kept(4)  # by path and state of the file


@dataclass(frozen=True)
class Upload:
    """A file that is kept here: its digest, the name it came with, what it holds."""

    digest: str
    name: str
    tasks: tuple[str, ...]
    rows: tuple[tuple[int, int, int], ...]  # train, valid, test
    forms: int  # distinct logical forms
    notation: str = ""  # of its forms; empty, as what follows, in summaries of earlier versions
    writable: int | None = None  # test rows that the training rows' actions can write
    unknown_words: int | None = None  # distinct words of test rows that no training row has
    words: int | None = None  # distinct words of test rows
    fault: str = ""  # why its summary can't be read

    @property
    def label(self) -> str:
        """The name and the first digits of the digest: two files may have one name."""
        return f"{self.name} ({self.digest[:DIGITS]})"

    @property
    def summary(self) -> str:
        """What it holds, in one line."""
        if self.fault:
            return f"{self.label}: {self.fault}"
        train, valid, test = (sum(counts) for counts in zip(*self.rows, strict=True))
        text = (
            f"{self.label}: {counted(len(self.tasks), 'task')}, {train:,} training, {valid:,} "
            f"validation and {test:,} test rows, {self.forms:,} distinct logical forms"
        )
        if self.writable is None:
            return text
        return (
            f"{text}, read as {notations[self.notation].label}. {self.writable:,} of {test:,} test "
            f"rows can be written with the training rows' actions; {self.unknown_words:,} of the "
            f"{self.words:,} words of test rows are in no training row"
        )

    @property
    def warning(self) -> str:
        """What should be known before a run learns it; empty where all is well."""
        test = sum(counts[2] for counts in self.rows)
        return "" if self.writable is None else low_coverage(self.writable, test)


@dataclass(frozen=True)
class UploadOptions:
    """Which kept file to learn."""

    file: str = option("", "the digest under which an imported file is kept")


def _folder() -> Path:
    return home() / "uploads"


def store_upload(
    data: bytes,
    name: str = "upload.tsv",
    progress: Progress = lambda share: None,
) -> Upload:
    """Checks the whole file and keeps it; the same content twice is kept once.

    DataError where the file is not as expected or can't be kept. `progress` takes the share done.
    """
    shown = "".join(c for c in PurePath(name).name if c.isprintable())[:100] or "upload.tsv"
    if len(data) > LIMITS.bytes:
        raise DataError(f"{shown}: expected a file of at most {LIMITS.bytes:,} bytes.")
    digest = hashlib.sha256(data).hexdigest()
    with no_collection():
        tasks = read_tasks(data, shown, progress)
        facts: Statistics = statistics(tasks)
    upload = Upload(
        digest=digest,
        name=shown,
        tasks=tuple(task.name for task in tasks),
        rows=tuple((len(t.train), len(t.valid), len(t.test)) for t in tasks),
        **asdict(facts),
    )
    values = {name: value for name, value in asdict(upload).items() if name != "fault"}
    _write(f"{digest}.json", json.dumps(values, ensure_ascii=False).encode())
    path = _write(f"{digest}.tsv", data)
    stat = path.stat()
    _loaded.put((path, stat.st_mtime_ns, stat.st_size), tasks)
    return upload


def _write(name: str, data: bytes) -> Path:
    path = _folder() / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
            try:
                part.write(data)
                part.flush()
                Path(part.name).replace(path)
            except OSError:
                Path(part.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise DataError(f"{path}: can't be written: {error.strerror or error}.") from error
    return path


def uploads() -> tuple[Upload, ...]:
    """The files that are kept here, by name; one whose summary can't be read says so in `fault`."""
    kept = [
        _read_summary(path)
        for path in _folder().glob("*.json")
        if _DIGEST.fullmatch(path.stem) and path.with_suffix(".tsv").is_file()
    ]
    return tuple(sorted(kept, key=lambda upload: (upload.name, upload.digest)))


def upload_of(digest: str) -> Upload | None:
    """The kept file with this digest; None where there is none, or its summary can't be read."""
    path = _folder() / f"{digest}.json"
    upload = _read_summary(path) if _DIGEST.fullmatch(digest) and path.is_file() else None
    return None if upload is None or upload.fault else upload


def _read_summary(path: Path) -> Upload:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        values["tasks"] = tuple(values["tasks"])
        values["rows"] = tuple((int(a), int(b), int(c)) for a, b, c in values["rows"])
        upload = Upload(**values)
        if upload.digest != path.stem or not isinstance(upload.name, str) or not upload.summary:
            raise ValueError("it is another file's")
        return upload
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        fault = f"its summary {path.name} can't be read ({type(error).__name__}); import it anew"
        return Upload(path.stem, "damaged upload", (), (), 0, fault=fault)


def _read(path: Path, progress: Progress) -> tuple[Task, ...]:
    """The tasks of a kept file; DataError where it is not the one that was imported."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
    if hashlib.sha256(data).hexdigest() != path.stem:
        raise DataError(f"{path}: its content was changed since it was imported; import it again.")
    return read_tasks(data, f"upload {path.stem[:DIGITS]}", progress)


@datasets.register("upload", label="Your own file", rank=90, options=UploadOptions)
def upload(options: UploadOptions) -> tuple[Task, ...]:
    """Your own tasks, from a table of rows that was imported before."""
    return load_upload(options)


def load_upload(
    options: UploadOptions, progress: Progress = lambda share: None
) -> tuple[Task, ...]:
    """The same; `progress` takes the share done where the file has to be read."""
    if not options.file:
        raise DataMissing(
            "No file is chosen: import one with `python -m core data import FILE` or on the home "
            "page, and name its digest in the option `file`."
        )
    if not _DIGEST.fullmatch(options.file):
        raise DataError(
            f"upload.file = {options.file[:80]!r}: expected the 64 hexadecimal digits under which "
            "a file was imported."
        )
    path = _folder() / f"{options.file}.tsv"
    try:
        stat = path.stat()
    except FileNotFoundError:
        raise DataMissing(f"{path} is not there: import the file again.") from None
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
    return _loaded.get((path, stat.st_mtime_ns, stat.st_size), lambda: _read(path, progress))
