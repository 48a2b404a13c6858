"""Carries one run out, from where it stands to its end: for the manager and the command line.

Whatever happens inside becomes a status and a readable reason; nothing but a broken store and an
interruption from outside gets through.
"""

import logging
import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any

from core.events import Event
from core.runs import checkpoints
from core.runs.checkpoint_files import CheckpointError, NoRoomError
from core.runs.circumstances import explain, versions
from core.runs.owner import Owner
from core.runs.room import write_with_room
from core.runs.run import (
    FAILED,
    FINISHED,
    INTERRUPTED,
    STOPPED,
    Run,
    RunTaken,
    StoreError,
    StoreUnavailable,
)
from core.runs.store import Store
from core.stopping import Stopped

POLL_SECONDS = 1.0  # between two looks at the store's stop flag
BEAT_SECONDS = 5.0  # between two heartbeats; silence counts after store.SILENCE
STORE_PATIENCE = 300.0  # how long a run waits for a store or a disk that can't be written

Train = Callable[..., None]  # as core.training.train

log = logging.getLogger(__name__)


def execute(
    store: Store,
    run: Run,
    owner: Owner,
    *,
    stop: threading.Event | None = None,
    watch: Callable[[Event], None] | None = None,
    train: Train | None = None,
    patience: float = math.inf,
) -> Run:
    """Carry out a run that `owner` has claimed; returns it as it then stands in the store.

    It goes on from its checkpoint where it has one, and ends within a batch after `stop` is set or
    a stop is asked for in the store. `watch` sees every event after it was recorded. `patience` is
    how many seconds to wait for a store that can't take the outcome; StoreError after that, and
    RunTaken where another process has the run by now: nothing more is written then.
    """
    with Hold(store, run.id, owner, stop or threading.Event()) as hold:
        try:
            status, error = _learn(store, run, owner, hold, watch, train), ""
        except RunTaken:
            raise
        except (StoreUnavailable, NoRoomError) as problem:  # for STORE_PATIENCE: it can go on later
            status, error = INTERRUPTED, explain(problem)
        except Exception as problem:
            if threading.main_thread().is_alive():
                status, error = FAILED, explain(problem)
                _log(run, problem, error)
            else:  # Python ends: nothing can be imported and no thread begun from here on
                status, error = STOPPED, ""
        except BaseException:
            with suppress(RunTaken):
                _settle(store, run, owner, INTERRUPTED, "It was broken off.", patience)
            raise
        _settle(store, run, owner, status, error, patience)
    return store.run(run.id)


class Hold:
    """A run while it is carried out here: renews its heartbeat and knows when it is to stop."""

    def __init__(self, store: Store, run: int, owner: Owner, stop: threading.Event) -> None:
        self._store, self._run, self._owner, self._stop = store, run, owner, stop
        self._over = threading.Event()
        self._asked = -math.inf
        self._thread = threading.Thread(target=self._beat, name=f"heart of run {run}", daemon=True)

    def should_stop(self) -> bool:
        """Whether to stop now; cheap enough to ask after every batch."""
        moment = time.monotonic()
        if not self._stop.is_set() and moment - self._asked >= POLL_SECONDS:
            self._asked = moment
            with suppress(StoreUnavailable):  # what is recorded next waits for it
                if self._store.stop_requested(self._run):
                    self._stop.set()
        return self._stop.is_set()

    def __enter__(self) -> "Hold":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()

    def _beat(self) -> None:
        while not self._over.wait(BEAT_SECONDS):
            try:
                held = self._store.heartbeat(self._run, self._owner)
            except StoreError as error:
                log.warning("No heartbeat of run %d: %s", self._run, error)
                continue
            if not held and not self._over.is_set():
                self._stop.set()  # another process has the run
                return


def _learn(
    store: Store,
    run: Run,
    owner: Owner,
    hold: Hold,
    watch: Callable[[Event], None] | None,
    train: Train | None,
) -> str:
    from core.training import sequence
    from core.training.resuming import CheckpointMismatch

    store.note_versions(run.id, versions(), owner, patience=STORE_PATIENCE)
    if run.attempts == 1:
        checkpoints.delete(run.id)  # of a run in an earlier database that bore this number
    checkpoints.drop_parts(run.id)  # nobody else writes for this run

    def record(event: Event) -> None:
        store.record(run.id, event, owner, patience=STORE_PATIENCE, in_series=True)
        if watch is not None:
            watch(event)

    def publish(action: Callable[[], None]) -> None:
        store.while_held(run.id, owner, action, patience=STORE_PATIENCE)

    def save(state: dict[str, Any]) -> None:
        keep(partial(checkpoints.save, run.id, state, publish))

    def save_parser(k: int, state: dict[str, Any]) -> None:
        keep(partial(checkpoints.save_parser, run.id, k, state, publish))

    keep = partial(write_with_room, should_stop=hold.should_stop, patience=STORE_PATIENCE)
    try:
        (train or sequence.train)(
            run.config,
            record,
            hold.should_stop,
            resume=_load(run),
            save=save,
            save_parser=save_parser,
        )
    except CheckpointMismatch as error:
        raise CheckpointError(checkpoints.unfit(run.id, f"{error}.")) from error
    except Stopped:
        return STOPPED
    return FINISHED


def _load(run: Run) -> dict[str, Any] | None:
    """What the run goes on from; CheckpointError says how to begin anew where it is not whole."""
    try:
        return checkpoints.load(run.id)
    except CheckpointError as error:
        raise CheckpointError(checkpoints.unfit(run.id, str(error))) from error


def _settle(store: Store, run: Run, owner: Owner, status: str, error: str, patience: float) -> None:
    """Write the outcome down, however long the store can't be written (a full disk, say)."""
    deadline = time.monotonic() + patience
    while True:
        try:
            store.set_status(run.id, status, error=error, owner=owner)
            break
        except StoreUnavailable as problem:
            if time.monotonic() >= deadline:
                raise
            log.warning("Run %d is %s, but: %s", run.id, status, problem)
            time.sleep(POLL_SECONDS)
    if status == FINISHED:
        try:
            checkpoints.drop_state(run.id)
        except CheckpointError as problem:
            log.warning("%s", problem)


def _log(run: Run, problem: Exception, error: str) -> None:
    known = not error.startswith("Unexpected")
    log.error("Run %d failed: %s", run.id, error, exc_info=None if known else problem)
