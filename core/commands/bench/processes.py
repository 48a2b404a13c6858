"""One measurement in several new processes that begin it together."""

import multiprocessing
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import BrokenBarrierError
from typing import Any, TypeVar

from core.runs.run import StoreError

PATIENCE = 120.0  # seconds until all processes are ready
Result = TypeVar("Result")
Meet = Callable[[], object]  # returns when all of them are ready

_barrier: Any = None  # of this process, if it is one of several


def in_processes(
    measure: Callable[..., Result], arguments: Iterable[tuple[Any, ...]]
) -> list[Result]:
    """What `measure(*each, meet)` returns for each of the arguments, in a process of its own.

    `meet()` returns once all of them have called it. Raises what the first fault raised, and
    StoreError where a process ended by itself.
    """
    calls = list(arguments)
    fresh = multiprocessing.get_context("spawn")
    barrier = fresh.Barrier(len(calls), timeout=PATIENCE)
    with ProcessPoolExecutor(len(calls), fresh, _keep, (barrier,)) as pool:
        jobs = [pool.submit(_measure, measure, each) for each in calls]
        faults = [fault for job in jobs if (fault := job.exception())]
    for fault in sorted(faults, key=lambda fault: isinstance(fault, BrokenBarrierError)):
        if isinstance(fault, BrokenProcessPool):
            raise StoreError("A process of the measurement ended by itself.") from fault
        raise fault
    return [job.result() for job in jobs]


def _keep(barrier: Any) -> None:
    global _barrier
    _barrier = barrier


def _measure(measure: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    try:
        return measure(*arguments, _barrier.wait)
    except BaseException:
        _barrier.abort()  # the others need not wait
        raise
