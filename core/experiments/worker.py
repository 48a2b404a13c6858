"""A worker: takes waiting runs off the queue, one after the other, and carries them out.

Any number of processes on any machines that reach the database may hold one; a cell whose process
disappears goes back to the queue and on from its checkpoint.
"""

import logging
import threading
from contextlib import suppress

from core.runs import devices, worker_list
from core.runs.circumstances import has_lost_gpu
from core.runs.execution import Train, execute
from core.runs.owner import new_owner
from core.runs.run import STOPPED, Run, StoreError
from core.runs.store import Store

IDLE_SECONDS = 1.0  # between two looks at an empty queue
WATCH_SECONDS = 5.0  # between two searches for runs whose process is gone

log = logging.getLogger(__name__)


class Worker:
    """Carries out runs for one device until `stop` is set; then its run goes back to the queue."""

    def __init__(
        self,
        store: Store,
        device: str,
        *,
        stop: threading.Event,
        experiment: int | None = None,
        train: Train | None = None,
        only_cells_back: bool = False,
    ) -> None:
        """`experiment`: only cells of this one. `train` stands in for the training.

        `only_cells_back`: at the end a run that somebody launched by hand stays stopped.
        """
        self.store, self.stop, self.experiment, self.train = store, stop, experiment, train
        self.owner, self.wanted = new_owner(), devices.settings(device)
        self.device, self.only_cells_back = device, only_cells_back

    def go(self) -> None:
        """Until `stop`; an error of a run or of the store is logged and outlived."""
        self._beat()  # who sees its first run then sees the worker too
        watch = threading.Thread(target=self._watch, name="watch", daemon=True)
        watch.start()
        while not self.stop.is_set():
            try:
                if not self.work_once():
                    self.stop.wait(IDLE_SECONDS)
            except Exception as error:
                log.error("%s", error, exc_info=error)
                self.stop.wait(IDLE_SECONDS)
        with suppress(StoreError):
            worker_list.end(self.store, self.owner)

    def work_once(self) -> bool:
        """Take the next run and carry it out; False where none waits."""
        run = self.store.claim(self.owner, devices=self.wanted, experiment=self.experiment)
        if run is None:
            return False
        stop = _Either(self.stop)
        done = execute(self.store, run, self.owner, stop=stop, train=self.train)
        if has_lost_gpu(done):
            log.error("The worker on %s ends: %s", self.device, done.error)
            self.stop.set()  # a pool starts another process in its place
        if done.status == STOPPED and not stop.of_the_run:
            self._give_back(done)
        return True

    def _give_back(self, run: Run) -> None:
        """The worker ends, not the run: others may go on with it."""
        try:
            if self.only_cells_back:
                self.store.give_back(run.id)
            else:
                self.store.resume(run.id)
        except StoreError as error:
            log.warning("%s", error)

    def _watch(self) -> None:
        while not self.stop.is_set():
            self._beat()
            try:
                self.store.mark_interrupted()
            except StoreError as error:
                log.warning("%s", error)
            self.stop.wait(WATCH_SECONDS)

    def _beat(self) -> None:
        try:
            worker_list.beat(self.store, self.owner, self.device, worker_list.PROCESS)
        except StoreError as error:
            log.warning("%s", error)


class _Either(threading.Event):
    """Set where it is itself, or the other."""

    def __init__(self, other: threading.Event) -> None:
        super().__init__()
        self._other = other

    @property
    def of_the_run(self) -> bool:
        """Whether it was set for the run, whatever became of the worker since."""
        return super().is_set()

    def is_set(self) -> bool:
        return super().is_set() or self._other.is_set()
