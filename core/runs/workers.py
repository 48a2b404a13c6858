"""A process's workers: each takes runs from the store's queue and carries them out.

They are threads, one a device; more than one for a device are processes (core.runs.pool), which
don't get in each other's way, nor in that of pages.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from sqlalchemy import select

from core.options import ConfigError
from core.runs import checkpoints, devices, worker_list
from core.runs.checkpoint_files import CheckpointError
from core.runs.circumstances import has_lost_gpu
from core.runs.execution import Train, execute
from core.runs.owner import Owner, new_owner
from core.runs.pool import Pool, assign
from core.runs.run import FINISHED, QUEUED, RUNNING, STOPPED, Run, RunTaken, StoreError
from core.runs.store import Store
from core.runs.tables import runs

IDLE_SECONDS = 1.0  # between two looks at the queue: another process may have added to it
WARM_SECONDS = 10.0  # to what only runs need: the first page is not to wait for it
WATCH_SECONDS = 5.0  # between two searches for runs whose process is gone
CLOSE_SECONDS = 4.0  # for what runs to stop within a batch when the process ends

log = logging.getLogger(__name__)


class Workers:
    """Carry out what is queued, one run at a time each, until they are closed."""

    def __init__(
        self,
        store: Store,
        each: int,
        devices: Sequence[str] | None,
        train: Train | None,
        wanted: Callable[[Store], int] | None = None,
    ) -> None:
        """Starts the threads: `each` for every one of the devices (None: all of this machine).

        `wanted` says how many workers there are to be in all; where that is more than 1 they are
        processes, as soon as something waits, where it is 0 nothing more is taken from the queue.
        """
        self._wanted = wanted
        self._pool: Pool | None = None
        self._idle: frozenset[str] = frozenset()  # devices whose threads take nothing
        self.running: dict[int, tuple[Owner, threading.Event]] = {}  # run → who has it, its stop
        self._store, self._each, self._devices, self._train = store, each, devices, train
        self._owners: dict[Owner, str] = {}  # of each thread that works, and its device
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
        if self._pool is not None:
            self._pool.ask_to_end()
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))
        if self._pool is not None:
            self._pool.end(max(1.0, deadline - time.monotonic()))
        for id, (owner, _) in list(self.running.items()):
            try:
                self._store.set_status(id, STOPPED, owner=owner)
                self._store.give_back(id)
            except StoreError as error:  # it has just ended, or the store is away
                log.warning("Run %d did not end in time: %s", id, error)
        for owner in self._owners:
            with suppress(StoreError):
                worker_list.end(self._store, owner)

    def _start(self, name: str, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _manage(self) -> None:
        """Start the workers, then look for runs whose process is gone."""
        try:
            self._sweep()
            self._adjust()
            for device in self._all_devices():
                for number in range(self._each):
                    self._start(f"worker {number} on {device}", self._work, device)
        except Exception:
            log.exception("No workers: runs will wait.")
        warm_at = time.monotonic() + WARM_SECONDS
        while not self._closing.is_set():
            if time.monotonic() > warm_at:
                warm_at = math.inf
                warm_up()
            try:
                self._store.mark_interrupted()
                self._adjust()
                self._beat()
            except (StoreError, ConfigError) as error:
                log.warning("%s", error)
            with self._change:
                if not self._closing.is_set():
                    self._change.wait(WATCH_SECONDS)

    def _adjust(self) -> None:
        """Have as many processes as are wanted, once something waits; none where that is one."""
        if self._wanted is None:
            return
        number = self._wanted(self._store)
        of_processes = assign(number) if number > 1 else ()
        self._idle = frozenset(of_processes if number else self._all_devices())
        if number <= 1:
            pool, self._pool = self._pool, None
            if pool is not None:
                pool.end()
        elif self._pool is None:
            waiting = select(runs.c.id).where(runs.c.status == QUEUED).limit(1)
            if self._store.fetch(waiting):
                self._pool = Pool(number, of_app=True)
        else:
            self._keep_up(self._pool, number)

    def _keep_up(self, pool: Pool, number: int) -> None:
        try:
            if number != len(pool.devices):
                pool.resize(number)
            pool.watch()
        except RuntimeError as error:
            log.error("%s Threads take their place.", error)
            pool.kill()
            self._pool, self._wanted, self._idle = None, None, frozenset()

    def _all_devices(self) -> Sequence[str]:
        return self._devices or devices.available()

    def _beat(self) -> None:
        for owner, device in list(self._owners.items()):
            if device not in self._idle:
                worker_list.beat(self._store, owner, device, worker_list.THREAD)

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
        self._owners[owner] = device
        with suppress(StoreError):  # its next sign comes from `_manage`
            self._beat()  # who sees its first run then sees the worker too
        while not self._closing.is_set():
            try:
                run = None
                if device not in self._idle:
                    run = self._store.claim(owner, devices=wanted)
                if run is None:
                    with self._change:
                        self._change.wait(IDLE_SECONDS)
                    continue
                if has_lost_gpu(self._carry_out(run, owner)):
                    log.error("No more runs on %s until this process is started anew.", device)
                    del self._owners[owner]
                    return
            except RunTaken as error:
                log.warning("%s", error)
            except Exception as error:  # the worker outlives whatever a run or the store does
                log.error("Worker on %s: %s", device, error, exc_info=error)
                self._closing.wait(IDLE_SECONDS)

    def _carry_out(self, run: Run, owner: Owner) -> Run:
        """The run as it ended."""
        stop = threading.Event()
        self.running[run.id] = (owner, stop)
        if self._closing.is_set():
            stop.set()
        try:
            done = execute(self._store, run, owner, stop=stop, train=self._train)
            if self._closing.is_set():
                self._store.give_back(run.id)
            return done
        finally:
            del self.running[run.id]


def warm_up() -> None:
    """Import PyTorch and make its first optimizer, which imports for seconds."""
    import torch

    torch.optim.Adam([torch.zeros(1, requires_grad=True)])
