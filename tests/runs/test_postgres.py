"""A store on PostgreSQL, whose server is restarted twice while a run trains."""

import contextlib
import logging
import threading

import pytest

from core.__main__ import main
from core.runs import database, execution
from core.runs.run import StoreUnavailable
from core.runs.store import Store
from tests.postgres import PostgresServer
from tests.runs.carried_out import Left, Until, carry_out

RESTARTS = {5: "fast", 25: "immediate"}  # before which batch of the run; how the server ends


@pytest.fixture
def is_down(
    postgres_home: PostgresServer, plain: Left, monkeypatch: pytest.MonkeyPatch
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
    plain: Left,
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
        Left.by(store).assert_same(plain)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == len(RESTARTS)
    assert all("can't be opened: connection" in line for line in said), said
