"""The manager: what a process does with runs, and the worker threads that carry them out.

The queue is the store's. There is one manager a process; it belongs to no session and no page.
It is closed when the main thread has ended, before the interpreter is: PyTorch aborts a process
whose threads still train then. A process that dies leaves whole transactions and checkpoints.
"""

import sys
import threading
import types
from collections.abc import Callable, Sequence

from core import paths
from core.config import RunConfig
from core.runs import checkpoints
from core.runs.execution import Train
from core.runs.run import StoreError
from core.runs.settings import fixed_workers, wanted_workers
from core.runs.store import Store
from core.runs.workers import Workers

_PROCESS = "total_recall_process"


class Manager:
    """Queues runs and carries them out, one at a time for each worker of a device."""

    def __init__(
        self,
        store: Store,
        *,
        workers: int = 1,
        devices: Sequence[str] | None = None,
        train: Train | None = None,
        validate: Callable[[RunConfig], None] | None = None,
        wanted: Callable[[Store], int] | None = None,
    ) -> None:
        """Starts the threads: `workers` for each of `devices` (default: all of this machine).

        `wanted` says how many workers there are to be in all (see Workers). `train` and `validate`
        stand in for those of the training. StoreError where the store can't be used.
        """
        self.store = store
        self._validate = validate
        store.mark_interrupted()
        self.workers = Workers(store, workers, devices, train, wanted)

    def submit(self, config: RunConfig, name: str = "") -> int:
        """Queue a run; its number. ConfigError or DataError where it can't be carried out."""
        self._check(config)
        id = self.store.create(config, name)
        self.workers.wake()
        return id

    def stop(self, id: int) -> None:
        """Stop a run within a batch, wherever it is; StoreError where it neither runs nor waits."""
        self.store.request_stop(id)
        self.workers.stop(id)

    def resume(self, id: int, *, anew: bool = False) -> None:
        """Queue a run that ended early, to go on from its checkpoint; StoreError otherwise.

        `anew` does without the checkpoint (see `checkpoints.can_begin_anew`).
        """
        self.store.resume(id, anew=anew)
        self.workers.wake()

    def delete(self, id: int) -> None:
        """Delete a run with its checkpoints; StoreError while it runs."""
        self.store.delete(id)
        checkpoints.delete(id)

    def close(self) -> None:
        """Stop what runs here and end the threads (see Workers.close)."""
        self.workers.close()
        self.store.close()

    def _check(self, config: RunConfig) -> None:
        if self._validate is not None:
            self._validate(config)
        else:
            from core.training import checks

            checks.validate(config)


def manager() -> Manager:
    """The manager of this process, made on first use: for the present home and database.

    It hangs on a module of our own making, which no file watcher evicts: code that was edited and
    imported again finds the manager that is there. It has as many workers as core.runs.settings
    says. StoreError where the process ends.
    """
    process = sys.modules.setdefault(_PROCESS, types.ModuleType(_PROCESS))
    lock = process.__dict__.setdefault("lock", threading.Lock())
    with lock:
        if not threading.main_thread().is_alive():
            raise StoreError("The server is ending.")
        place = (paths.home_name(), paths.database_url())
        if process.__dict__.get("place") != place:
            _end_manager(process)
            _close_at_end(process)
            fixed_workers()
            process.__dict__["manager"] = Manager(Store(), wanted=wanted_workers)
            process.__dict__["place"] = place
        made: Manager = process.__dict__["manager"]
        return made


def close_manager() -> None:
    """End this process's manager and wait for its threads; nothing where there is none."""
    process = sys.modules.get(_PROCESS)
    if process is not None:
        with process.__dict__["lock"]:
            _end_manager(process)


def _close_at_end(process: types.ModuleType) -> None:
    """Have the manager closed as soon as the main thread has ended: once a process.

    A thread that waits, not `atexit`, whose turn comes after pages' threads have ended.
    """
    if "end" not in process.__dict__:
        end = threading.Thread(target=_end, name="end of run manager", daemon=False)
        process.__dict__["end"] = end
        end.start()


def _end() -> None:
    threading.main_thread().join()
    close_manager()


def _end_manager(process: types.ModuleType) -> None:
    """Close the manager that is there and forget it; the lock is held."""
    process.__dict__.pop("place", None)
    old = process.__dict__.pop("manager", None)
    if old is not None:
        old.close()
