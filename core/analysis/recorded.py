"""Which runs have recorded a kind of event."""

from collections.abc import Sequence

from sqlalchemy import Table, exists, select

from core.runs.store import Store
from core.runs.tables import runs


def runs_with(store: Store, table: Table, ids: Sequence[int]) -> set[int]:
    """Those of these runs that have a row in the table; quick, however many rows there are."""
    query = select(runs.c.id).where(runs.c.id.in_(ids), exists().where(table.c.run_id == runs.c.id))
    return {row.id for row in store.fetch(query)}
