"""One bad number anywhere in the database: what is not of its run or experiment reads as before."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Float, Integer, Table

from core.__main__ import main
from core.analysis import accuracy, experiment_tables
from core.experiments import catalog
from core.experiments.experiment import Arm, Experiment, default_pairs
from core.experiments.status import status
from core.runs import settings, worker_list
from core.runs.owner import new_owner
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES, metadata, runs
from tests.conftest import make_toy_config
from tests.made_up import finished_run

OWN_TABLES = ("runs", *(table.name for table in EVENT_TABLES.values()))
ROW = {"runs": "id = 2", "experiments": "id = 1", "experiment_cells": "rowid = 2"}
COLUMNS = [
    column
    for table in metadata.sorted_tables
    for column in table.c
    if isinstance(column.type, (Integer, Float)) or column is runs.c.status
    if not column.foreign_keys
    if column.name != "id"  # the database itself keeps text out of these
]
BAD = ("abc", -5)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two experiments of two finished runs each."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(Store(f"sqlite:///{home}/runs.sqlite")) as s,
    ):
        patch.setenv("TOTAL_RECALL_HOME", str(home))
        fill(s)
    return home


def fill(store: Store) -> None:
    for name in ("hit", "spared"):
        arms = (Arm("plain", {"method": "finetune"}), Arm("replay", {"method": "emr"}))
        config = make_toy_config().with_(hidden_size=16 if name == "hit" else 50)
        made = Experiment(name, config, arms, default_pairs(1))
        for _, _, cell in made.configs():
            finished_run(store, cell)
        catalog.create(store, made)
    worker_list.beat(store, new_owner(), "cpu", worker_list.THREAD)
    settings.set_workers(store, 2)


@pytest.fixture
def filled(template: Path, home: Path) -> Iterator[Store]:
    """Run 2, of the first experiment, gets the bad number."""
    shutil.copytree(template, home)
    with closing(Store()) as store:
        yield store


def spoil(home: Path, column: Column[Any], value: object) -> bool:
    """Whether a row was there and the database took the value."""
    table: Table = column.table
    of_run = f"rowid = (SELECT MIN(rowid) FROM {table.name} WHERE run_id = 2)"
    row = ROW.get(table.name, of_run if table.name in OWN_TABLES else "1")
    with closing(sqlite3.connect(home / "runs.sqlite", isolation_level=None)) as link:
        changed = f"UPDATE OR IGNORE {table.name} SET {column.name} = ? WHERE {row}"
        return link.execute(changed, (value,)).rowcount > 0


def read(store: Store, name: str) -> tuple[Any, ...]:
    """How far an experiment is, and its results, less what is of run 2."""
    stored = catalog.load(store, name)
    arms = {arm.arm: (dict(arm.counts), arm.seconds) for arm in status(store, stored.id).arms}
    cells = experiment_tables.from_store(store, stored).cells
    cells = cells[cells.run != 2].dropna(subset="avg")
    return arms, cells[["pair", "arm", "run", "avg", "whole", "minutes"]].values.tolist()


def latest(store: Store) -> list[list[float]]:
    return accuracy.latest(store, [1, 3, 4]).values.tolist()


@pytest.mark.parametrize("column", COLUMNS, ids=str)
def test_a_bad_number_takes_out_what_it_is_of_alone(
    filled: Store, home: Path, column: Column[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    spared, ends = read(filled, "spared"), latest(filled)
    assert len(spared[1]) == 2
    for value in BAD:
        if not spoil(home, column, value):
            continue
        assert {run.id for run in filled.runs()} >= {1, 3, 4}
        assert latest(filled) == ends
        assert read(filled, "spared") == spared
        _, bad = catalog.look(filled)
        if column.table.name in ("experiments", "experiment_cells") and "hit" in bad:
            assert bad["hit"].startswith("Experiment 'hit' can't be read")
        else:
            arms, cells = read(filled, "hit")
            assert [row[2] for row in cells] == [1]
            assert sum(n for counts, _ in arms.values() for n in counts.values()) == 2
        assert settings.workers(filled) == 2
        worker_list.workers(filled)
    assert main(["runs"]) == main(["experiment", "status"]) == 0
    assert "spared" in capsys.readouterr().out
    assert main(["experiment", "table", "spared"]) == 0
