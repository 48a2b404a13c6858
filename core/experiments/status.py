"""How far an experiment is, counted by the database: ten thousand cells take well under a second.

Behind a cell stands one run of its configuration: a finished one, else one that runs, waits, was
interrupted, was stopped or has failed; of several the oldest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Column, ColumnElement, Select, Text, case, cast, func, select

from core.runs.run import FAILED, FINISHED, INTERRUPTED, QUEUED, RUNNING, STATUSES, STOPPED
from core.runs.store import Store
from core.runs.tables import experiment_cells, runs

if TYPE_CHECKING:
    import pandas as pd

ABSENT = "absent"  # no run of this configuration
DELETED = "deleted"  # there was one
CELL_STATUSES = (FINISHED, RUNNING, QUEUED, INTERRUPTED, STOPPED, FAILED, DELETED, ABSENT)
_RANKS = {status: rank for rank, status in enumerate(CELL_STATUSES[:6])}
_LARGEST = 1e300  # above every time and share
_RANK = 10**12  # above every run's number


@dataclass(frozen=True)
class ArmStatus:
    """How many cells of an arm stand how; `seconds` of one carried out, in the mean."""

    arm: int
    counts: Mapping[str, int]
    seconds: float | None
    part_done: float  # of the running cells, in cells
    from_file: int  # of the finished ones, how many came from a file


@dataclass(frozen=True)
class Status:
    """The cells of an experiment by status."""

    arms: tuple[ArmStatus, ...]

    @property
    def counts(self) -> dict[str, int]:
        return {
            status: sum(arm.counts.get(status, 0) for arm in self.arms) for status in CELL_STATUSES
        }

    @property
    def cells(self) -> int:
        return sum(self.counts.values())

    @property
    def from_file(self) -> int:
        """Finished cells that nobody has carried out here (core.runs.recordings)."""
        return sum(arm.from_file for arm in self.arms)

    @property
    def pending(self) -> int:
        """Cells that run or wait for it."""
        return self.counts[RUNNING] + self.counts[QUEUED]

    @property
    def done(self) -> float:
        """Share of the cells, those that run in part."""
        part = sum(arm.part_done for arm in self.arms)
        return (self.counts[FINISHED] + part) / self.cells if self.cells else 0.0

    def seconds_left(self, workers: int = 1) -> float | None:
        """For the cells that run or wait, from the seconds of finished ones; None before any is.

        An arm of which none has finished counts as the mean of the others.
        """
        known = [arm.seconds for arm in self.arms if arm.seconds]
        if not known or not workers:
            return None
        mean = sum(known) / len(known)
        left = 0.0
        for arm in self.arms:
            cells = arm.counts.get(RUNNING, 0) + arm.counts.get(QUEUED, 0) - arm.part_done
            left += cells * (arm.seconds or mean)
        return left / workers


def cells_query(experiment: int, *conditions: ColumnElement[bool]) -> Select[Any]:
    """A row for each cell: pair, arm, digest, last_run (seen behind it), run (or none).

    `conditions` on columns of `experiment_cells` leave cells out.
    """
    asked = (experiment_cells.c.experiment_id == experiment, *conditions)
    rank = case(_RANKS, value=runs.c.status, else_=len(_RANKS))
    best = (
        select(runs.c.digest, func.min(cast(rank, BigInteger) * _RANK + runs.c.id).label("key"))
        .where(runs.c.digest.in_(select(experiment_cells.c.digest).where(*asked)))
        .group_by(runs.c.digest)
        .subquery()
    )
    return (
        select(
            experiment_cells.c.pair,
            experiment_cells.c.arm,
            experiment_cells.c.digest,
            experiment_cells.c.run_id.label("last_run"),
            (best.c.key % _RANK).label("run"),
        )
        .select_from(experiment_cells)
        .outerjoin(best, best.c.digest == experiment_cells.c.digest)
        .where(*asked)
    )


def cell_status(cells: Any) -> Any:
    """The status of a row of `cells_query`, joined with its run, as a column.

    A run whose status is damaged has failed.
    """
    deleted = cells.c.last_run.is_not(None)
    return case(
        (runs.c.status.in_(STATUSES), runs.c.status),
        (runs.c.status.is_not(None), FAILED),
        (deleted, DELETED),
        else_=ABSENT,
    ).label("status")


def _number(column: Column[Any]) -> Any:
    """The column without text that damage has left in it: SQLite sorts it behind numbers."""
    return case((column <= _LARGEST, column))


def status(store: Store, experiment: int) -> Status:
    """The counts of the experiment of this number."""
    cells = cells_query(experiment).subquery()
    stands = cell_status(cells)
    query = (
        select(
            cells.c.arm,
            stands,
            func.count().label("cells"),
            func.count(case((runs.c.attempts == 0, 1))).label("never_begun"),
            func.avg(case((runs.c.attempts > 0, _number(runs.c.seconds)))).label("seconds"),
            func.sum(_number(runs.c.progress)).label("progress"),
        )
        .select_from(cells)
        .outerjoin(runs, runs.c.id == cells.c.run)
        .group_by(cells.c.arm, stands)
        .order_by(cells.c.arm)
    )
    by_arm: dict[int, dict[str, Any]] = {}
    for row in store.fetch(query):
        by_arm.setdefault(row.arm, {})[row.status] = row
    return Status(tuple(_arm_status(arm, rows) for arm, rows in by_arm.items()))


def _arm_status(arm: int, rows: Mapping[str, Any]) -> ArmStatus:
    finished, running = rows.get(FINISHED), rows.get(RUNNING)
    return ArmStatus(
        arm,
        {status: int(row.cells) for status, row in rows.items()},
        float(finished.seconds) if finished and finished.seconds is not None else None,
        float(running.progress or 0.0) if running else 0.0,
        int(finished.never_begun) if finished else 0,
    )


def cell_table(store: Store, experiment: int, pairs: range | None = None) -> "pd.DataFrame":
    """Every cell (of these pairs alone), by pair and arm: pair, arm (from 0), digest, last_run,
    run, status, progress, seconds, error.
    """
    some = [] if pairs is None else [experiment_cells.c.pair.between(pairs[0], pairs[-1])]
    cells = cells_query(experiment, *some).subquery()
    progress = _number(runs.c.progress).label("progress")
    seconds = _number(runs.c.seconds).label("seconds")
    error = cast(runs.c.error, Text).label("error")
    return store.frame(
        select(cells, cell_status(cells), progress, seconds, error)
        .select_from(cells)
        .outerjoin(runs, runs.c.id == cells.c.run)
        .order_by(cells.c.pair, cells.c.arm)
    )
