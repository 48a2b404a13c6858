"""The workers that use a store: each says every few seconds that it is there.

What it does is seen from the runs: the one that runs and bears its token.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, Select, delete, insert, select, update

from core.runs import clock
from core.runs.owner import Owner, gone
from core.runs.run import RUNNING
from core.runs.store import Store
from core.runs.tables import runs
from core.runs.tables import workers as table
from core.text import clean

PROCESS, THREAD, COMMAND_LINE = "process", "thread", "command line"
_FORGOTTEN = timedelta(minutes=10)  # since a sign of life, where the process can't be seen


@dataclass(frozen=True)
class SeenWorker:
    """A worker, or a command that carries a run out. Times are aware, in UTC."""

    host: str
    pid: int
    device: str
    kind: str  # PROCESS, THREAD or COMMAND_LINE
    run: int | None  # what it carries out
    run_name: str
    since: datetime
    seen: datetime  # last sign of life
    silent: float  # seconds since then


def beat(store: Store, owner: Owner, device: str, kind: str) -> None:
    """A worker's sign of life."""
    now = clock.now()
    values = {
        "host": owner.host,
        "pid": owner.pid,
        "process_started": owner.started,
        "device": device,
        "kind": kind,
        "since": now,
        "seen": now,
    }

    with store.writing() as connection:
        seen = update(table).where(table.c.token == owner.token).values(seen=now)
        if not connection.execute(seen).rowcount:
            connection.execute(insert(table).values(token=owner.token, **values))
            connection.execute(delete(table).where(table.c.seen < now - _FORGOTTEN))


def end(store: Store, owner: Owner) -> None:
    """A worker is no more."""
    with store.writing() as connection:
        connection.execute(delete(table).where(table.c.token == owner.token))


def workers(store: Store) -> list[SeenWorker]:
    """All that are there, by host; those whose process is gone are left out."""
    busy = {row.owner_token: row for row in store.fetch(_running())}
    known = [
        _worker(row, busy.pop(row.token, None))
        for row in store.fetch(select(table))
        if _alive(Owner(row.host, row.pid, row.process_started, row.token), row.seen)
    ]
    others = [
        _worker(None, row)
        for row in busy.values()
        if _alive(Owner(row.owner_host, row.owner_pid, row.owner_started, ""), row.heartbeat)
    ]
    return sorted([*known, *others], key=lambda worker: (worker.host, worker.device, worker.pid))


def _running() -> Select[Any]:
    columns = (
        runs.c.id,
        runs.c.name,
        runs.c.device,
        runs.c.owner_token,
        runs.c.owner_host,
        runs.c.owner_pid,
        runs.c.owner_started,
        runs.c.attempt_started,
        runs.c.heartbeat,
    )
    return select(*columns).where(runs.c.status == RUNNING)


def _alive(owner: Owner, seen: datetime) -> bool:
    ended = gone(owner)
    return clock.now() - seen < _FORGOTTEN if ended is None else not ended


def _worker(row: Row[Any] | None, run: Row[Any] | None) -> SeenWorker:
    """From a worker's own row, its run's, or both."""
    if row is not None:
        host, pid, device, kind, since = row.host, row.pid, row.device, row.kind, row.since
        seen = max(row.seen, run.heartbeat) if run else row.seen
    else:
        assert run is not None
        host, pid, device, kind = run.owner_host, run.owner_pid, run.device, COMMAND_LINE
        since, seen = run.attempt_started, run.heartbeat
    return SeenWorker(
        clean(host),
        pid,
        device,
        kind,
        run.id if run else None,
        clean(run.name) if run else "",
        since,
        seen,
        max(0.0, (clock.now() - seen).total_seconds()),
    )
