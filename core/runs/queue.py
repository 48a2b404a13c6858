"""The queue: which of the waiting runs is next.

Higher priority first: runs launched by hand have 0, cells of experiments less, so that nobody waits
for a hundred cells. Then the lower position, which for a cell is its pair: experiments take turns
pair by pair, and arms that were added later catch up. Then whoever has waited longest.

A run that experiments alone have queued waits while all of them are paused.
"""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, exists, not_, or_, select

from core.runs.run import QUEUED
from core.runs.tables import experiment_cells, experiments, runs

BY_HAND = 0  # the priority of a run that somebody launched
CELLS = -10  # and that of an experiment's, where nothing is said
MOST_ATTEMPTS = 5  # how often a cell whose process disappears goes back to the queue by itself


def next_waiting(
    id: int | None = None,
    devices: Collection[str] | None = None,
    experiment: int | None = None,
) -> Select[Any]:
    """The query for the number of the run to take next.

    `id` asks for one run only, `devices` for runs whose configured device is among these,
    `experiment` for cells of this experiment.
    """
    query = select(runs.c.id).where(runs.c.status == QUEUED)
    if id is not None:
        query = query.where(runs.c.id == id)
    else:
        active = experiments.c.paused.is_(False)
        query = query.where(or_(not_(runs.c.is_cell), _wanted(active)))
    if devices is not None:
        query = query.where(runs.c.wanted_device.in_(list(devices)))
    if experiment is not None:
        query = query.where(_wanted(experiments.c.id == experiment))
    order = (runs.c.priority.desc(), runs.c.position, runs.c.queued, runs.c.id)
    return query.order_by(*order).limit(1)


def _wanted(condition: Any) -> Any:
    """Whether an experiment of which that holds has the run as a cell."""
    return exists(
        select(experiment_cells.c.digest)
        .join(experiments, experiments.c.id == experiment_cells.c.experiment_id)
        .where(experiment_cells.c.digest == runs.c.digest, condition)
    )
