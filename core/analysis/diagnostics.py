"""What a run's method has told of itself after each task, such as the share of units in use."""

import math

from sqlalchemy import select

from core.runs.store import Store
from core.runs.tables import diagnostics as table


def diagnostics(store: Store, run: int) -> dict[int, dict[str, float]]:
    """Task (from 0) → name → value, in order of both; NaN where it was not a number."""
    query = select(table.c.task, table.c.name, table.c.value).where(table.c.run_id == run)
    found: dict[int, dict[str, float]] = {}
    for task, name, value in store.fetch(query.order_by(table.c.task, table.c.name)):
        found.setdefault(task, {})[name] = math.nan if value is None else value
    return found
