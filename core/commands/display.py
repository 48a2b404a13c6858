"""A run on a terminal: its progress while it is carried out."""

import sys
import time
from dataclasses import dataclass, field
from typing import TextIO

from core.analysis.durations import duration
from core.events import Accuracy, Epoch, Event, Progress, RunStarted
from core.runs.run import seconds_left
from core.text import bar, clean

_REDRAW_SECONDS = 0.2


@dataclass
class Display:
    """Shows a run's events as they come: a bar on a terminal, a line an epoch elsewhere."""

    out: TextIO = field(default_factory=lambda: sys.stdout)
    quiet: bool = False
    _tasks: tuple[str, ...] = ()
    _first: tuple[float, float] | None = None  # work done and time when first told
    _drawn: float = 0.0
    _last: Progress | None = None
    _row: list[Accuracy] = field(default_factory=list)  # acc[k, ·] so far

    def show(self, event: Event) -> None:
        if self.quiet:
            return
        if isinstance(event, RunStarted):
            self._tasks = tuple(map(clean, event.tasks))
        elif isinstance(event, Progress):
            self._first = self._first or (event.done, time.monotonic())
            self._last = event
            if self.out.isatty() and time.monotonic() - self._drawn >= _REDRAW_SECONDS:
                self._drawn = time.monotonic()
                self._draw(event)
        elif isinstance(event, Epoch) and not self.out.isatty():
            number = f"{event.stage} epoch {event.epoch + 1}"
            self._line(f"{self._task(event.task)}  {number}  loss {event.loss:.4f}{self._rest()}")
        elif isinstance(event, Accuracy):
            self._row = [*(self._row if event.on else []), event]
            if event.on == event.after:
                self._line(f"after {self._task(event.after)}  {accuracies(self._row)}")

    def close(self) -> None:
        """Leave the line of the bar."""
        if self._drawn:
            self._erase()

    def _draw(self, event: Progress) -> None:
        share = event.done / event.total if event.total > 0 else 0.0
        where = f"{self._task(event.task)}  {event.stage} {event.epoch + 1}/{event.epochs}"
        self._erase()
        self.out.write(
            f"{bar(share)} {share:4.0%}  {where}  loss {event.loss:.4f}{self._left(event)}"
        )
        self.out.flush()

    def _rest(self) -> str:
        if self._last is None or self._last.total <= 0:
            return ""
        return f"  {self._last.done / self._last.total:.0%}{self._left(self._last)}"

    def _left(self, event: Progress) -> str:
        if self._first is None:
            return ""
        done, began = self._first
        left = seconds_left(event.done, event.total, done, time.monotonic() - began)
        return "" if left is None else f"  {duration(left)} left"

    def _task(self, number: int) -> str:
        name = f" {self._tasks[number]}" if number < len(self._tasks) else ""
        return f"task {number + 1}/{len(self._tasks)}{name}"

    def _line(self, text: str) -> None:
        if self._drawn:
            self._erase()
        self.out.write(text + "\n")
        self.out.flush()

    def _erase(self) -> None:
        self.out.write("\r\x1b[K")


def show_share(share: float) -> None:
    """How far the reading of word vectors is, on a terminal alone."""
    if sys.stdout.isatty():
        end = "\r\x1b[K" if share >= 1 else ""
        print(f"\r\x1b[KReading word vectors … {share:4.0%}{end}", end="", flush=True)


def accuracies(row: list[Accuracy]) -> str:
    """ACC_whole and ACC_avg of acc[k, ·], in percent."""
    right, rows = sum(cell.correct for cell in row), sum(cell.total for cell in row)
    shares = [cell.correct / cell.total for cell in row if cell.total]
    if not shares:
        return "no rows to test on"
    return f"ACC_whole {right / rows:.2%}  ACC_avg {sum(shares) / len(shares):.2%}"
