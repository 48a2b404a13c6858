"""How events become rows: each kind once under its key, progress not oftener than it is looked at.

Progress comes after every batch. It is written at most every half second, and at once where a
stage begins or ends; what is held back meanwhile goes in with the next thing that is written. So do
accuracies and what is recorded with them, of which many come at once where a run has many tasks:
what ends their series is written at once, before a checkpoint is.
"""

import threading
import time
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, func, insert, literal, update

from core.events import Accuracy, ActionProbabilities, Event, Predictions, Progress, RunStarted
from core.runs import clock
from core.runs.column_types import UtcTime
from core.runs.json_values import finite
from core.runs.owner import Owner
from core.runs.tables import EVENT_TABLES, runs

INTERVAL = 0.5  # seconds between two writes of what can wait
SERIES = (Accuracy, ActionProbabilities, Predictions)  # a StageTime follows

_Writer = tuple[int, Owner | None]  # a run, and who records for it


class Throttle:
    """Decides which events of a run are due to be written; safe with many threads."""

    def __init__(self, interval: float = INTERVAL) -> None:
        self._interval = interval
        self._lock = threading.Lock()
        self._written: dict[_Writer, tuple[float, int, str]] = {}  # when, task, stage
        self._held: dict[_Writer, tuple[float, tuple[Event, ...]]] = {}  # since when, what

    def due(
        self, run: int, event: Event, owner: Owner | None, in_series: bool = False
    ) -> tuple[Event, ...]:
        """What to write now that this event has come: nothing, or what was held back and it.

        An event of SERIES waits for what follows where it is said to be `in_series`.
        """
        writer, moment = (run, owner), time.monotonic()
        with self._lock:
            since, held = self._held.pop(writer, (moment, ()))
            if isinstance(event, Progress):  # the newest says all
                held = tuple(item for item in held if not isinstance(item, Progress))
                waits = not self._is_due(writer, event, moment)
            else:
                waits = in_series and isinstance(event, SERIES)
            if waits and moment - since < self._interval:
                self._held[writer] = (since, (*held, event))
                return ()
            return (*held, event)

    def _is_due(self, writer: _Writer, event: Progress, moment: float) -> bool:
        when, task, stage = self._written.get(writer, (-self._interval, -1, ""))
        new = (task, stage) != (event.task, event.stage)
        ends = event.epoch >= event.epochs or event.done >= event.total
        if new or ends or moment - when >= self._interval:
            self._written[writer] = (moment, event.task, event.stage)
            return True
        return False

    def end(self, run: int, owner: Owner | None) -> tuple[Event, ...]:
        """The owner's attempt is over: what is still to be written."""
        with self._lock:
            self._written.pop((run, owner), None)
            return self._held.pop((run, owner), (0.0, ()))[1]


def write_event(connection: Connection, run: int, event: Event) -> None:
    """One event of a run whose row is locked; the same key again replaces what it says."""
    if isinstance(event, Progress):
        connection.execute(update(runs).where(runs.c.id == run).values(_progress(event)))
    elif isinstance(event, RunStarted):
        facts = {"facts": asdict(event), "device": event.device}
        connection.execute(update(runs).where(runs.c.id == run).values(facts))
    else:
        table = EVENT_TABLES[type(event)]
        scalars, series = _values(table, event)
        scalars["run_id"] = run
        keys = [column for column in table.primary_key if column.name in scalars]
        same = and_(*(column == scalars[column.name] for column in keys))
        connection.execute(delete(table).where(same))
        rows = zip(*series.values(), strict=True) if series else [()]
        records = [scalars | dict(zip(series, row, strict=True)) for row in rows]
        if records:
            connection.execute(insert(table), records)


def _values(table: Table, event: Event) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """What the event says of each column: one value, or one for each of its rows."""
    scalars: dict[str, Any] = {}
    series: dict[str, list[Any]] = {}
    for column in table.c:
        if column.name == "run_id":
            continue
        value = getattr(event, column.info.get("field", column.name))
        if column.info.get("many"):
            series[column.name] = [finite(item) for item in value]
        else:
            scalars[column.name] = finite(value)
    return scalars, series


def _progress(event: Progress) -> dict[str, Any]:
    moment = clock.now()
    share = event.done / event.total if event.total > 0 else 0.0
    return {
        "progress": min(1.0, max(0.0, share)),
        "progress_text": asdict(event),
        "progress_time": moment,
        "first_done": func.coalesce(runs.c.first_done, event.done),
        "first_time": func.coalesce(runs.c.first_time, literal(moment, UtcTime())),
    }
