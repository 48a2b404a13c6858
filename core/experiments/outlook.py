"""How long an experiment will take and how much it will store, before anything is queued."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from core import paths
from core.experiments.catalog import Stored
from core.experiments.experiment import of_pair
from core.experiments.status import status
from core.runs import checkpoints
from core.runs import estimate as estimates
from core.runs.estimate import Estimate
from core.runs.run import FAILED, FINISHED
from core.runs.store import Store
from core.runs.tables import runs

MOST_MEASURED = 12  # arms whose own steps are timed: each takes a second or so


@dataclass(frozen=True)
class Outlook:
    """What is still to be done: cells, seconds of one worker, bytes; None where not known."""

    cells: int
    finished: int
    left: int  # cells to be carried out: neither finished nor failed
    seconds: float | None
    low: float | None
    high: float | None
    unknown: tuple[str, ...]  # labels of arms that no earlier run compares with
    disk: int | None  # bytes, at the mean of the runs carried out here


def outlook(store: Store, stored: Stored, measure_seconds: float = 0.0) -> Outlook:
    """From runs carried out on this machine, else from each arm's own steps (`measure_seconds`).

    An arm of which neither tells anything counts as the mean of the others. ConfigError or
    DataError where an arm can't be run.
    """
    now = status(store, stored.id)
    left = {arm.arm: _cells_left(arm.counts, arm.part_done) for arm in now.arms}
    by_arm: dict[int, Estimate | None] = {}
    for number, arm in enumerate(arm for arm in left if left[arm] > 0):
        seconds = measure_seconds if number < MOST_MEASURED else 0.0
        by_arm[arm] = _estimate(store, stored, arm, seconds)
    labels = [arm.label for arm in stored.experiment.arms]
    n_left = now.cells - now.counts[FINISHED] - now.counts[FAILED]
    return Outlook(
        cells=now.cells,
        finished=now.counts[FINISHED],
        left=n_left,
        seconds=_total(by_arm, left, "seconds"),
        low=_total(by_arm, left, "low"),
        high=_total(by_arm, left, "high"),
        unknown=tuple(labels[arm] for arm, estimate in by_arm.items() if estimate is None),
        disk=_disk(store, n_left),
    )


def _cells_left(counts: Mapping[str, int], part_done: float) -> float:
    return sum(counts.values()) - counts.get(FINISHED, 0) - counts.get(FAILED, 0) - part_done


def _estimate(store: Store, stored: Stored, arm: int, seconds: float) -> Estimate | None:
    """Of the arm's first pair: the order of the tasks changes little."""
    experiment = stored.experiment
    config = of_pair(experiment.arm_config(experiment.arms[arm]), experiment.pairs[0])
    known = estimates.estimate(store, config)
    return estimates.measure(config, seconds) if known is None and seconds > 0 else known


def _total(
    by_arm: Mapping[int, Estimate | None], left: Mapping[int, float], name: str
) -> float | None:
    if not by_arm:
        return 0.0
    known = {arm: float(getattr(each, name)) for arm, each in by_arm.items() if each is not None}
    if not known:
        return None
    mean = sum(known.values()) / len(known)
    return sum(left[arm] * known.get(arm, mean) for arm in by_arm)


def _disk(store: Store, cells: int) -> int | None:
    """The home's database and checkpoints, shared out over the finished runs, times the cells."""
    query = select(func.count().label("finished")).select_from(runs)
    done = (runs.c.status == FINISHED, runs.c.attempts > 0)
    finished = int(store.fetch(query.where(*done))[0].finished)
    if not finished:
        return None
    home = paths.home()
    database = sum(path.stat().st_size for path in home.glob("runs.sqlite*"))
    return round((database + checkpoints.size()) / finished * cells)
