"""Rows of the table of runs, read: what they mean, and which of them can't be read.

A cell that another version wrote, or that was damaged, takes only its own run out of the lists.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from sqlalchemy import Boolean, Float, Integer, Row, Select, Text, cast, select

from core.config import RunConfig
from core.events import Progress, RunStarted
from core.runs import clock
from core.runs.column_types import StoredJson, UtcTime
from core.runs.labels import NOTE_LENGTH
from core.runs.run import RUNNING, STATUSES, Run, Unreadable, seconds_left
from core.runs.signs import between, silence
from core.runs.tables import runs
from core.text import clean

CACHED = 4096  # texts of runs whose meaning is kept: those of finished ones don't change

_EARLIER_NAMES = {"train_rows": "n_train", "test_rows": "n_test", "reachable": "covered"}
_COLUMNS = [
    cast(column, Text).label(column.name) if isinstance(column.type, StoredJson) else column
    for column in runs.c
]
_KINDS = {Integer: (int,), Float: (int, float), Boolean: (bool, int), UtcTime: (datetime,)}
_EXPECTED = [
    (column.name, (*_KINDS.get(type(column.type), (str,)), *([type(None)] * bool(column.nullable))))
    for column in runs.c
]
_HINTS: dict[type, dict[str, Any]] = {kind: get_type_hints(kind) for kind in (RunStarted, Progress)}

Stored = TypeVar("Stored")


def run_rows() -> Select[Any]:
    """The query for rows that `to_run` takes: JSON comes as text, whose meaning is cached."""
    return select(*_COLUMNS)


def readable(rows: Iterable[Row[Any]]) -> tuple[list[Run], list[Unreadable]]:
    """What the rows say, and why some can't be read."""
    good, bad = [], []
    for row in rows:
        try:
            good.append(to_run(row))
        except Unreadable as error:
            bad.append(error)
    return good, bad


def to_run(row: Row[Any]) -> Run:
    """What a row says, with the time it has run and will run still as of now.

    Unreadable, naming the run, where something in it can't be read.
    """
    try:
        return _to_run(row)
    except Unreadable as error:
        raise Unreadable(f"Run {row.id} can't be read: {error}") from error


@lru_cache(maxsize=CACHED)
def to_config(text: str) -> RunConfig:
    """What a run was asked for; Unreadable where this version has no such config."""
    try:
        return RunConfig.from_json(text)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable(f"its settings are not of this version: {error}") from error


@lru_cache(maxsize=CACHED)
def to_facts(text: str) -> RunStarted | None:
    """The stored RunStarted, under today's or earlier names; None where there is none yet."""
    values = {_EARLIER_NAMES.get(name, name): v for name, v in _object(text, "facts").items()}
    values = {name: _as_tuple(value) for name, value in values.items()}
    return _build(RunStarted, values, "facts") if values else None


@lru_cache(maxsize=CACHED)
def to_progress(text: str) -> Progress | None:
    """The stored Progress; None where there is none yet."""
    values = _object(text, "progress")
    return _build(Progress, values, "progress") if values else None


def _to_run(row: Row[Any]) -> Run:
    for (name, kinds), value in zip(_EXPECTED, row, strict=True):
        if not isinstance(value, kinds):
            raise Unreadable(f"its {name} is damaged.")
    if row.status not in STATUSES:
        raise Unreadable(f"its status {row.status!r} is not known.")
    last = to_progress(row.progress_text)
    running = row.status == RUNNING
    spent = between(row.attempt_started, clock.now()) if running else 0.0
    return Run(
        id=row.id,
        name=clean(row.name),
        config=to_config(row.config),
        status=row.status,
        progress=row.progress,
        last_progress=last,
        created=row.created,
        started=row.started,
        ended=row.ended,
        seconds=row.seconds + spent,
        seconds_left=_seconds_left(row, last) if running and last else None,
        device=row.device,
        versions=_object(row.versions, "versions"),
        facts=to_facts(row.facts),
        error=row.error,
        stop_requested=bool(row.stop_requested),
        attempts=row.attempts,
        silent=silence(row),
        tags=tuple(tag for tag in clean(row.tags).split(",") if tag),
        note=clean(row.note, NOTE_LENGTH),
        archived=bool(row.archived),
    )


def _seconds_left(row: Row[Any], last: Progress) -> float | None:
    """At the rate since this attempt's first progress, as of now."""
    if row.first_time is None or row.first_done is None or row.progress_time is None:
        return None
    elapsed = (row.progress_time - row.first_time).total_seconds()
    left = seconds_left(last.done, last.total, row.first_done, elapsed)
    return None if left is None else max(0.0, left - between(row.progress_time, clock.now()))


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"its {name} is damaged.") from error
    if not isinstance(values, dict):
        raise Unreadable(f"its {name} is damaged.")
    return values


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


def _build(kind: type[Stored], values: Mapping[str, Any], name: str) -> Stored:
    """The dataclass with these values; Unreadable where one is missing or of another type."""
    try:
        stored = kind(**values)
    except TypeError as error:
        raise Unreadable(f"its {name} is not of this version.") from error
    if not all(fits(getattr(stored, field), hint) for field, hint in _HINTS[kind].items()):
        raise Unreadable(f"its {name} is damaged.")
    return stored


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type: int, float, str, bool, X | None, tuple[X, ...]."""
    if isinstance(hint, UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(fits(part, get_args(hint)[0]) for part in value)
    if hint is float:
        return type(value) in (int, float)
    return type(value) is int if hint is int else isinstance(value, hint)
