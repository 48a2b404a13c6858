"""An experiment whose processes are all killed in mid-way ends with the table of one left alone."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from core.experiments import catalog
from core.experiments.status import status
from core.runs.run import FINISHED, RUNNING
from core.runs.store import Store
from tests.experiments.commands import TINY, done, experiment

TIMES = re.compile(r"^Minutes|^Time", re.IGNORECASE)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def table(home: Path) -> list[list[str]]:
    """The printed table, cell by cell, but for how long runs took."""
    rows = [line.split(",") for line in done(home, "table", "tiny", "--format", "csv").split("\n")]
    times = [at for at, name in enumerate(rows[0]) if TIMES.match(name)]
    return [[cell for at, cell in enumerate(row) if at not in times] for row in rows]


def kill_all(process: subprocess.Popen[str]) -> None:
    """SIGKILL for the command and its workers, at one moment."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for each in [process.pid, *map(int, children)]:
        os.kill(each, signal.SIGKILL)
    process.communicate()
    assert len(children) == 2


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers by /proc")
def test_the_same_table_after_all_processes_were_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, whole, killed = tmp_path / "tiny.toml", tmp_path / "whole", tmp_path / "killed"
    file.write_text(TINY.replace("epochs = 2", "epochs = 6"))
    done(whole, "run", str(file), "--workers", "2")
    done(killed, "import", str(file))
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(killed))
    store = Store()
    id = catalog.load(store, "tiny").id
    process = experiment(killed, "run", "tiny", "--workers", "2")
    while not (status(store, id).counts[FINISHED] and status(store, id).counts[RUNNING]):
        assert process.poll() is None
        time.sleep(0.02)
    kill_all(process)
    assert 0 < status(store, id).counts[FINISHED] < 4
    store.close()
    done(killed, "run", "tiny", "--workers", "2")
    assert table(killed) == table(whole)
    assert len(table(whole)) > 5
