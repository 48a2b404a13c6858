"""The worker threads of a process: each takes runs from the store's queue and carries them out."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import select

from core.runs import checkpoints, devices
from core.runs.checkpoint_files import CheckpointError
from core.runs.execution import Train, execute
from core.runs.owner import Owner, new_owner
from core.runs.run import FINISHED, QUEUED, RUNNING, STOPPED, Run, RunTaken, StoreError
from core.runs.store import Store
from core.runs.tables import runs

IDLE_SECONDS = 1.0  # between two looks at the queue: another process may have added to it
WATCH_SECONDS = 5.0  # between two searches for runs whose process is gone
CLOSE_SECONDS = 7.0  # for what runs to stop within a batch when the process ends

log = logging.getLogger(__name__)


class Workers:
    """Carry out what is queued, one run at a time each, until they are closed."""

    def __init__(
        self, store: Store, each: int, devices: Sequence[str] | None, train: Train | None
    ) -> None:
        """Starts the threads: `each` for every one of the devices (None: all of this machine)."""
        self.running: dict[int, tuple[Owner, threading.Event]] = {}  # run → who has it, its stop
        self._store, self._each, self._devices, self._train = store, each, devices, train
        self._closing = threading.Event()
        self._change = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._start("run manager", self._manage)

    def wake(self) -> None:
        """Something was queued."""
        with self._change:
            self._change.notify_all()

    def stop(self, id: int) -> None:
        """Stop a run within a batch, if it is carried out here."""
        if id in self.running:
            self.running[id][1].set()

    def close(self) -> None:
        """Stop what runs here and end the threads, within CLOSE_SECONDS.

        A run that takes longer (it reads its data, say) is stopped from its last checkpoint: what
        it still does is no longer recorded.
        """
        deadline = time.monotonic() + CLOSE_SECONDS
        self._closing.set()
        for _, stop in list(self.running.values()):
            stop.set()
        self.wake()
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))
        for id, (owner, _) in list(self.running.items()):
            try:
                self._store.set_status(id, STOPPED, owner=owner)
            except StoreError as error:  # it has just ended, or the store is away
                log.warning("Run %d did not end in time: %s", id, error)

    def _start(self, name: str, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _manage(self) -> None:
        """Start the workers, then look for runs whose process is gone."""
        try:
            warm_up()
            self._sweep()
            for device in self._devices or devices.available():
                for number in range(self._each):
                    self._start(f"worker {number} on {device}", self._work, device)
        except Exception:
            log.exception("No workers: runs will wait.")
        while not self._closing.wait(WATCH_SECONDS):
            try:
                self._store.mark_interrupted()
            except StoreError as error:
                log.warning("%s", error)

    def _sweep(self) -> None:
        """Clear up what processes that were killed have left beside checkpoints."""
        status = {row.id: row.status for row in self._store.fetch(select(runs.c.id, runs.c.status))}
        ended = [id for id in status if status[id] not in (QUEUED, RUNNING)]
        try:
            checkpoints.sweep([id for id in ended if status[id] == FINISHED], ended)
        except (CheckpointError, OSError) as error:
            log.warning("%s", error)

    def _work(self, device: str) -> None:
        owner, wanted = new_owner(), devices.settings(device)
        while not self._closing.is_set():
            try:
                run = self._store.claim(owner, devices=wanted)
                if run is None:
                    with self._change:
                        self._change.wait(IDLE_SECONDS)
                    continue
                self._carry_out(run, owner)
            except RunTaken as error:
                log.warning("%s", error)
            except Exception as error:  # the worker outlives whatever a run or the store does
                log.error("Worker on %s: %s", device, error, exc_info=error)
                self._closing.wait(IDLE_SECONDS)

    def _carry_out(self, run: Run, owner: Owner) -> None:
        stop = threading.Event()
        self.running[run.id] = (owner, stop)
        if self._closing.is_set():
            stop.set()
        try:
            execute(self._store, run, owner, stop=stop, train=self._train)
        finally:
            del self.running[run.id]


def warm_up() -> None:
    """Import PyTorch and make its first optimizer, which imports for seconds."""
    import torch

    torch.optim.Adam([torch.zeros(1, requires_grad=True)])
