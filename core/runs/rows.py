"""Rows of the table of runs: what they mean, and what a change of status changes in them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, select, update

from core.config import RunConfig
from core.events import Progress, RunStarted
from core.options import ConfigError
from core.runs import clock
from core.runs.digest import digest
from core.runs.owner import Owner, gone
from core.runs.run import (
    FINISHED,
    QUEUED,
    RUNNING,
    Run,
    RunTaken,
    StoreError,
    Unreadable,
    check_transition,
    default_name,
    seconds_left,
)
from core.runs.tables import runs
from core.text import clean

_EARLIER_NAMES = {"train_rows": "n_train", "test_rows": "n_test", "reachable": "covered"}

SILENCE = timedelta(seconds=30)  # no heartbeat for so long: the process counts as gone


@lru_cache(maxsize=4096)
def to_config(text: str) -> RunConfig:
    """What a row was asked for; Unreadable where this version has no such config."""
    try:
        return RunConfig.from_json(text)
    except (ValueError, TypeError, AttributeError) as error:
        raise Unreadable(f"its settings are not of this version: {error}") from error


def new(config: RunConfig, name: str = "", **more: Any) -> dict[str, Any]:
    """The values of a run's row that waits from now on; `more` are further columns."""
    moment = clock.now()
    try:
        known_by = digest(config)
    except ConfigError:  # it will fail when it is carried out, and say why
        known_by = ""
    return {
        "name": clean(name) or default_name(config),
        "config": config.to_json(),
        "digest": known_by,
        "status": QUEUED,
        "wanted_device": config.device,
        "device": config.device,
        "created": moment,
        "queued": moment,
        **more,
    }


def one(id: int) -> Select[Any]:
    """The query for a run's row."""
    return select(runs).where(runs.c.id == id)


def locked(connection: Connection, id: int) -> Row[Any]:
    """A run's row, which nobody else changes before this transaction ends."""
    row = connection.execute(one(id).with_for_update()).first()
    if row is None:
        raise unknown(id)
    return row


def change(
    connection: Connection,
    row: Row[Any],
    status: str,
    *,
    owner: Owner | None = None,
    error: str = "",
    end: datetime | None = None,
) -> None:
    """Move a locked row to another status; StoreError where MOVES forbids it.

    `owner` is who takes a run that begins, `end` when one that ran has ended (default: now).
    """
    check_transition(row.id, row.status, status)
    moment = clock.now()
    values: dict[str, Any] = {"status": status, "stop_requested": False, "error": error}
    if row.status == RUNNING:
        ended = end or moment
        spent = (ended - row.attempt_started).total_seconds()
        values |= {"seconds": row.seconds + max(0.0, spent), "owner_token": ""}
        values |= {"ended": ended, "first_done": None, "first_time": None}
        values |= {"progress": 1.0} if status == FINISHED else {}
    elif status == QUEUED:
        values |= {"queued": moment, "ended": None}
    elif status == RUNNING:
        values |= {"started": row.started or moment, "attempts": row.attempts + 1}
        values |= {"attempt_started": moment, "heartbeat": moment}
        if owner is not None:
            values |= {"owner_host": owner.host, "owner_pid": owner.pid}
            values |= {"owner_started": owner.started, "owner_token": owner.token}
    else:
        values |= {"ended": moment}
    connection.execute(update(runs).where(runs.c.id == row.id).values(values))


def held_by(owner: Owner | None) -> ColumnElement[bool]:
    """That a run is held by the owner; without one, that nobody holds it."""
    if owner is None:
        return runs.c.status != RUNNING
    return and_(runs.c.status == RUNNING, runs.c.owner_token == owner.token)


def beat(connection: Connection, id: int, owner: Owner | None) -> bool:
    """A sign of life of a run, which locks its row; False where the owner doesn't hold it."""
    sign = update(runs).where(runs.c.id == id, held_by(owner)).values(heartbeat=clock.now())
    return connection.execute(sign).rowcount == 1


def silence(row: Row[Any]) -> float | None:
    """Seconds since a running run's last sign of life; None where it doesn't run."""
    if row.status != RUNNING:
        return None
    return max(0.0, (clock.now() - row.heartbeat).total_seconds())


def check_holder(row: Row[Any], owner: Owner | None) -> None:
    """RunTaken where the row's run is not the owner's, or without one: where somebody holds it."""
    held = row.status == RUNNING
    if held and owner is None:
        raise RunTaken(f"Run {row.id} is held by a process.")
    if owner is not None and not (held and row.owner_token == owner.token):
        raise RunTaken(f"Run {row.id} is not held by this process any more.")


def abandoned(row: Row[Any]) -> bool:
    """Whether the process of a running run is gone; unseen ones count so when silent for long."""
    ended = gone(Owner(row.owner_host, row.owner_pid, row.owner_started, row.owner_token))
    return clock.now() - row.heartbeat > SILENCE if ended is None else ended


def unknown(id: int) -> StoreError:
    return StoreError(f"There is no run {id}.")


def config_of(row: Row[Any]) -> RunConfig:
    """What the run of this row (of its id and config) was asked for; Unreadable names the run."""
    try:
        return to_config(row.config)
    except Unreadable as error:
        raise Unreadable(f"Run {row.id} can't be read: {error}") from error


def readable(found: Iterable[Row[Any]]) -> Iterator[Run]:
    """What the rows say, without those that can't be read."""
    for row in found:
        with suppress(Unreadable):
            yield to_run(row)


def to_facts(stored: Mapping[str, Any]) -> RunStarted | None:
    """The stored RunStarted, under today's or earlier names; None where there is none yet."""
    if not stored:
        return None
    values = {_EARLIER_NAMES.get(name, name): value for name, value in stored.items()}
    for name in ("tasks", "n_train", "n_test"):
        values[name] = tuple(values[name])
    values["covered"] = tuple(tuple(counts) for counts in values["covered"])
    return RunStarted(**values)


def to_progress(stored: Mapping[str, Any]) -> Progress | None:
    """The stored Progress; None where there is none yet."""
    return Progress(**stored) if stored else None


def to_run(row: Row[Any]) -> Run:
    """What a row says, with the time it has run and will run still as of now.

    Unreadable where another version wrote what this one can't read.
    """
    seconds, left, last = row.seconds, None, to_progress(row.progress_text)
    if row.status == RUNNING:
        moment = clock.now()
        seconds += max(0.0, (moment - row.attempt_started).total_seconds())
        if last is not None and row.first_time is not None:
            elapsed = (row.progress_time - row.first_time).total_seconds()
            left = seconds_left(last.done, last.total, row.first_done, elapsed)
        if left is not None:
            left = max(0.0, left - (moment - row.progress_time).total_seconds())
    return Run(
        id=row.id,
        name=row.name,
        config=config_of(row),
        status=row.status,
        progress=row.progress,
        last_progress=last,
        created=row.created,
        started=row.started,
        ended=row.ended,
        seconds=seconds,
        seconds_left=left,
        device=row.device,
        versions=row.versions,
        facts=to_facts(row.facts),
        error=row.error,
        stop_requested=row.stop_requested,
        attempts=row.attempts,
        silent=silence(row),
    )
