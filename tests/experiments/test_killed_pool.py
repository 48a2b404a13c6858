"""An experiment whose processes are all killed in mid-way ends with the table of one left alone."""

import subprocess
import time
from pathlib import Path

import pytest

from core.experiments import catalog
from core.experiments.status import status
from core.runs.run import FINISHED, RUNNING
from core.runs.store import Store
from tests.experiments.commands import TINY, done, experiment, kill_family, table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def kill_all(process: subprocess.Popen[str]) -> None:
    """SIGKILL for the command and its two workers, at one moment."""
    assert len(kill_family(process.pid)) == 1 + 2
    process.communicate()


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
    assert table(killed, "tiny") == table(whole, "tiny")
    assert len(table(whole, "tiny")) > 5
