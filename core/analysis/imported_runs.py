"""Runs of a file of results in the store: finished ones, marked as imported.

Their accuracies are all that is known of them: no parser is kept, no action recorded. Experiments
count them as their cells, and they are exported again as they came.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select

from core.analysis.exported_runs import ExportedRun
from core.events import Accuracy, RunStarted
from core.registry import methods
from core.runs.recordings import IMPORTED, Recording, put
from core.runs.run import FINISHED
from core.runs.store import Store
from core.runs.tables import runs
from core.text import counted


@dataclass(frozen=True)
class Imported:
    """How many runs the store did not have, and how many had finished there already."""

    new: int
    known: int


def put_in(store: Store, records: Sequence[ExportedRun]) -> Imported:
    """Make finished runs of the records, but for those of which the store has a finished run."""
    query = select(runs.c.digest).where(runs.c.status == FINISHED)
    known = {row.digest for row in store.fetch(query)}
    new = [record for record in records if record.digest not in known]
    for record in new:
        put(store, _recording(record), IMPORTED, digest=record.digest)
    return Imported(len(new), len(records) - len(new))


def in_words(done: Imported) -> str:
    """`40 finished runs imported, of which accuracies are all that is known.`"""
    known = f"; {done.known:,} had finished here already" if done.known else ""
    runs = counted(done.new, "finished run")
    return f"{runs} imported, of which accuracies are all that is known{known}."


def _recording(record: ExportedRun) -> Recording:
    measured = [Accuracy(*counts[:4]) for counts in record.counts]
    return Recording(
        config=record.config,
        versions=record.versions,
        recorded=datetime.now(UTC),
        seconds=record.seconds,
        events=(_facts(record), *measured),
    )


def _facts(record: ExportedRun) -> RunStarted:
    """What the record says of the run; numbers that it doesn't say are 0."""
    totals = {on: total for _, on, _, total, _ in record.counts}
    known: dict[int, dict[int, int]] = {}
    for after, on, _, _, covered in record.counts:
        if covered is not None:
            known.setdefault(after, {})[on] = covered
    tasks = range(len(record.tasks))
    rows = [known.get(after, {}) for after in tasks]
    return RunStarted(
        tasks=record.tasks,
        n_train=(0,) * len(tasks),
        n_test=tuple(totals.get(on, 0) for on in tasks),
        covered=tuple(tuple(row[on] for on in range(len(row)) if on in row) for row in rows),
        actions=0,
        slots=0,
        parameters=0,
        device=record.device,
        keeps_memory=bool(methods.declared(record.config.method, "memory")),
    )
