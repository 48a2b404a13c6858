"""How long work is stopped: it is given `should_stop`, asks between two batches, raises Stopped.

One protocol for training, parsing, probes, samplers and Smatch, handed on as an argument.
"""

from collections.abc import Callable

ShouldStop = Callable[[], bool]  # cheap enough to be called after every batch


class Stopped(Exception):  # noqa: N818 - it is an outcome, not a fault
    """The caller asked for a stop; what was done so far is kept where the work keeps anything."""


def never() -> bool:
    """The ShouldStop of work that goes on to its end."""
    return False


def check(should_stop: ShouldStop) -> None:
    """Stopped where the caller asks for a stop."""
    if should_stop():
        raise Stopped
