"""Signs of life of the process that carries a run out, as its row in the store has them."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row

from core.runs import clock
from core.runs.owner import Owner, gone
from core.runs.run import RUNNING

SILENCE = timedelta(seconds=30)  # no heartbeat for so long: a process that can't be seen is gone


def silence(row: Any) -> float | None:
    """Seconds since a running run's last sign of life; None where it doesn't run."""
    return between(row.heartbeat, clock.now()) if row.status == RUNNING else None


def abandoned(row: Row[Any], *, unseen: bool = True) -> bool:
    """Whether a run counts as running but its process is gone.

    Processes that can't be seen from here count as gone after SILENCE, where `unseen` says so.
    """
    if row.status != RUNNING:
        return False
    ended = gone(Owner(row.owner_host, row.owner_pid, row.owner_started, row.owner_token))
    if ended is not None:
        return ended
    known = isinstance(row.heartbeat, datetime)
    return unseen and (not known or clock.now() - row.heartbeat > SILENCE)


def between(start: Any, end: Any) -> float:
    """Seconds from start to end, not below 0; 0 where one is not a time."""
    times = isinstance(start, datetime) and isinstance(end, datetime)
    return max(0.0, (end - start).total_seconds()) if times else 0.0
