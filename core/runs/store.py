"""The store of runs: what was asked for, how far it is, what it told. SQLAlchemy Core.

Many processes and threads read and write at once. Whatever changes a run first locks its row, so
that each change sees the last one whole; a run that a process holds is known by its owner's token.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, Engine, Executable, Row, delete, insert, select, update

from core import paths
from core.config import RunConfig
from core.events import Event
from core.runs import queue, rows
from core.runs.event_writer import Throttle, write_event
from core.runs.owner import Owner
from core.runs.run import (
    FAILED,
    INTERRUPTED,
    LONG_SILENCE,
    QUEUED,
    RUNNING,
    STOPPED,
    Run,
    StoreError,
    Unreadable,
)
from core.runs.tables import runs
from core.runs.transactions import Database
from core.text import clean

if TYPE_CHECKING:
    import pandas as pd


class Store:
    """Runs in a database; every method may be called from any thread."""

    def __init__(self, url: str | None = None) -> None:
        """StoreError where the database (default: paths.database_url()) can't be opened."""
        self.url = url or paths.database_url()
        self._database = Database(self.url)
        self._throttle = Throttle()

    @property
    def engine(self) -> Engine:
        """SQLAlchemy's engine, for those who look after the database itself."""
        return self._database.engine

    def close(self) -> None:
        """Let go of the connections."""
        self.engine.dispose()

    # --- runs ---------------------------------------------------------------------------------

    def create(self, config: RunConfig, name: str = "", *, claimed_by: Owner | None = None) -> int:
        """A new run's number: queued, or already running for its owner."""
        row = rows.new(config, name)
        with self._database.writing() as connection:
            id = connection.execute(insert(runs).values(row)).inserted_primary_key[0]
            if claimed_by is not None:
                new = rows.locked(connection, id)
                rows.change(connection, new, RUNNING, owner=claimed_by)
        return id

    def run(self, id: int) -> Run:
        """StoreError where there is no such run, Unreadable where another version wrote it."""
        with self._database.reading() as connection:
            row = connection.execute(rows.one(id)).first()
        if row is None:
            raise rows.unknown(id)
        return rows.to_run(row)

    def runs(
        self,
        *,
        limit: int | None = None,
        offset: int = 0,
        statuses: Collection[str] | None = None,
    ) -> list[Run]:
        """Newest first, without those that can't be read (see `unreadable`)."""
        query = select(runs).order_by(runs.c.id.desc()).limit(limit).offset(offset or None)
        if statuses is not None:
            query = query.where(runs.c.status.in_(list(statuses)))
        with self._database.reading() as connection:
            return list(rows.readable(connection.execute(query)))

    def unreadable(self) -> list[str]:
        """A sentence for each run that another version wrote and this one can't read."""
        told = []
        with self._database.reading() as connection:
            for row in connection.execute(select(runs.c.id, runs.c.config).order_by(runs.c.id)):
                try:
                    rows.config_of(row)
                except Unreadable as error:
                    told.append(str(error))
        return told

    def name(self, id: int) -> str:
        """What the run is called, whichever version wrote it; StoreError where there is none."""
        return self._value(id, runs.c.name)

    def rename(self, id: int, name: str) -> None:
        """StoreError where the name is empty."""
        cleaned = clean(name)
        if not cleaned:
            raise StoreError("A run's name can't be empty.")
        self._set(id, name=cleaned)

    def delete(self, id: int) -> None:
        """Forget the run and all that it told; refused while it runs."""
        with self._database.writing() as connection:
            if rows.locked(connection, id).status == RUNNING:
                raise StoreError(f"Run {id} is running: stop it before deleting it.")
            connection.execute(delete(runs).where(runs.c.id == id))

    # --- life ---------------------------------------------------------------------------------

    def set_status(
        self, id: int, status: str, *, error: str = "", owner: Owner | None = None
    ) -> None:
        """To another status; StoreError where TRANSITIONS forbids it.

        With an owner: RunTaken where it doesn't hold the run. Progress that it held back is written
        first.
        """
        held = self._throttle.end(id, owner)
        with self._database.writing() as connection:
            row = rows.locked(connection, id)
            if owner is not None:
                rows.check_holder(row, owner)
            if held is not None:
                write_event(connection, id, held)
            rows.change(connection, row, status, owner=owner, error=error)

    def claim(
        self,
        owner: Owner,
        *,
        id: int | None = None,
        devices: Collection[str] | None = None,
        experiment: int | None = None,
    ) -> Run | None:
        """Take the run that is next (see core.runs.queue), or None: nobody else gets it.

        Unreadable where another version queued it; it has failed then.
        """
        query = queue.next_waiting(id, devices, experiment)
        with self._database.reading() as connection:  # an idle worker asks often and must not lock
            if connection.scalar(query) is None:
                return None
        with self._database.writing() as connection:
            found = connection.scalar(query.with_for_update(skip_locked=True))
            if found is None:
                return None
            rows.change(connection, rows.locked(connection, found), RUNNING, owner=owner)
        try:
            return self.run(found)
        except Unreadable as error:
            self.set_status(found, FAILED, error=str(error), owner=owner)
            raise

    def resume(self, id: int, *, claimed_by: Owner | None = None) -> None:
        """Back to the queue, or at once to its owner; StoreError where it has not ended early."""
        with self._database.writing() as connection:
            rows.change(connection, rows.locked(connection, id), QUEUED)
            if claimed_by is not None:
                rows.change(connection, rows.locked(connection, id), RUNNING, owner=claimed_by)

    def request_stop(self, id: int) -> None:
        """Ask a running run to stop within a batch; one that still waits is stopped at once."""
        with self._database.writing() as connection:
            row = rows.locked(connection, id)
            if row.status == RUNNING:
                ask = update(runs).where(runs.c.id == id).values(stop_requested=True)
                connection.execute(ask)
            else:
                rows.change(connection, row, STOPPED)

    def stop_requested(self, id: int) -> bool:
        """StoreError where there is no such run."""
        return self._value(id, runs.c.stop_requested)

    def release(self, id: int, status: str = INTERRUPTED) -> None:
        """End a run whose process lives but has been silent for LONG_SILENCE (Run.can_release).

        It can then be resumed or deleted; what the process writes when it wakes is refused.
        StoreError where it was heard of since.
        """
        with self._database.writing() as connection:
            row = rows.locked(connection, id)
            silent = rows.silence(row)
            if silent is None or silent < LONG_SILENCE:
                raise StoreError(f"Run {id} is not running in a process that has fallen silent.")
            error = f"Its process has been silent for {silent / 60:.0f} minutes."
            rows.change(connection, row, status, error=error, end=row.heartbeat)

    def heartbeat(self, id: int, owner: Owner) -> bool:
        """Say that the owner still works on the run; False where the run is its no longer."""
        with self._database.writing() as connection:
            return rows.beat(connection, id, owner)

    def mark_interrupted(self) -> list[int]:
        """The running runs whose process is gone, now marked as interrupted."""
        with self._database.reading() as connection:
            running = connection.execute(select(runs).where(runs.c.status == RUNNING)).all()
        marked = []
        for seen in filter(rows.abandoned, running):
            with self._database.writing() as connection:
                row = connection.execute(rows.one(seen.id).with_for_update()).first()
                if row is not None and row.status == RUNNING and rows.abandoned(row):
                    error = "The process that ran it is gone."
                    rows.change(connection, row, INTERRUPTED, error=error, end=row.heartbeat)
                    if row.is_cell and row.attempts < queue.MOST_ATTEMPTS:
                        rows.change(connection, rows.locked(connection, seen.id), QUEUED)
                    marked.append(seen.id)
        return marked

    # --- what a run tells ---------------------------------------------------------------------

    def record(self, id: int, event: Event, owner: Owner | None = None) -> None:
        """Keep an event of a run, once under the event's key; also a sign of life.

        RunTaken where the owner doesn't hold the run; without one, where somebody does. Progress
        that comes thick and fast is thinned out (see core.runs.event_writer).
        """
        due = self._throttle.due(id, event, owner)
        if not due:
            return
        with self._database.writing() as connection:
            if not rows.beat(connection, id, owner):  # this also locks the run's row
                rows.check_holder(rows.locked(connection, id), owner)
            for item in due:
                write_event(connection, id, item)

    def note_versions(self, id: int, versions: dict[str, str], owner: Owner | None = None) -> None:
        """What the run was computed with; RunTaken as `record`."""
        with self._database.writing() as connection:
            rows.check_holder(rows.locked(connection, id), owner)
            connection.execute(update(runs).where(runs.c.id == id).values(versions=versions))

    # --- reading what was recorded ------------------------------------------------------------

    def fetch(self, query: Executable) -> list[Row[Any]]:
        """The rows of a query over `core.runs.tables`; StoreUnavailable where it can't be read."""
        with self._database.reading() as connection:
            return list(connection.execute(query))

    def frame(self, query: Executable) -> "pd.DataFrame":
        """The same as a DataFrame, one column for each of the query's."""
        import pandas as pd

        with self._database.reading() as connection:
            result = connection.execute(query)
            return pd.DataFrame(result.all(), columns=list(result.keys()))

    # --- transactions -------------------------------------------------------------------------

    def _value(self, id: int, column: Column[Any]) -> Any:
        with self._database.reading() as connection:
            found = connection.scalar(select(column).where(runs.c.id == id))
        if found is None:
            raise rows.unknown(id)
        return found

    def _set(self, id: int, **values: object) -> None:
        with self._database.writing() as connection:
            query = update(runs).where(runs.c.id == id).values(values)
            if connection.execute(query).rowcount == 0:
                raise rows.unknown(id)
