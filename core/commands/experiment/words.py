"""What the command line says of an experiment: how far it is, what it will take, what is queued."""

import shutil
import sys
import time

from core.analysis.durations import duration
from core.experiments.outlook import Outlook
from core.experiments.status import Status
from core.experiments.work import Queued
from core.runs.run import FAILED, FINISHED, RUNNING
from core.text import bar, counted


def progress_line(name: str, now: Status, workers: int) -> str:
    """`demo: 4 of 15 cells, 30 %, 2 running, 1 failed, 3 min 10 s left`"""
    counts = now.counts
    parts = [f"{name}: {counts[FINISHED]} of {now.cells} cells", f"{now.done:.0%}"]
    parts += [f"{counts[RUNNING]} running"] if counts[RUNNING] else []
    parts += [f"{counts[FAILED]} failed"] if counts[FAILED] else []
    left = now.seconds_left(min(workers, max(1, now.pending)))
    parts += [f"{duration(left)} left"] if left and now.pending else []
    return ", ".join(parts)


class Line:
    """A bar and a line, drawn anew on a terminal; elsewhere a line when cells are done."""

    def __init__(self) -> None:
        self._before, self._drawn = "", False

    def show(self, text: str, share: float) -> None:
        if sys.stdout.isatty():
            room = shutil.get_terminal_size().columns - 1  # a line that wraps can't be drawn anew
            sys.stdout.write(f"\r\x1b[K{f'{bar(share)} {text}'[:room]}")
            self._drawn = True
        elif text.split(",")[0] != self._before:
            self._before = text.split(",")[0]
            sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
        sys.stdout.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stdout.write("\n")


def before_start(ahead: Outlook, workers: int) -> str:
    """`15 cells, 4 of them finished already; about 3 min 10 s with 2 workers, 12 MB of disk.`"""
    already = f", {ahead.finished} of them finished already" if ahead.finished else ""
    if not ahead.left:
        return f"{ahead.cells} cells{already}; none is left to be carried out."
    at_once = min(workers, ahead.left)
    with_ = f"with {at_once} worker{'s' * (at_once > 1)}"
    if ahead.seconds is None or ahead.low is None or ahead.high is None:
        time_ = f"no earlier run here tells how long they take {with_}"
    else:
        mean, low, high = (duration(s / at_once) for s in (ahead.seconds, ahead.low, ahead.high))
        time_ = f"about {mean} {with_} ({low} to {high})"
    disk = "" if ahead.disk is None else f", {ahead.disk / 1e6:,.0f} MB of disk"
    guessed = f"; not known for {', '.join(ahead.unknown)}: the mean of the others"
    return f"{ahead.cells} cells{already}; {time_}{disk}" + (
        f"{guessed}." if ahead.unknown and ahead.seconds is not None else "."
    )


def what_is_queued(name: str, queued: Queued) -> str:
    parts = [f"{counted(queued.new, 'cell')} queued" if queued.new else ""]
    parts += [f"{queued.again} of them because their runs were deleted" if queued.again else ""]
    parts += [f"{queued.resumed} go on" if queued.resumed else ""]
    parts += [f"{queued.used} have finished already" if queued.used else ""]
    parts += [f"{queued.joined} wait or run already" if queued.joined else ""]
    parts += [f"{queued.failed} have failed (see `retry`)" if queued.failed else ""]
    return f"{name}: {', '.join(filter(None, parts))}."
