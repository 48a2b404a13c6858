"""What a run's method has recorded of itself after each task, such as the share of units in use."""

import math

from sqlalchemy import select

from core.runs.store import Store
from core.runs.tables import diagnostics as table


def diagnostics(store: Store, run: int) -> dict[int, dict[str, float]]:
    """Task (from 0) → name → value, in order of both; NaN where it was not a number."""
    query = select(table.c.task, table.c.name, table.c.value).where(table.c.run_id == run)
    by_task: dict[int, dict[str, float]] = {}
    for row in store.fetch(query.order_by(table.c.task, table.c.name)):
        by_task.setdefault(row.task, {})[row.name] = math.nan if row.value is None else row.value
    return by_task
