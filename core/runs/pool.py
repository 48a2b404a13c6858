"""Workers as processes of this machine: each `python -m core worker`, one a free core or GPU.

Processes, not threads: Python's own lock lets two runs in one process hinder each other (see
`python -m core bench workers`).
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from core import paths
from core.options import ConfigError
from core.runs import devices

MOST_WORKERS = 256
_GRACE = 30.0  # seconds that a worker has for the end of its batch
_SHORT = 20.0  # a worker that lives shorter than this has something wrong with it
_MOST_SHORT = 3  # of those in a row


class Pool:
    """So many workers, replaced where one dies."""

    def __init__(
        self, workers: int, device: str = "auto", *, experiment: str = "", of_app: bool = False
    ) -> None:
        """`experiment`: only cells of this one. `of_app`: workers give way to pages, and at the
        end none but cells of experiments go back to the queue.

        ConfigError where the number or the device is none that can be had here.
        """
        self._device = device
        self._more = ["--experiment", experiment] if experiment else []
        self._more += ["--of-app"] if of_app else []
        self._short = 0
        self.devices: list[str] = []
        self._began: list[float] = []
        self._workers: list[subprocess.Popen[bytes]] = []
        self.resize(workers)

    def resize(self, workers: int) -> None:
        """Start or end some, so that there are so many; ConfigError as above."""
        if not 1 <= workers <= MOST_WORKERS:
            raise ConfigError(f"--workers {workers}: expected 1 to {MOST_WORKERS}.")
        _end(self._workers[workers:], _GRACE)
        del self._workers[workers:]
        self.devices = assign(workers, self._device)
        self._began = [*self._began[:workers], *[0.0] * (workers - len(self._began))]
        for at in range(len(self._workers), workers):
            self._workers.append(self._start(at))

    def watch(self) -> None:
        """Replace workers that have died; RuntimeError where they die at once, again and again."""
        for at, worker in enumerate(self._workers):
            if worker.poll() is None:
                continue
            short = time.monotonic() - self._began[at] < _SHORT
            self._short = self._short + 1 if short else 0
            if self._short >= _MOST_SHORT:
                raise RuntimeError(
                    f"Workers end as soon as they begin (exit code {worker.returncode}); core.log "
                    "beside the runs says why."
                )
            self._workers[at] = self._start(at)

    def ask_to_end(self) -> None:
        """Let each worker end its batch and settle its run; doesn't wait."""
        for worker in self._workers:
            worker.terminate()

    def end(self, seconds: float = _GRACE) -> None:
        """The same, and after so many seconds end those that don't."""
        _end(self._workers, seconds)

    def kill(self) -> None:
        """End the workers at once; their runs count as interrupted."""
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.wait()

    def _start(self, at: int) -> subprocess.Popen[bytes]:
        self._began[at] = time.monotonic()
        words = ["--device", self.devices[at], "--parent", str(os.getpid()), *self._more]
        return subprocess.Popen(
            [sys.executable, "-m", "core", "worker", *words],
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C reaches the parent alone
            env=paths.environment_of_children(),
        )


def _end(workers: Sequence[subprocess.Popen[bytes]], seconds: float) -> None:
    for worker in workers:
        worker.terminate()
    deadline = time.monotonic() + seconds
    for worker in workers:
        try:
            worker.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()


def assign(workers: int, device: str = "auto") -> list[str]:
    """The device of each worker: as asked for, else GPUs in turn, else the processor."""
    available = devices.available()
    if device != "auto":
        name = "cuda:0" if device == "cuda" else device
        if name not in available:
            raise ConfigError(f"--device {device}: there are: auto, {', '.join(available)}.")
        return [name] * workers
    chosen: Sequence[str] = available[1:] or available
    return [chosen[number % len(chosen)] for number in range(workers)]


def default_workers(device: str = "auto") -> tuple[int, str]:
    """How many workers, and in words why: one a GPU, else one a core that is free now."""
    gpus = len(devices.available()) - 1
    if gpus and device == "auto":
        return gpus, "one for each GPU"
    if device not in ("auto", "cpu"):
        return 1, f"one for {device}"
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    free = max(1, cores - round(os.getloadavg()[0]))
    return free, f"one for each core that is free, of {cores}"
