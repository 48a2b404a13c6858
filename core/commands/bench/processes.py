"""One measurement in several new processes that begin it together."""

import multiprocessing
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from core.runs.run import StoreError

PATIENCE = 120.0  # seconds until all processes are ready
Result = TypeVar("Result")
Meet = Callable[[], object]  # returns when all of them are ready


def in_processes(
    measure: Callable[..., Result], arguments: Iterable[tuple[Any, ...]]
) -> list[Result]:
    """What `measure(*each, meet)` returns for each of the arguments, in a process of its own.

    `meet()` returns once all of them have called it. The first fault ends them all: raises what
    was raised there, or StoreError where a process ended by itself.
    """
    calls = list(arguments)
    fresh = multiprocessing.get_context("spawn")
    barrier = fresh.Barrier(len(calls), timeout=PATIENCE)
    children, pipes = [], []
    for each in calls:
        ours, theirs = fresh.Pipe(duplex=False)
        child = fresh.Process(target=_measure, args=(measure, each, barrier.wait, theirs))
        child.start()
        theirs.close()  # so that ours ends with the process
        children.append(child)
        pipes.append(ours)
    results: dict[Any, Result] = {}
    try:
        while len(results) < len(pipes):
            for pipe in wait([pipe for pipe in pipes if pipe not in results]):
                results[pipe] = _received(pipe)
    finally:
        for child in children:
            child.terminate()
            child.join()
    return [results[pipe] for pipe in pipes]


def _received(pipe: Any) -> Any:
    try:
        result, fault = pipe.recv()
    except EOFError:
        raise StoreError("A process of the measurement ended by itself.") from None
    if fault is not None:
        raise fault
    return result


def _measure(
    measure: Callable[..., Any], arguments: tuple[Any, ...], meet: Meet, pipe: Connection
) -> None:
    try:
        pipe.send((measure(*arguments, meet), None))
    except Exception as error:
        pipe.send((None, error))
