"""Reads a table of tasks: rows `task, split, utterance, logical form`, parted by tabs or as CSV.

A header or none, anywhere. All rows have one notation, decided over all of them. A file is
read whole or refused with what is wrong in it: the first faults, and how many there are.
"""

import io
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.data.base import DataError, Example, FormReader, Task, normalise
from core.data.io.kept import no_collection
from core.data.io.rows import Limits, Row, read_example, read_rows, separator_of
from core.language.notations.base import detect
from core.registry import notations

LIMITS = Limits(line=20_000, bytes=50_000_000, rows=200_000)
MAX_WORDS = 500  # of an utterance
MAX_STEPS = 500  # of a derivation; the benchmarks' longest has 22
MAX_TASKS = 200
MAX_TABLE = 50_000_000  # cells of the grammar's table of slots and actions
MAX_NAME = 100  # characters of a task's name
FAULTS_SHOWN = 20
LARGE = 1_000_000  # bytes
COLUMNS = ("task", "split", "utterance", "logical form")
SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("valid", "validation", "val", "dev", "development", "eval"), "valid"),
    **dict.fromkeys(("test", "testing"), "test"),
}

_ROWS = 0.3  # share of the time that it takes to part the rows

Progress = Callable[[float], None]


@dataclass
class _Faults:
    """What is wrong with a file: the first faults, and how many there are."""

    first: list[DataError] = field(default_factory=list)
    count: int = 0

    def add(self, error: DataError) -> None:
        self.count += 1
        if len(self.first) < FAULTS_SHOWN or error.line < self.first[-1].line:
            insort(self.first, error, key=lambda fault: fault.line)
            del self.first[FAULTS_SHOWN:]

    def refuse(self, name: str) -> None:
        """DataError where there are any."""
        if self.count == 1:
            raise self.first[0]
        if self.count:
            which = "" if self.count == len(self.first) else f"; the first {len(self.first)}"
            faults = (str(error).removeprefix(f"{name}, ") for error in self.first)
            raise DataError("\n".join([f"{name}: {self.count:,} faults{which}:", *faults]))


def _printable(words: str) -> str:
    """What a terminal would obey is spelt out: a fault quotes what the file holds."""
    shown = (c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in words)
    return "".join(shown)


def read_tasks(data: bytes, name: str, progress: Progress = lambda share: None) -> tuple[Task, ...]:
    """The tasks of a file, in the order in which they first appear.

    DataError names lines, columns and what was expected, or the task that lacks rows. `progress`
    takes the share done.
    """
    try:
        with no_collection(lasting=len(data) > LARGE):
            return _read_tasks(data, name, progress)
    except DataError as error:
        raise DataError(_printable(str(error))) from error


def _read_tasks(data: bytes, name: str, progress: Progress) -> tuple[Task, ...]:
    faults = _Faults()
    rows = list(_rows(data, name, faults, progress))
    reader = _reader(rows, name, progress)
    tasks: dict[str, dict[str, list[Example]]] = {}
    for row in rows:
        splits = tasks.setdefault(task_name(row.columns[0]), {"train": [], "valid": [], "test": []})
        if len(tasks) > MAX_TASKS:
            raise row.error(0, f"expected at most {MAX_TASKS} tasks")
        try:
            splits[SPLITS[_split(row)]].append(_example(row, reader))
        except DataError as error:
            faults.add(error)
    faults.refuse(name)
    _check(tasks, name)
    progress(1.0)
    return tuple(
        Task(task, *(tuple(rows[split]) for split in ("train", "valid", "test")))
        for task, rows in tasks.items()
    )


@lru_cache(maxsize=1024)
def task_name(text: str) -> str:
    """A task's name without what can't be seen, one blank between its words."""
    shown = (" " if c.isspace() else c for c in normalise(text) if c.isprintable() or c.isspace())
    return " ".join("".join(shown).split())


def _split(row: Row) -> str:
    return row.columns[1].strip().lower()


def _rows(data: bytes, name: str, faults: _Faults, progress: Progress) -> Iterator[Row]:
    """The rows that have a task and a split; the others are faults."""
    stream = io.BytesIO(data)
    separator = separator_of(stream, len(COLUMNS))
    rows = read_rows(stream, name, COLUMNS, LIMITS, separator=separator, on_fault=faults.add)
    for row in rows:
        if row.line % 1000 == 0:
            progress(_ROWS * stream.tell() / len(data))
        split, task = _split(row), task_name(row.columns[0])
        if split == "split":
            continue  # a header, also in the middle of files that were joined
        if split not in SPLITS:
            faults.add(row.error(1, f"expected one of {', '.join(SPLITS)}, found '{split[:40]}'"))
        elif not 0 < len(task) <= MAX_NAME:
            faults.add(row.error(0, f"expected a task's name of 1 to {MAX_NAME} characters"))
        else:
            yield row


def _reader(rows: Sequence[Row], name: str, progress: Progress) -> FormReader:
    """A reader of the notation of all rows; DataError where there are two."""
    forms = dict.fromkeys(row.columns[3] for row in rows)
    readers = {notation: FormReader(notation) for notation in notations}
    done = 0

    def reads(form: str, notation: str) -> bool:
        nonlocal done
        done += 1
        if done % 200 == 0:
            progress(_ROWS + (0.95 - _ROWS) * min(1.0, done / len(forms)))
        return readers[notation].reads(form)

    chosen = detect(forms, reads)
    unread = [form for form in forms if not readers[chosen].reads(form)]
    for other in notations if unread else ():
        if all(map(readers[other].reads, unread)):
            line = next(row.line for row in rows if row.columns[3] == unread[0])
            raise DataError(
                f"{name}: expected one notation in all rows: {len(forms) - len(unread):,} forms "
                f"are {notations[chosen].label}, {len(unread):,} are {notations[other].label} (the "
                f"first in line {line})."
            )
    return readers[chosen]


def _example(row: Row, reader: FormReader) -> Example:
    example = read_example(row, 2, 3, reader)
    if len(example.words) > MAX_WORDS:
        raise row.error(2, f"expected an utterance of at most {MAX_WORDS} words")
    if len(example.derivation) > MAX_STEPS:
        raise row.error(3, f"expected a logical form of at most {MAX_STEPS} actions")
    return example


def _check(tasks: dict[str, dict[str, list[Example]]], name: str) -> None:
    """DataError where the rows are no data set."""
    if not tasks:
        raise DataError(f"{name}: expected rows behind the header, found none.")
    if len(tasks) < 2:
        raise DataError(
            f"{name}: expected at least two tasks in the first column, found only "
            f"'{next(iter(tasks))}'; learning without forgetting needs one task after another."
        )
    lacking = [
        f"task '{task}' has no {split} rows"
        for task, rows in tasks.items()
        for split in ("train", "test")
        if not rows[split]
    ]
    if lacking:
        more = f"; so {len(lacking) - 5:,} more" if len(lacking) > 5 else ""
        raise DataError(f"{name}: {', '.join(lacking[:5])}{more}; expected some.")
    derivations = {
        id(row.derivation): row.derivation for rows in tasks.values() for row in rows["train"]
    }
    rules = {id(rule): rule for steps in derivations.values() for rule in steps}
    actions = {rule.action for rule in rules.values()}
    slots = {slot for action in actions for slot in action.slots}
    if len(actions) * len(slots) > MAX_TABLE:
        raise DataError(
            f"{name}: the logical forms need {len(actions):,} actions and {len(slots):,} slots, "
            f"too many for one parser; expected a product of at most {MAX_TABLE:,}."
        )
