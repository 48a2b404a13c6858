"""An experiment's results: arms side by side, in the pairs that all of them have finished.

Only complete pairs count, so that every arm is measured on the same orders and seeds; a cell that
has failed or is not done is never a zero. An arm without any finished cell is set aside. What was
left out is said (`Compared.left_out`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from sqlalchemy import select

from core.analysis.cell_records import CellRecord, of_cells
from core.analysis.exported_runs import ExportedRun, of_runs, written
from core.analysis.paper_table import End, last_accuracies
from core.experiments.catalog import Stored
from core.experiments.experiment import Experiment
from core.experiments.status import ABSENT, cell_table, cells_query
from core.options import ConfigError
from core.runs.digest import digest
from core.runs.run import FINISHED, Run
from core.runs.store import Store

DAMAGED = "damaged"  # finished, but its record can't be read
_STANDING = {
    ABSENT: "not run",
    "deleted": "run deleted",
    "queued": "waits",
    "running": "runs",
    DAMAGED: "damaged record",
}


@dataclass(frozen=True)
class Compared:
    """An experiment's finished cells, and which of them are compared.

    `cells`: pair and arm (numbers), status, run (or none), and of finished ones in percent whole,
    avg, bound_whole, bound_avg and by_position (a tuple: of each task, in the order learned) after
    the last task, tasks (how many) and minutes.
    """

    experiment: Experiment
    cells: pd.DataFrame
    arms: tuple[int, ...]  # those that are compared
    pairs: tuple[int, ...]  # the complete ones

    def values(self, measure: str) -> pd.DataFrame:
        """The measure in percent: a row for each complete pair, a column for each arm's label."""
        used = self.cells[self.cells.pair.isin(self.pairs) & self.cells.arm.isin(self.arms)]
        grid = used.pivot(index="pair", columns="arm", values=measure).reindex(columns=self.arms)
        grid.columns = [self.experiment.arms[arm].label for arm in self.arms]
        return grid.astype(float)

    def by_order_and_seed(self, measure: str) -> pd.DataFrame:
        """`values` indexed by the pair's order and seed."""
        grid = self.values(measure)
        pairs = [self.experiment.pairs[pair] for pair in grid.index]
        orders = [pair.task_order or pair.order_seed for pair in pairs]
        grid.index = pd.MultiIndex.from_arrays([[str(o) for o in orders], [p.seed for p in pairs]])
        return grid

    def left_out(self) -> list[str]:
        """A sentence for each arm and pair that is not compared, with the reason.

        Pairs of which nothing is done share one: of 110 cells most are still to come.
        """
        labels = [arm.label for arm in self.experiment.arms]
        sentences = [
            f"Arm '{labels[arm]}' has no finished cell and is not compared."
            for arm in sorted(set(self.cells.arm) - set(self.arms))
        ]
        untouched = []
        incomplete = self.cells.arm.isin(self.arms) & ~self.cells.pair.isin(self.pairs)
        for pair, cells in self.cells[incomplete].groupby("pair"):
            label = self.experiment.pairs[int(str(pair))].label
            if set(cells.status) == {ABSENT}:
                untouched.append(label)
                continue
            missing = cells[cells.status != FINISHED]
            reasons = [
                f"{_STANDING.get(str(status), status)} ({_named(same.arm, labels, len(self.arms))})"
                for status, same in missing.groupby("status", sort=False)
            ]
            sentences.append(f"Pair {label} is left out: {'; '.join(reasons)}.")
        if untouched:
            sentences.append(f"Not run with any arm: {'; '.join(untouched)}.")
        return sentences


def _named(arms: Sequence[int], labels: Sequence[str], n_arms: int) -> str:
    if n_arms > 1 and len(arms) == n_arms:
        return "all arms"
    return ", ".join(f"'{labels[arm]}'" for arm in arms)


def from_store(store: Store, stored: Stored, labels: Collection[str] = ()) -> Compared:
    """The cells as the store has them; of these arms only, where labels are given."""
    frame = cell_table(store, stored.id)[["pair", "arm", "digest", "run", "status"]]
    done = frame.run[frame.status == FINISHED].astype(int).tolist()
    return _compared(stored.experiment, frame, of_cells(store, done), labels)


def finished_runs(store: Store, experiment: int) -> list[Run]:
    """The finished run behind each cell that has one."""
    cells = cells_query(experiment).subquery()
    return store.runs(statuses=[FINISHED], among=select(cells.c.run))[::-1]


def cells_as_text(store: Store, experiment: int) -> str:
    """The finished cells as a file of results."""
    return written(records(store, experiment))


def records(store: Store, experiment: int) -> list[ExportedRun]:
    """Of the finished cells that can be read."""
    done = of_runs(store, finished_runs(store, experiment))
    return [record for record in done if record.counts]


def from_records(
    experiment: Experiment, records: Sequence[ExportedRun], labels: Collection[str] = ()
) -> Compared:
    """The cells that are among exported runs."""
    by_digest = {record.digest: record for record in records}
    rows = []
    for pair, arm, config in experiment.configs():
        known_by = digest(config)
        status = FINISHED if known_by in by_digest else ABSENT
        rows.append((pair, arm, known_by, None, status))
    frame = pd.DataFrame(rows, columns=["pair", "arm", "digest", "run", "status"])
    return _compared(experiment, frame, by_digest, labels)


def _compared(
    experiment: Experiment,
    frame: pd.DataFrame,
    records: Mapping[str, ExportedRun | CellRecord],
    labels: Collection[str],
) -> Compared:
    known = [arm.label for arm in experiment.arms]
    for label in labels:
        if label not in known:
            raise ConfigError(f"'{label}' is not an arm; there are: {', '.join(known)}.")
    chosen = [at for at, label in enumerate(known) if label in labels or not labels]
    cells = frame[frame.arm.isin(chosen)].merge(_ends(records), on="digest", how="left")
    cells.loc[(cells.status == FINISHED) & cells.avg.isna(), "status"] = DAMAGED
    finished = cells[cells.avg.notna()]
    arms = tuple(arm for arm in chosen if arm in set(finished.arm))
    counts = finished[finished.arm.isin(arms)].groupby("pair").arm.nunique()
    pairs = tuple(int(pair) for pair in counts[counts == len(arms)].index) if arms else ()
    return Compared(experiment, cells.drop(columns="digest"), arms, pairs)


def _ends(records: Mapping[str, ExportedRun | CellRecord]) -> pd.DataFrame:
    """By digest, in percent, what is right after the last task."""
    rows = []
    for known_by, record in records.items():
        end = last_accuracies(record)
        if end is not None and end.after + 1 == len(record.tasks):
            more = {
                "by_position": tuple(100 * n for n in _shares_after(record, end.after)),
                "tasks": len(record.tasks),
                "minutes": record.seconds / 60,
            }
            rows.append({"digest": known_by, **end._asdict(), **more})
    return pd.DataFrame(rows, columns=["digest", *End._fields, "by_position", "tasks", "minutes"])


def _shares_after(record: ExportedRun | CellRecord, k: int) -> list[float]:
    """acc[k, i] of every task i learned by then, in the order learned."""
    shares = {on: right / total for after, on, right, total, _ in record.counts if after == k}
    return [shares[on] for on in sorted(shares)]
