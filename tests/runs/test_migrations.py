"""A store that an earlier version made opens, loses nothing, and says what was done."""

import logging
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import inspect, select

from core.config import RunConfig
from core.events import Epoch
from core.experiments import catalog
from core.experiments.experiment import Arm, Experiment
from core.runs import migrations
from core.runs.digest import digest_of_stored
from core.runs.store import Store
from core.runs.tables import epochs, metadata, runs


def first_version(path: Path) -> None:
    """The tables as they were before there were versions, with one run's passes."""
    store = Store(f"sqlite:///{path}")
    run = store.create(RunConfig())
    for stage, number in (("warm", 1), ("adapt", 0), ("zoom", 2)):
        store.record(run, Epoch(0, stage, 0, 1.0, 5, 0.1, {}, number))
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE schema_version")
        for table in ("epochs", "errors"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN stage_number")
        connection.execute("DROP INDEX ix_runs_digest")
        for column in ("digest", "priority", "position", "is_cell", "tags", "note", "archived"):
            connection.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        for table in ("experiment_cells", "experiments"):
            connection.execute(f"DROP TABLE {table}")


def test_an_earlier_store_is_brought_up_to_date_once(tmp_path: Path, caplog) -> None:
    path = tmp_path / "runs.sqlite"
    first_version(path)
    with caplog.at_level(logging.WARNING):
        store = Store(f"sqlite:///{path}")
    assert [step.what in caplog.text for step in migrations.STEPS] == [True] * len(migrations.STEPS)
    query = select(epochs.c.stage, epochs.c.stage_number).order_by(epochs.c.stage)
    assert store.fetch(query) == [("adapt", 0), ("warm", 1), ("zoom", 2)]  # as it was drawn then
    for table in metadata.tables.values():
        columns = {column["name"] for column in inspect(store.engine).get_columns(table.name)}
        assert {column.name for column in table.c} <= columns
    assert [run.id for run in store.runs()] == [1]
    known = select(runs.c.digest, runs.c.priority, runs.c.is_cell)
    assert store.fetch(known) == [(digest_of_stored(RunConfig().to_json()), 0, False)]
    assert "ix_runs_digest" in {
        index["name"] for index in inspect(store.engine).get_indexes("runs")
    }
    store.close()
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        Store(f"sqlite:///{path}").close()
    assert caplog.text == ""


def test_what_total_recall_left_unsaid_stays_what_it_was(tmp_path: Path) -> None:
    unsaid = RunConfig(method="total_recall", method_options={"penalty": "ewc"})
    said = unsaid.with_(method_options={"penalty": "ewc", "anchors": "each"})
    unchanged = [said, RunConfig(), RunConfig(method="ewc")]
    experiment = Experiment(
        "Two",
        RunConfig(dataset="demo", method="total_recall", sampler="dlfs"),
        (
            Arm("held", {"method.penalty": "ewc"}),
            Arm("held at each", {"method.penalty": "ewc", "method.anchors": "each"}),
            Arm("free"),
            Arm("EWC", {"method": "ewc"}),
        ),
    )
    path = tmp_path / "runs.sqlite"
    store = Store(f"sqlite:///{path}")
    for config in (unsaid, *unchanged):
        store.create(config)
    catalog.create(store, experiment)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE schema_version SET version = version - 1")
        connection.execute("UPDATE runs SET digest = 'as it was'")
    store = Store(f"sqlite:///{path}")
    configs = [store.run(id).config for id in (1, 2, 3, 4)]
    assert [configs[0].options("method").anchors, *configs[1:]] == ["last", *unchanged]
    assert {row.digest for row in store.fetch(select(runs.c.digest))} == {"as it was"}
    stored = catalog.load(store, "Two")
    now = stored.experiment
    options = [now.arm_config(arm).options("method") for arm in now.arms]
    assert [each.anchors for each in options] == ["last", "each", "each", "last"]
    assert now.with_(arms=experiment.arms) == experiment
    store.close()


def test_a_new_store_has_seen_every_step(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        store = Store(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    assert store.fetch(select(migrations.version_table)) == [(len(migrations.STEPS),)]
    assert caplog.text == ""
    store.close()
