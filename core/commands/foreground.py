"""Carries a run out in this process and shows how it goes; Ctrl-C stops it within a batch."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from core.analysis.durations import duration
from core.commands.display import Display
from core.runs.checkpoints import can_begin_anew
from core.runs.execution import execute
from core.runs.owner import Owner
from core.runs.run import FAILED, FINISHED, STOPPED, RunTaken
from core.runs.store import Store

EXIT_CODES = {FINISHED: 0, FAILED: 1, STOPPED: 3}
_PATIENCE = 10.0  # seconds that a store may stay unwritable at the end


def carry_out(store: Store, id: int, owner: Owner, *, quiet: bool = False) -> int:
    """Carry out a run that `owner` holds, telling how it ended; the exit code."""
    display, stop = Display(quiet=quiet), threading.Event()
    run = store.run(id)
    with stopped_by_signals(stop):
        try:
            run = execute(store, run, owner, stop=stop, watch=display.show, patience=_PATIENCE)
        except RunTaken:
            print(f"Run {id} ({run.name}) was taken over by another process.", file=sys.stderr)
            return 1
        finally:
            display.close()
    how = f"Run {id} ({run.name}) {run.status} after {duration(run.seconds)}"
    if run.status == FINISHED:
        print(f"{how}.")
        return 0
    print(f"{how}: {run.error}" if run.error else f"{how}.", file=sys.stderr)
    if not can_begin_anew(run.error):
        print(f"To go on with it: python -m core resume {id}")
    return EXIT_CODES.get(run.status, 1)


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM sets `stop`; a second one breaks off."""
    if threading.current_thread() is not threading.main_thread():  # signals reach that one only
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {which: signal.signal(which, handle) for which in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for which, old in before.items():
            signal.signal(which, old)
