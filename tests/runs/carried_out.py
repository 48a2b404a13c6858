"""A run on the demo that a worker of this process carries out, and all that it leaves."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import literal_column, select

from core.runs import checkpoints
from core.runs.manager import Manager
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES
from tests.campaign.bits import assert_equal, recorded, small_config

Until = Callable[..., None]


def carry_out(store: Store, until: Until, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Run 1, from its beginning to its end in one attempt, while something else happens."""
    manager = Manager(store, workers=1, devices=["cpu"])
    try:
        manager.submit(small_config())
        meanwhile()
        until(lambda: store.run(1).ended is not None, 240)
        run = store.run(1)
        assert (run.status, run.error, run.attempts) == ("finished", "", 1)
    finally:
        manager.workers.close()


@dataclass(frozen=True)
class Left:
    """What run 1 leaves: its rows, its events in the order in which they came, its parsers."""

    rows: dict[str, list[tuple[Any, ...]]]
    order: dict[str, list[tuple[Any, ...]]]
    parsers: list[Any]

    @classmethod
    def by(cls, store: Store) -> "Left":
        parsers = [checkpoints.load_parser(1, task) for task in (0, 1)]
        return cls(recorded(store, 1), _as_written(store), parsers)

    def assert_same(self, expected: "Left") -> None:
        assert self.rows == expected.rows
        assert self.order == expected.order
        assert_equal(dict(enumerate(self.parsers)), dict(enumerate(expected.parsers)))


def _as_written(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """The keys of events by the numbers of their rows, or of the transactions that wrote them."""
    on_sqlite = store.engine.dialect.name == "sqlite"
    row_order = literal_column("rowid" if on_sqlite else "xmin::text::bigint")
    events = {}
    for table in EVENT_TABLES.values():
        key = [column for column in table.primary_key if not column.info.get("many")]
        rows = store.fetch(select(*key).order_by(row_order, *key))
        events[table.name] = [tuple(row) for row, _ in itertools.groupby(rows)]
    return events
