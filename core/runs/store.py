"""The store of runs: what was configured, how far each run is, what it has recorded.

Many processes and threads read and write at once (see core.runs.changes). What goes wrong is one
sentence, a StoreError; StoreUnavailable where it is the database (see core.runs.database).
"""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from functools import partial

from sqlalchemy import Connection, select

from core.config import RunConfig
from core.events import Event
from core.runs import changes, queue, signs
from core.runs.column_types import MOST_ID
from core.runs.event_writer import Throttle, write_event
from core.runs.new_run import new_run
from core.runs.owner import Owner
from core.runs.run import (
    FAILED,
    INTERRUPTED,
    RUNNING,
    Run,
    StoreError,
    StoreUnavailable,
    Unreadable,
)
from core.runs.store_reader import StoreReader
from core.runs.tables import runs
from core.text import clean


class Store(StoreReader):
    """Runs in a database; every method may be called from any thread.

    `patience`: for how many seconds to try again where the database can't be written for a cause
    that may pass, before that is a StoreUnavailable.
    """

    def __init__(self, url: str | None = None) -> None:
        super().__init__(url)
        self._throttle = Throttle()
        self._unsure: set[Owner] = set()  # whose last claim may have got through or not

    def writing(self) -> AbstractContextManager[Connection]:
        """A transaction over `core.runs.tables` that may change something."""
        return self._database.writing()

    def create(self, config: RunConfig, name: str = "", *, claimed_by: Owner | None = None) -> int:
        """A new run's number: queued, or already running for its owner."""
        values = new_run(config, name)
        return self._database.write(lambda link: changes.create(link, values, claimed_by))

    def rename(self, id: int, name: str) -> None:
        """StoreError where the name is empty."""
        cleaned = clean(name)
        if not cleaned:
            raise StoreError("A run's name can't be empty.")
        self._database.write(lambda link: changes.set_values(link, id, name=cleaned))

    def delete(self, id: int) -> None:
        """Forget the run and all that was recorded of it; refused while it runs."""
        self._database.write(lambda link: changes.remove(link, id))
        self._damaged.pop(("Run", id), None)

    def set_status(
        self,
        id: int,
        status: str,
        *,
        error: str = "",
        owner: Owner | None = None,
        patience: float = 0.0,
    ) -> None:
        """To another status; StoreError where TRANSITIONS forbids it.

        With an owner: RunTaken where it doesn't hold the run. What it held back is written first.
        """
        held = self._throttle.end(id, owner)
        tries = 0

        def change(connection: Connection) -> None:
            nonlocal tries
            tries += 1
            row = changes.locked(connection, id)
            if owner is not None:
                if tries > 1 and (row.status, row.owner_token) == (status, owner.token):
                    return  # it got through, only the answer was lost
                changes.check_holder(row, owner)
            for event in held:
                write_event(connection, id, event)
            changes.change(connection, row, status, owner=owner, error=error)

        self._database.write(change, patience)

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
        if id is not None and not 0 < id <= MOST_ID:
            return None
        query = queue.next_waiting(id, devices, experiment)
        with self._database.reading() as connection:  # an idle worker asks often and must not lock
            if owner in self._unsure:  # the answer to its last claim was lost
                claimed = connection.scalar(select(runs.c.id).where(changes.held_by(owner)))
                self._unsure.discard(owner)
                if claimed is not None:
                    return self._claimed(claimed, owner)
            if connection.scalar(query) is None:
                return None
        try:
            claimed = self._database.write(lambda link: changes.take(link, query, owner))
        except StoreUnavailable:
            self._unsure.add(owner)
            raise
        return None if claimed is None else self._claimed(claimed, owner)

    def resume(self, id: int, *, claimed_by: Owner | None = None, anew: bool = False) -> None:
        """Back to the queue, or at once to its owner; StoreError where it has not ended early.

        `anew` forgets what it has recorded: it begins as one that never ran.
        """
        self._database.write(lambda link: changes.resume(link, id, claimed_by, anew))

    def give_back(self, id: int) -> None:
        """Queue a stopped run again if it is an experiment's cell: its worker ends, not the run."""
        self._database.write(lambda link: changes.give_back(link, id))

    def request_stop(self, id: int) -> None:
        """Ask a running run to stop within a batch; one that still waits is stopped at once."""
        self._database.write(lambda link: changes.request_stop(link, id))

    def release(self, id: int, status: str = INTERRUPTED) -> None:
        """End a run whose process lives but has been silent for LONG_SILENCE (Run.can_release).

        It can then be resumed or deleted; what the process writes when it wakes is refused.
        StoreError where it was heard of since.
        """
        self._database.write(lambda link: changes.release(link, id, status))

    def heartbeat(self, id: int, owner: Owner) -> bool:
        """Say that the owner still works on the run; False where the run is its no longer."""
        return self._database.write(lambda link: changes.beat(link, id, owner))

    def mark_interrupted(self) -> list[int]:
        """The running runs whose process is gone, now marked as interrupted."""
        running = self._read(select(runs).where(runs.c.status == RUNNING))
        unseen = not self._database.failed_within(signs.SILENCE.total_seconds())
        marked = []
        for row in running:
            if signs.abandoned(row, unseen=unseen):
                change = partial(changes.interrupt, id=row.id, unseen=unseen)
                marked += [row.id] if self._database.write(change) else []
        return marked

    def record(
        self,
        id: int,
        event: Event,
        owner: Owner | None = None,
        *,
        patience: float = 0.0,
        in_series: bool = False,
    ) -> None:
        """Keep an event of a run, once under the event's key; also a sign of life.

        RunTaken where the owner doesn't hold the run; without one, where somebody does. What
        comes thick and fast is thinned out or waits a moment (see core.runs.event_writer).
        """
        due = self._throttle.due(id, event, owner, in_series)

        def change(connection: Connection) -> None:
            if not changes.beat(connection, id, owner):  # this also locks the run's row
                changes.check_holder(changes.locked(connection, id), owner)
            for item in due:
                write_event(connection, id, item)

        if due:
            self._database.write(change, patience)

    def note_versions(
        self, id: int, values: dict[str, str], owner: Owner | None = None, *, patience: float = 0.0
    ) -> None:
        """What the run was computed with; RunTaken as `record`."""

        def change(connection: Connection) -> None:
            changes.check_holder(changes.locked(connection, id), owner)
            changes.set_values(connection, id, versions=values)

        self._database.write(change, patience)

    def while_held(
        self, id: int, owner: Owner, action: Callable[[], None], *, patience: float = 0.0
    ) -> None:
        """Do what takes a moment while nobody can take the run; RunTaken where somebody has.

        The action may be repeated. Its OSErrors are its own, not the store's.
        """
        act = partial(changes.while_held, id=id, owner=owner, action=action)
        failure = self._database.write(act, patience)
        if failure is not None:
            raise failure

    def _claimed(self, id: int, owner: Owner) -> Run:
        try:
            return self.run(id)
        except Unreadable as error:
            self.set_status(id, FAILED, error=str(error), owner=owner)
            raise
