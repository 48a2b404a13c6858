"""An experiment on a Ray cluster of two nodes, one of which is killed in the midst of a cell."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from core.experiments import catalog, dispatcher, on_ray
from core.experiments.on_ray import Share
from core.experiments.status import status
from core.options import ConfigError
from core.runs.run import FINISHED, RUNNING
from core.runs.store import Store
from core.runs.tables import runs
from tests.conftest import missing
from tests.experiments.commands import TINY, done, experiment
from tests.experiments.same_cells import assert_same_cells, cells

# A cluster's own processes start slowly, and its library opens what it doesn't close.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.cluster,
    pytest.mark.timeout(900),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head without room for a cell."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_DISABLE_IMPORT_WARNING", "1")
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        missing("Ray is not here: pip install -r tests/requirements-ray.txt")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    yield made
    made.shutdown()


def until(condition: Any, process: subprocess.Popen[str], seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_same_bits_with_a_node_and_a_dispatcher_lost(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, local, away = tmp_path / "tiny.toml", tmp_path / "local", tmp_path / "away"
    file.write_text(TINY.replace("epochs = 2", "epochs = 8"))
    done(local, "run", str(file), "--workers", "1")
    done(away, "import", str(file))
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(away))
    store = Store()
    id = catalog.load(store, "tiny").id
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    words = ("run", "tiny", "--on", "ray", "--address", cluster.address)

    dispatcher = experiment(away, *words)
    until(lambda: status(store, id).counts[RUNNING] == 2, dispatcher)
    until(lambda: min(_progress(store)) > 0.1, dispatcher)  # both in the midst of a cell
    cluster.remove_node(nodes[0], allow_graceful=False)
    until(lambda: 2 in _attempts(store), dispatcher)  # begun anew, on the other node
    dispatcher.kill()
    dispatcher.communicate()
    assert status(store, id).counts[FINISHED] < 4

    output = done(away, *words)
    assert "All 4 cells are done" in output
    assert_same_cells(cells("tiny", away), cells("tiny", local), n_cells=4)
    assert len(store.runs()) == 4  # none doubled


def _progress(store: Store) -> list[float]:
    return [run.progress for run in store.runs(statuses=[RUNNING])] or [0.0]


def _attempts(store: Store) -> list[int]:
    return [row.attempts for row in store.fetch(select(runs.c.attempts))]


def test_a_dispatcher_of_its_own_carries_all_cells_out(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the app starts."""
    file, log = tmp_path / "tiny.toml", tmp_path / "away" / "ray.log"
    file.write_text(TINY)
    done(tmp_path / "away", "import", str(file))
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(tmp_path / "away"))
    cluster.add_node(num_cpus=1)
    wait_for_end(dispatcher.start("tiny", log, cluster.address))
    assert "All 4 cells are done" in dispatcher.last_words(log)
    store = Store()
    assert status(store, catalog.load(store, "tiny").id).counts[FINISHED] == 4


def wait_for_end(pid: int, seconds: float = 300.0) -> None:
    deadline = time.monotonic() + seconds
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"])
def test_where_nobody_answers_is_said_at_once(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "is_installed", lambda: True)
    with pytest.raises(ConfigError, match=f"Ray at {address} can't be reached"):
        dispatcher.start("tiny", tmp_path / "ray.log", address)
    assert not (tmp_path / "ray.log").exists()
    on_ray.check_address("auto")  # that is for Ray to find


def test_a_cell_takes_something_of_a_node(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected numbers above 0"):
        dispatcher.start("tiny", tmp_path / "ray.log", share=Share(0.0, 0.0))


@pytest.mark.parametrize(
    "words", [("--workers", "2", "--on", "ray"), ("--gpus", "1"), ("--on", "ray", "--cpus", "0")]
)
def test_what_goes_with_ray_is_said(tmp_path: Path, words: tuple[str, ...]) -> None:
    process = experiment(tmp_path, "run", "demo", *words)
    assert "--" in process.communicate()[0]
    assert process.returncode == 2
