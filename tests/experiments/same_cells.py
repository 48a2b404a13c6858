"""Two stores of one experiment, compared cell by cell: equal events, equal parsers."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from core.experiments import catalog
from core.experiments.status import cell_table
from core.runs import checkpoints
from core.runs.run import FINISHED
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES
from tests.campaign.bits import assert_equal

Cells = dict[tuple[int, int], dict[str, Any]]


def cells(name: str, home: Path | str, database: str | None = None) -> Cells:
    """What every cell has recorded and kept, by pair and arm, but for how long it took."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOTAL_RECALL_HOME", str(home))
        patch.delenv("TOTAL_RECALL_DATABASE_URL", raising=False)
        store = Store(database)
        table = cell_table(store, catalog.load(store, name).id)
        assert set(table.status) == {FINISHED}
        made = {(row.pair, row.arm): _recorded(store, int(row.run)) for row in table.itertuples()}
        store.close()
    return made


def _recorded(store: Store, run: int) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for table in EVENT_TABLES.values():
        columns = [c for c in table.c if c.name not in ("run_id", "seconds")]
        query = select(*columns).where(table.c.run_id == run).order_by(*table.primary_key)
        rows[table.name] = [tuple(row) for row in store.fetch(query)]
    kept = checkpoints.saved_parsers(run)
    rows["parsers"] = {task: checkpoints.load_parser(run, task) for task in kept}
    return rows


def assert_same_cells(left: Cells, right: Cells, n_cells: int) -> None:
    """So many cells each, with the same bits."""
    assert left.keys() == right.keys()
    assert len(left) == n_cells
    for cell in left:
        assert left[cell]["accuracies"]
        assert left[cell]["parsers"]
        assert_equal(left[cell], right[cell])
