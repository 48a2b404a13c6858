"""The manager: the worker threads of a process that carry queued runs out.

The queue is the store's. There is one manager a process; it belongs to no session and no page.
It is closed when the main thread has ended, before the interpreter is: PyTorch aborts a process
whose threads still train then. A process that dies leaves whole transactions and checkpoints.
"""

import logging
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from core import paths
from core.config import RunConfig
from core.runs import checkpoints, devices
from core.runs.execution import Train, execute
from core.runs.owner import Owner, new_owner
from core.runs.run import STOPPED, StoreError
from core.runs.store import Store

IDLE_SECONDS = 1.0  # between two looks at the queue: another process may have added to it
WATCH_SECONDS = 5.0  # between two searches for runs whose process is gone
CLOSE_SECONDS = 7.0  # for what runs to stop within a batch when the process ends

_PROCESS = "total_recall_process"

log = logging.getLogger(__name__)


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
    ) -> None:
        """Starts the threads: `workers` for each of `devices` (default: all of this machine).

        `train` and `validate` stand in for those of the training. StoreError where the store
        can't be used.
        """
        self.store = store
        self._train = train
        self._validate = validate
        self._workers = workers
        self._devices = devices
        self._closing = threading.Event()
        self._change = threading.Condition()
        self._stops: dict[int, threading.Event] = {}  # runs carried out here
        self._owners: dict[int, Owner] = {}
        self._threads: list[threading.Thread] = []
        store.mark_interrupted()
        self._start("run manager", self._manage)

    # --- for pages ----------------------------------------------------------------------------

    def submit(self, config: RunConfig, name: str = "") -> int:
        """Queue a run; its number. ConfigError or DataError where it can't be carried out."""
        self._check(config)
        id = self.store.create(config, name)
        self._wake()
        return id

    def submit_many(self, config: RunConfig, seeds: Iterable[int], name: str = "") -> list[int]:
        """Queue a run for each seed; nothing is queued where one can't be carried out."""
        configs = [config.with_(seed=seed) for seed in seeds]
        for each in configs[:1]:  # they differ in nothing but the seed, which RunConfig checks
            self._check(each)
        titles = [f"{name}, seed {each.seed}" if name.strip() else "" for each in configs]
        ids = [self.store.create(*pair) for pair in zip(configs, titles, strict=True)]
        self._wake()
        return ids

    def stop(self, id: int) -> None:
        """Stop a run within a batch, wherever it is; StoreError where it neither runs nor waits."""
        self.store.request_stop(id)
        stop = self._stops.get(id)
        if stop is not None:
            stop.set()

    def resume(self, id: int) -> None:
        """Queue a run that ended early, to go on from its checkpoint; StoreError otherwise."""
        self.store.resume(id)
        self._wake()

    def delete(self, id: int) -> None:
        """Delete a run with its checkpoints; StoreError while it runs."""
        self.store.delete(id)
        checkpoints.delete(id)

    def close(self) -> None:
        """Stop what runs here and end the threads, within CLOSE_SECONDS.

        A run that takes longer (it reads its data, say) is stopped from its last checkpoint: what
        it still does is no longer recorded.
        """
        deadline = time.monotonic() + CLOSE_SECONDS
        self._closing.set()
        for stop in list(self._stops.values()):
            stop.set()
        self._wake()
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))
        for id, owner in list(self._owners.items()):
            try:
                self.store.set_status(id, STOPPED, owner=owner)
            except StoreError as error:  # it has just ended, or the store is away
                log.warning("Run %d did not end in time: %s", id, error)
        self.store.close()

    # --- threads ------------------------------------------------------------------------------

    def _start(self, name: str, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _manage(self) -> None:
        """Start the workers, then look for runs whose process is gone."""
        try:
            warm_up()
            for device in self._devices or devices.available():
                for number in range(self._workers):
                    self._start(f"worker {number} on {device}", self._work, device)
        except Exception:
            log.exception("No workers: runs will wait.")
        while not self._closing.wait(WATCH_SECONDS):
            try:
                self.store.mark_interrupted()
            except StoreError as error:
                log.warning("%s", error)

    def _work(self, device: str) -> None:
        owner, wanted = new_owner(), devices.settings(device)
        while not self._closing.is_set():
            try:
                run = self.store.claim(owner, devices=wanted)
                if run is None:
                    with self._change:
                        self._change.wait(IDLE_SECONDS)
                    continue
                stop = self._stops[run.id] = threading.Event()
                self._owners[run.id] = owner
                if self._closing.is_set():
                    stop.set()
                try:
                    execute(self.store, run, owner, stop=stop, train=self._train)
                finally:
                    del self._stops[run.id], self._owners[run.id]
            except Exception as error:  # the worker outlives whatever a run or the store does
                log.error("Worker on %s: %s", device, error, exc_info=error)
                self._closing.wait(IDLE_SECONDS)

    def _check(self, config: RunConfig) -> None:
        if self._validate is not None:
            self._validate(config)
        else:
            from core.training import checks

            checks.validate(config)

    def _wake(self) -> None:
        with self._change:
            self._change.notify_all()


def warm_up() -> None:
    """Import PyTorch and make its first optimizer, which imports for seconds."""
    import torch

    torch.optim.Adam([torch.zeros(1, requires_grad=True)])


def manager() -> Manager:
    """The manager of this process, made on first use: for the present home and database.

    It hangs on a module of our own making, which no file watcher evicts: code that was edited and
    imported again finds the manager that is there. TOTAL_RECALL_WORKERS (default 1) says how many
    workers a device gets. StoreError where the process ends.
    """
    process = sys.modules.setdefault(_PROCESS, types.ModuleType(_PROCESS))
    lock = process.__dict__.setdefault("lock", threading.Lock())
    with lock:
        if not threading.main_thread().is_alive():
            raise StoreError("The server is ending.")
        place = (str(paths.home()), paths.database_url())
        if process.__dict__.get("place") != place:
            _end_manager(process)
            _close_at_end(process)
            process.__dict__["manager"] = Manager(Store(), workers=_workers())
            process.__dict__["place"] = place
        return process.__dict__["manager"]


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


def _workers() -> int:
    given = os.environ.get("TOTAL_RECALL_WORKERS") or "1"
    if not given.isdecimal() or int(given) < 1:
        raise StoreError(f"TOTAL_RECALL_WORKERS = {given!r}: expected a whole number from 1.")
    return int(given)
