"""An experiment on a PostgreSQL store by two worker processes: the cells of one on SQLite."""

import contextlib
from pathlib import Path

import pytest

from core.runs.store import Store
from tests.experiments.commands import TINY, done
from tests.experiments.same_cells import assert_same_cells, cells
from tests.postgres import PostgresServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_the_same_bits_as_on_sqlite(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, on_sqlite, on_postgres = tmp_path / "tiny.toml", tmp_path / "here", tmp_path / "there"
    file.write_text(TINY)
    done(on_sqlite, "run", str(file), "--workers", "1")
    database = postgres.new_database()
    with monkeypatch.context() as patch:
        patch.setenv("TOTAL_RECALL_DATABASE_URL", database)
        assert "All 4 cells are done" in done(on_postgres, "run", str(file), "--workers", "2")
    assert not (on_postgres / "runs.sqlite").exists()
    assert_same_cells(cells("tiny", on_postgres, database), cells("tiny", on_sqlite), n_cells=4)
    with contextlib.closing(Store(database)) as store:
        assert [run.attempts for run in store.runs()] == [1] * 4  # none twice
