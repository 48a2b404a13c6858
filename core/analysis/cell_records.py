"""What tables of an experiment take of its finished cells, without building their runs.

An experiment may have 10,000 cells; a run's settings, which its digest stands for, are not read.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sqlalchemy import Text, cast, select

from core.analysis.accuracy import covered
from core.analysis.exported_runs import Counts
from core.events import RunStarted
from core.runs import tables
from core.runs.rows import to_facts
from core.runs.run import Unreadable
from core.runs.store import Store


@dataclass(frozen=True)
class CellRecord:
    """A finished cell: its tasks, acc[k, i] after the last of them as counts, how long it took."""

    tasks: tuple[str, ...]
    counts: tuple[Counts, ...]
    seconds: float


def of_cells(store: Store, runs: Collection[int]) -> dict[str, CellRecord]:
    """By digest, those of these finished runs whose record can be read."""
    columns = (
        tables.runs.c.id,
        tables.runs.c.digest,
        cast(tables.runs.c.facts, Text).label("facts"),
        tables.runs.c.seconds,
    )
    rows = store.fetch(select(*columns).where(tables.runs.c.id.in_(runs)))
    facts = {row.id: known for row in rows if (known := _facts(row.facts))}
    counts = _last_counts(store, facts)
    return {
        row.digest: CellRecord(facts[row.id].tasks, tuple(counts[row.id]), round(row.seconds, 1))
        for row in rows
        if row.id in counts
    }


def _facts(text: str) -> RunStarted | None:
    try:
        return to_facts(text)
    except Unreadable:
        return None


def _last_counts(store: Store, facts: dict[int, RunStarted]) -> dict[int, list[Counts]]:
    """By run, what is right after its last task."""
    last = {id: len(known.tasks) - 1 for id, known in facts.items()}
    at = tables.accuracies.c
    query = select(at.run_id, at.after, at.on_task, at.correct, at.total)
    query = query.where(at.run_id.in_(last), at.after.in_(set(last.values())))
    counts: dict[int, list[Counts]] = {id: [] for id in last}
    rows: Iterable[tuple[int, ...]] = map(tuple, store.fetch(query.order_by(at.on_task)))
    for id, after, on, correct, total in rows:
        if after == last[id]:
            counts[id].append((after, on, correct, total, covered(facts[id], after, on)))
    return counts
