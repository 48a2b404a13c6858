"""A user's own tasks, from one file of rows `task <TAB> split <TAB> utterance <TAB> logical form`.

Either notation, a header or none. The file is checked whole before it is kept, and kept under the
SHA-256 of its content, so a run's configuration says exactly which rows it learned.
"""

import hashlib
import io
import json
import re
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile

from core.data.base import DataError, DataMissing, Example, FormReader, Task
from core.data.io.rows import Limits, Row, read_example, read_rows
from core.options import option
from core.paths import home
from core.registry import datasets

LIMITS = Limits(line=20_000, bytes=50_000_000, rows=200_000)
MAX_WORDS = 500  # of an utterance
MAX_STEPS = 500  # of a derivation; the benchmarks' longest has 22
MAX_TASKS = 200
MAX_TABLE = 50_000_000  # cells of the grammar's table of slots and actions
COLUMNS = ("task", "split", "utterance", "logical form")
SPLITS = {"train": "train", "valid": "valid", "dev": "valid", "test": "test"}

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Upload:
    """A file that is kept here: its digest, the name it came with, rows of each task."""

    digest: str
    name: str
    tasks: tuple[str, ...]
    rows: tuple[tuple[int, int, int], ...]  # train, valid, test
    forms: int  # distinct logical forms

    @property
    def summary(self) -> str:
        """What it holds, in one line."""
        train, valid, test = (sum(counts) for counts in zip(*self.rows, strict=True))
        return (
            f"{self.name}: {len(self.tasks)} tasks, {train:,} training, {valid:,} validation and "
            f"{test:,} test rows, {self.forms:,} distinct logical forms"
        )


@dataclass(frozen=True)
class UploadOptions:
    """Which kept file to learn."""

    file: str = option("", "the digest under which an imported file is kept")


def _folder() -> Path:
    return home() / "uploads"


def _is_header(row: Row) -> bool:
    return row.columns[1].strip().lower() == "split"


def _example(row: Row, reader: FormReader) -> Example:
    example = read_example(row, 2, 3, reader)
    if len(example.words) > MAX_WORDS:
        raise row.error(2, f"expected an utterance of at most {MAX_WORDS} words")
    if len(example.derivation) > MAX_STEPS:
        raise row.error(3, f"expected a logical form of at most {MAX_STEPS} actions")
    return example


def read_tasks(data: bytes, name: str) -> tuple[Task, ...]:
    """The tasks of an uploaded file, in the order in which they first appear.

    DataError names line, column and what was expected, or the task that lacks rows.
    """
    reader = FormReader(canonical=True)
    tasks: dict[str, dict[str, list[Example]]] = {}
    for row in read_rows(io.BytesIO(data), name, COLUMNS, LIMITS):
        if row.line == 1 and _is_header(row):
            continue
        task, split = row.columns[0].strip(), row.columns[1].strip().lower()
        if split not in SPLITS:
            raise row.error(1, f"expected one of {', '.join(SPLITS)}, found '{split[:40]}'")
        splits = tasks.setdefault(task, {"train": [], "valid": [], "test": []})
        if len(tasks) > MAX_TASKS:
            raise row.error(0, f"expected at most {MAX_TASKS} tasks")
        splits[SPLITS[split]].append(_example(row, reader))
    _check(tasks, name)
    return tuple(
        Task(task, *(tuple(rows[split]) for split in ("train", "valid", "test")))
        for task, rows in tasks.items()
    )


def _check(tasks: dict[str, dict[str, list[Example]]], name: str) -> None:
    if not tasks:
        raise DataError(f"{name}: expected rows behind the header, found none.")
    if len(tasks) < 2:
        raise DataError(
            f"{name}: expected at least two tasks in the first column, found only "
            f"'{next(iter(tasks))}'; learning without forgetting needs one task after another."
        )
    for task, rows in tasks.items():
        for split in ("train", "test"):
            if not rows[split]:
                raise DataError(f"{name}: task '{task}' has no {split} rows; expected some.")
    steps = {step for rows in tasks.values() for row in rows["train"] for step in row.derivation}
    actions = {step.action for step in steps}
    slots = {slot for action in actions for slot in action.slots}
    if len(actions) * len(slots) > MAX_TABLE:
        raise DataError(
            f"{name}: the logical forms need {len(actions):,} actions and {len(slots):,} slots, "
            f"too many for one parser; expected a product of at most {MAX_TABLE:,}."
        )


def store_upload(data: bytes, name: str = "upload.tsv") -> Upload:
    """Checks the whole file and keeps it; the same content twice is kept once.

    DataError where the file is not as expected or can't be kept.
    """
    shown = "".join(c for c in PurePath(name).name if c.isprintable())[:100] or "upload.tsv"
    if len(data) > LIMITS.bytes:
        raise DataError(f"{shown}: expected a file of at most {LIMITS.bytes:,} bytes.")
    tasks = read_tasks(data, shown)
    upload = Upload(
        digest=hashlib.sha256(data).hexdigest(),
        name=shown,
        tasks=tuple(task.name for task in tasks),
        rows=tuple((len(t.train), len(t.valid), len(t.test)) for t in tasks),
        forms=len({e.logical_form for t in tasks for e in (*t.train, *t.valid, *t.test)}),
    )
    _write(f"{upload.digest}.json", json.dumps(asdict(upload), ensure_ascii=False).encode())
    _write(f"{upload.digest}.tsv", data)
    return upload


def _write(name: str, data: bytes) -> None:
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


def uploads() -> tuple[Upload, ...]:
    """The files that are kept here, by name; DataError where a summary can't be read."""
    found = []
    for path in _folder().glob("*.json"):
        if _DIGEST.fullmatch(path.stem) and path.with_suffix(".tsv").is_file():
            found.append(_read_summary(path))
    return tuple(sorted(found, key=lambda upload: (upload.name, upload.digest)))


def _read_summary(path: Path) -> Upload:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        values["tasks"] = tuple(values["tasks"])
        values["rows"] = tuple(tuple(counts) for counts in values["rows"])
        return Upload(**values)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: no summary of an upload ({error}); import it anew.") from error


@lru_cache(maxsize=2)
def _tasks(data: bytes, name: str) -> tuple[Task, ...]:
    return read_tasks(data, name)


@datasets.register("upload", label="Your own file", rank=90, options=UploadOptions)
def upload(options: UploadOptions) -> tuple[Task, ...]:
    """Your own tasks, from a file of tab-separated rows that was imported before."""
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
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataMissing(f"{path} is not there: import the file again.") from None
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
    if hashlib.sha256(data).hexdigest() != options.file:
        raise DataError(f"{path}: its content was changed since it was imported; import it again.")
    return _tasks(data, f"upload {options.file[:12]}")
