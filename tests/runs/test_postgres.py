"""A store on PostgreSQL, whose server is restarted twice while a run trains."""

import contextlib
import itertools
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import literal_column, select

from core.__main__ import main
from core.runs import checkpoints, database, execution
from core.runs.manager import Manager
from core.runs.run import StoreUnavailable
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES
from tests.campaign.bits import assert_equal, recorded, small_config
from tests.postgres import PostgresServer

Until = Callable[..., None]
RESTARTS = {5: "fast", 25: "immediate"}  # before which batch of the run; how the server ends


def carry_out(store: Store, until: Until, meanwhile: Callable[[], None] = lambda: None) -> None:
    """A worker carries run 1 out while something else happens."""
    manager = Manager(store, workers=1, devices=["cpu"])
    try:
        manager.submit(small_config())
        meanwhile()
        until(lambda: store.run(1).ended is not None, 240)
        run = store.run(1)
        assert (run.status, run.error, run.attempts) == ("finished", "", 1)
    finally:
        manager.workers.close()


def as_written(store: Store, place: str) -> dict[str, list[tuple[Any, ...]]]:
    """The keys of the events that run 1 recorded, in the order in which they came."""
    events = {}
    for table in EVENT_TABLES.values():
        key = [column for column in table.primary_key if not column.info.get("many")]
        rows = store.fetch(select(*key).order_by(literal_column(place)))
        events[table.name] = [tuple(row) for row, _ in itertools.groupby(rows)]
    return events


@pytest.fixture
def plain(tmp_path, monkeypatch: pytest.MonkeyPatch, until: Until) -> tuple[Any, ...]:
    """What the run leaves on SQLite where nothing happens to it: rows, their order, parsers."""
    with monkeypatch.context() as patch:
        patch.setenv("TOTAL_RECALL_HOME", str(tmp_path / "plain"))
        patch.delenv("TOTAL_RECALL_DATABASE_URL", raising=False)
        with contextlib.closing(Store()) as store:
            carry_out(store, until)
            parsers = [checkpoints.load_parser(1, task) for task in (0, 1)]
            return recorded(store, 1), as_written(store, "rowid"), parsers


@pytest.fixture
def is_down(
    postgres_home: PostgresServer, plain: object, monkeypatch: pytest.MonkeyPatch
) -> threading.Event:
    """Set when the server has been stopped in the middle of the run."""
    monkeypatch.setattr(database, "PAUSES", (0.05, 0.2))
    real, asked, down = execution.Hold.should_stop, [], threading.Event()

    def should_stop(hold: execution.Hold) -> bool:
        asked.append(hold)
        if len(asked) in RESTARTS:
            postgres_home.stop(RESTARTS[len(asked)])
            down.set()
        return real(hold)

    monkeypatch.setattr(execution.Hold, "should_stop", should_stop)
    return down


@pytest.mark.slow
def test_a_run_outlives_restarts_of_its_server(
    plain: tuple[Any, ...],
    postgres_home: PostgresServer,
    is_down: threading.Event,
    until: Until,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.WARNING)
    with contextlib.closing(Store()) as store:

        def restarts() -> None:
            for _ in RESTARTS:
                until(is_down.is_set, 120)
                is_down.clear()
                try:
                    until(lambda: "Trying again for" in caplog.text)
                    with pytest.raises(StoreUnavailable, match=r"^The run store can't be read: "):
                        store.runs()
                    assert main(["runs"]) == 1
                finally:
                    caplog.clear()
                    postgres_home.start()

        carry_out(store, until, restarts)
        rows, order, parsers = plain
        assert recorded(store, 1) == rows
        assert as_written(store, "xmin::text::bigint") == order  # by transactions
    for task, parser in enumerate(parsers):
        assert_equal(checkpoints.load_parser(1, task), parser)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(RESTARTS)
    assert all("can't be opened: connection" in line for line in said), said
