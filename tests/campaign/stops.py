"""A server that is told to end while a run trains in it."""

import random
import signal
import time
from pathlib import Path

from core.__main__ import main
from core.runs.run import FINISHED, QUEUED, RUNNING, STOPPED
from core.runs.store import Store
from tests.campaign.bits import PLAIN, assert_same, small_config
from tests.campaign.server import Server

SECONDS = 10.0  # within which it ends
LONGEST = 10.0  # seconds between the run's beginning and the signal


def server_stop(rng: random.Random, home: Path) -> None:
    """Ctrl-C or SIGTERM at a random moment: exit 0 in time, the run stopped, its bits the same."""
    server, store = Server.start(home, home.parent / "server.log"), Store()
    try:
        with server.session(page=rng.choice(["", "runs", "launch"])) as session:
            assert session.until_drawn() == []
            id = store.create(small_config())
            if rng.random() < 0.8:
                while store.run(id).status == QUEUED:
                    time.sleep(0.02)
            time.sleep(rng.uniform(0, LONGEST))
            began = store.run(id).status == RUNNING
            code, seconds = server.end(rng.choice([signal.SIGINT, signal.SIGTERM]))
        run, log = store.run(id), server.log.read_text()
        assert code == 0, log
        assert seconds < SECONDS
        assert "Traceback" not in log
        assert run.status in ((STOPPED, FINISHED) if began else (QUEUED, STOPPED, FINISHED))
        if run.status == QUEUED:
            store.request_stop(id)
        if run.status != FINISHED:
            assert main(["resume", str(id), "--quiet"]) == 0
        assert_same(store, PLAIN, id)
    finally:
        server.kill()
        store.close()
