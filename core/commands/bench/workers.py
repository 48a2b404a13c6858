"""`bench workers`: k runs at once as threads of one process, and as k processes.

Each run is the real loop of training for some seconds, without a store; its rate is the rows that
it gets through a second once its first steps are over. Of k at once the rates add up. Beside them
stands what that is in rates of one run alone, taken in the same way just before.
"""

import argparse
import contextlib
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from core.commands import Subparsers
from core.commands.bench.processes import Meet, in_processes
from core.commands.numbers import count, seconds
from core.config import RunConfig
from core.data.base import DataMissing
from core.events import Event, Progress
from core.options import ConfigError
from core.stopping import Stopped

WARM_UP = 1.0  # seconds that are not counted


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "workers",
        help="runs at once, as threads and as processes",
        description="Rows a second of k runs at once, as threads of one process and as processes, "
        "as a Markdown table.",
    )
    parser.add_argument("--dataset", default="overnight", help="(overnight) or the demo")
    parser.add_argument("--method", default="emr", help="(emr)")
    parser.add_argument("--runs", type=count, nargs="+", default=[1, 2], help="k (1 2)")
    parser.add_argument("--seconds", type=seconds, default=20.0, help="a measurement (20)")
    parser.add_argument("--threads", type=count, default=1, help="CPU threads of a run (1)")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    if min(args.runs) < 1 or args.seconds <= 0:
        raise ConfigError("--runs and --seconds: expected numbers above 0.")
    config = RunConfig(
        dataset=args.dataset,
        method=args.method,
        sampler="random",
        threads=args.threads,
        device=args.device,
        epochs=1000,
    )
    try:
        _print_all(config, args)
    except DataMissing as missing:
        print(f"{missing} Measuring the demo instead.", file=sys.stderr)
        _print_all(config.with_(dataset="demo"), args)
    return 0


def _print_all(config: RunConfig, args: argparse.Namespace) -> None:
    from core.data.base import load_tasks

    load_tasks(config)  # missing data are to be said here, not by each process
    print(
        f"{config.dataset}, {config.method}, {config.threads} threads a run, {os.cpu_count()} "
        f"cores of which {max(0.0, (os.cpu_count() or 1) - os.getloadavg()[0]):.1f} were free, "
        f"{args.seconds:g} s each.\n"
    )
    print("| Runs at once | as | rows/s | of one run |\n| ---: | --- | ---: | ---: |", flush=True)
    alone: dict[str, float] = {}
    for k in sorted(args.runs):
        for how, measure in (("threads", as_threads), ("processes", as_processes)):
            rate = sum(measure(config, k, args.seconds))
            alone.setdefault(how, rate / k)
            print(f"| {k} | {how} | {rate:.0f} | {rate / alone[how]:.2f} × |", flush=True)


def as_threads(config: RunConfig, k: int, seconds: float) -> list[float]:
    """Rows a second of each of k runs in threads of this process."""
    barrier = threading.Barrier(k)
    with ThreadPoolExecutor(k) as threads:
        return list(threads.map(lambda seed: rate(config, seed, seconds, barrier.wait), range(k)))


def as_processes(config: RunConfig, k: int, seconds: float) -> list[float]:
    """Rows a second of each of k runs in processes of their own."""
    runs = [(config.to_json(), seed, seconds) for seed in range(k)]
    return in_processes(_rate_of_json, runs)


def _rate_of_json(config: str, seed: int, seconds: float, meet: Meet) -> float:
    return rate(RunConfig.from_json(config), seed, seconds, meet)


def rate(config: RunConfig, seed: int, seconds: float, meet: Meet) -> float:
    """Rows a second of a run that learns for so many seconds, counted after a warm-up.

    `meet` is called when the data are read and the first step is done.
    """
    from core.training.sequence import train

    clock = _Clock(seconds, meet)
    with contextlib.suppress(Stopped):
        train(config.with_(seed=seed), clock.record, clock.should_stop)
    return clock.rate()


class _Clock:
    """Stops a run in time, and knows how far it was at the beginning and at the end."""

    def __init__(self, seconds: float, meet: Meet) -> None:
        self._seconds, self._meet = seconds, meet
        self._began = 0.0
        self._first: tuple[float, float] | None = None  # time and work done
        self._last = (0.0, 0.0)

    def record(self, event: Event) -> None:
        if not isinstance(event, Progress):
            return
        if not self._began:
            self._meet()
            self._began = time.perf_counter()
        moment = time.perf_counter()
        if moment - self._began >= WARM_UP and self._first is None:
            self._first = (moment, event.done)
        self._last = (moment, event.done)

    def should_stop(self) -> bool:
        """Whether the seconds are over and, however slow the machine, a step has been counted."""
        counted = self._first is not None and self._last[0] > self._first[0]
        return counted and time.perf_counter() > self._began + WARM_UP + self._seconds

    def rate(self) -> float:
        if self._first is None or self._last[0] <= self._first[0]:
            raise ConfigError("--seconds: too few for a step; expected more.")
        return (self._last[1] - self._first[1]) / (self._last[0] - self._first[0])
