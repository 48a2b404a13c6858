"""Ten processes that record into one store at once: everything is there, in order, once."""

import random
import subprocess
import sys
from pathlib import Path

from sqlalchemy import select

from core.paths import PROJECT
from core.runs.store import Store
from core.runs.tables import epochs

WRITERS, EVENTS = 10, 200

WRITE = """
import sys
from core.config import RunConfig
from core.events import Epoch, Progress
from core.runs.owner import new_owner
from core.runs.store import Store

number, events = map(int, sys.argv[1:])
store, owner = Store(), new_owner()
id = store.create(RunConfig(seed=number), claimed_by=owner)
for k in range(events):
    store.record(id, Epoch(k % 4, "slow", k, number + k / 1000, k, 0.1), owner)
    store.record(id, Progress(k + 1, events, k % 4, "slow", k, events, 0.5), owner)
store.set_status(id, "finished", owner=owner)
"""


def ten_writers(rng: random.Random, home: Path) -> None:
    """200 events each beside one another and beside who reads."""
    command = [sys.executable, "-c", WRITE]
    numbers = rng.sample(range(1000), WRITERS)
    processes = [
        subprocess.Popen([*command, str(n), str(EVENTS)], cwd=PROJECT, stderr=subprocess.PIPE)
        for n in numbers
    ]
    store = Store()
    while any(process.poll() is None for process in processes):
        assert store.unreadable() == []
        store.runs()
    errors = [process.communicate()[1].decode() for process in processes]
    assert [process.returncode for process in processes] == [0] * WRITERS, errors
    written = {run.config.seed: run for run in store.runs(limit=WRITERS)}
    assert sorted(written) == sorted(numbers)
    for number, run in written.items():
        query = select(epochs.c.epoch, epochs.c.loss).where(epochs.c.run_id == run.id)
        rows = [tuple(row) for row in store.fetch(query.order_by(epochs.c.epoch))]
        assert rows == [(k, number + k / 1000) for k in range(EVENTS)]
        assert (run.status, run.progress) == ("finished", 1.0)
    store.close()
