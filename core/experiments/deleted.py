"""Cells whose run was deleted: which, before they are carried out again."""

from sqlalchemy import select

from core.experiments.catalog import Stored
from core.experiments.status import cells_query
from core.runs.store import Store
from core.text import counted

_MOST_SAID = 12


def deletions(store: Store, stored: Stored, most: int = _MOST_SAID) -> list[str]:
    """A sentence for each such cell, by pair and arm; of more than `most` how many more."""
    cells = cells_query(stored.id).subquery()
    lost = (cells.c.run.is_(None), cells.c.last_run.is_not(None))
    query = select(cells.c.pair, cells.c.arm, cells.c.last_run).where(*lost)
    rows = store.fetch(query.order_by(cells.c.pair, cells.c.arm))
    sentences = [
        f"A{stored.experiment.cell_label(row.pair, row.arm)[1:]}: run {row.last_run} was deleted; "
        "going on carries the cell out again."
        for row in rows[:most]
    ]
    more = len(rows) - most
    return [*sentences, f"And so with {counted(more, 'more cell')}."] if more > 0 else sentences
