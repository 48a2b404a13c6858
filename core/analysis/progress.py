"""How far a run is: the loss of each epoch, in the order in which they were trained."""

import pandas as pd
from sqlalchemy import func, select

from core.runs.cells import largest
from core.runs.store import Store
from core.runs.tables import epochs, stage_times

COLUMNS = ["task", "stage", "epoch", "loss", "rows", "seconds"]


def epoch_losses(store: Store, run: int) -> pd.DataFrame:
    """A row for each finished epoch of the run: COLUMNS, and `number`, its position from 1.

    Within a task the stages come in the order in which they are carried out.
    """
    query = select(*(epochs.c[name] for name in COLUMNS)).where(epochs.c.run_id == run)
    query = query.order_by(epochs.c.task, epochs.c.stage_number, epochs.c.epoch)
    frame = store.frame(query)
    return frame.assign(number=range(1, len(frame) + 1))


def times(store: Store, run: int) -> dict[str, float]:
    """Seconds that the run has spent in each stage, in sampling, evaluating and recording."""
    spent = func.sum(stage_times.c.seconds).label("spent")
    key = (stage_times.c.run_id, stage_times.c.stage)
    query = select(*key, spent, *largest(stage_times.c.seconds)).where(stage_times.c.run_id == run)
    query = query.group_by(*key).order_by(spent.desc())
    return {row.stage: row.spent for row in store.fetch(query)}
