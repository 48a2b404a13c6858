"""What changes a run, each within one transaction: its row is locked first, so that every change
sees the last one whole. What its own process writes is refused once another holds the run.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, insert, select, update

from core.runs import clock, queue
from core.runs.column_types import MOST_ID
from core.runs.owner import Owner
from core.runs.run import (
    FINISHED,
    INTERRUPTED,
    LONG_SILENCE,
    QUEUED,
    RUNNING,
    STOPPED,
    RunTaken,
    StoreError,
    check_transition,
    no_run,
)
from core.runs.signs import abandoned, between, silence
from core.runs.tables import EVENT_TABLES, runs


def create(connection: Connection, values: dict[str, Any], owner: Owner | None) -> int:
    """The number of a new run, which waits or is its owner's at once."""
    id: int = connection.execute(insert(runs).values(values).returning(runs.c.id)).scalar_one()
    if owner is not None:
        change(connection, locked(connection, id), RUNNING, owner=owner)
    return id


def locked(connection: Connection, id: int) -> Row[Any]:
    """A run's row, which nobody else changes before this transaction ends."""
    row = _lock(connection, id)
    if row is None:
        raise no_run(id)
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
    """Move a locked row to another status; StoreError where TRANSITIONS forbids it.

    `owner` takes the run, `end` is when it ended where that was not now.
    """
    check_transition(row.id, row.status, status)
    moment = clock.now()
    values: dict[str, Any] = {"status": status, "stop_requested": False, "error": error}
    if row.status == RUNNING:
        ended = end if isinstance(end, datetime) else moment
        values |= {"seconds": _seconds(row.seconds) + between(row.attempt_started, ended)}
        values |= {"ended": ended, "first_done": None, "first_time": None}
        values |= {"progress": 1.0} if status == FINISHED else {}
    elif status == QUEUED:
        values |= {"queued": moment, "ended": None}
    elif status == RUNNING:
        values |= {"started": row.started or moment, "attempts": row.attempts + 1}
        values |= {"attempt_started": moment, "heartbeat": moment, "owner_token": ""}
        if owner is not None:
            values |= {"owner_host": owner.host, "owner_pid": owner.pid}
            values |= {"owner_started": owner.started, "owner_token": owner.token}
    else:
        values |= {"ended": moment}
    connection.execute(update(runs).where(runs.c.id == row.id).values(values))


def take(connection: Connection, query: Select[Any], owner: Owner) -> int | None:
    """The number of the run that the query finds, now the owner's; None where there is none."""
    id = connection.scalar(query.with_for_update(skip_locked=True))
    if id is None:
        return None
    change(connection, locked(connection, id), RUNNING, owner=owner)
    return int(id)


def resume(connection: Connection, id: int, owner: Owner | None, anew: bool) -> None:
    """Back to the queue, or at once to its owner; `anew` without what it has recorded."""
    change(connection, locked(connection, id), QUEUED)
    if anew:
        for table in EVENT_TABLES.values():
            connection.execute(delete(table).where(table.c.run_id == id))
        empty: dict[str, Any] = {"facts": {}, "progress": 0.0, "progress_text": {}}
        empty |= {"progress_time": None, "started": None, "seconds": 0.0, "attempts": 0}
        set_values(connection, id, **empty)
    if owner is not None:
        change(connection, locked(connection, id), RUNNING, owner=owner)


def give_back(connection: Connection, id: int) -> None:
    """Queue a cell of an experiment again whose worker has ended; other runs stay stopped."""
    row = locked(connection, id)
    if row.is_cell and row.status == STOPPED:
        change(connection, row, QUEUED)


def request_stop(connection: Connection, id: int) -> None:
    """Ask a running run to stop; one that waits is stopped at once."""
    row = locked(connection, id)
    if row.status == RUNNING:
        connection.execute(update(runs).where(runs.c.id == id).values(stop_requested=True))
    else:
        change(connection, row, STOPPED)


def release(connection: Connection, id: int, status: str) -> None:
    """End a run whose process has been silent for LONG_SILENCE; StoreError where it was not."""
    row = locked(connection, id)
    silent = silence(row)
    if silent is None or silent < LONG_SILENCE:
        raise StoreError(f"Run {id} is not running in a process that has fallen silent.")
    error = f"Its process has been silent for {silent / 60:.0f} minutes."
    change(connection, row, status, error=error, end=row.heartbeat)


def interrupt(connection: Connection, id: int, *, unseen: bool) -> bool:
    """Mark a running run as interrupted where its process is gone, and queue a cell's again."""
    row = _lock(connection, id)
    if row is None or not abandoned(row, unseen=unseen):
        return False
    change(
        connection, row, INTERRUPTED, error="The process that ran it is gone.", end=row.heartbeat
    )
    if row.is_cell and row.attempts < queue.MOST_ATTEMPTS:
        change(connection, locked(connection, id), QUEUED)
    return True


def remove(connection: Connection, id: int) -> None:
    """Delete a run with all that was recorded of it; StoreError while it runs."""
    if locked(connection, id).status == RUNNING:
        raise StoreError(f"Run {id} is running: stop it before deleting it.")
    connection.execute(delete(runs).where(runs.c.id == id))


def set_values(connection: Connection, id: int, **values: Any) -> None:
    """Set columns of a run that are no part of its life."""
    locked(connection, id)
    connection.execute(update(runs).where(runs.c.id == id).values(values))


# --- who may write -----------------------------------------------------------------------------


def held_by(owner: Owner | None) -> ColumnElement[bool]:
    """That a run is held by the owner; without one, that nobody holds it."""
    if owner is None:
        return runs.c.status != RUNNING
    return and_(runs.c.status == RUNNING, runs.c.owner_token == owner.token)


def beat(connection: Connection, id: int, owner: Owner | None) -> bool:
    """A sign of life of a run, which locks its row; False where the owner doesn't hold it."""
    sign = update(runs).where(runs.c.id == id, held_by(owner)).values(heartbeat=clock.now())
    return 0 < id <= MOST_ID and connection.execute(sign).rowcount == 1


def check_holder(row: Row[Any], owner: Owner | None) -> None:
    """RunTaken where the row's run is not the owner's, or without one: where somebody holds it."""
    held = row.status == RUNNING
    if held and owner is None:
        raise RunTaken(f"Run {row.id} is held by a process.")
    if owner is not None and not (held and row.owner_token == owner.token):
        raise RunTaken(f"Run {row.id} is not held by this process any more.")


def while_held(
    connection: Connection, id: int, owner: Owner, action: Callable[[], None]
) -> OSError | None:
    """Do something while nobody can take the owner's run; what went wrong with it."""
    check_holder(locked(connection, id), owner)
    try:
        action()
    except OSError as error:
        return error
    return None


def _seconds(stored: Any) -> float:
    return float(stored) if isinstance(stored, (int, float)) else 0.0


def _lock(connection: Connection, id: int) -> Row[Any] | None:
    if not 0 < id <= MOST_ID:
        return None
    return connection.execute(select(runs).where(runs.c.id == id).with_for_update()).first()
