"""What the tests share: one thread, a home of their own, toy tasks, the real data."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOTAL_RECALL_WORKERS", "1")  # a thread: what a test replaces it replaces

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import torch

from core import paths
from core.config import RunConfig
from core.data.base import FormReader, Task
from core.registry import datasets
from core.runs.manager import close_manager
from core.runs.store import Store
from tests import objects
from tests.postgres import PostgresServer, find_binaries, serving

torch.set_num_threads(1)
hypothesis.settings.register_profile(  # how fast a machine is says nothing about the code
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

MAIN = sys.modules["__main__"]

TOY_FORMS = {
    "zoo": [
        ("show all animals", "( list ( all ( type animal ) ) )"),
        ("animals that are big", "( list ( filter ( all ( type animal ) ) ( size big ) ) )"),
        ("animals that are small", "( list ( filter ( all ( type animal ) ) ( size small ) ) )"),
        ("how many animals are there", "( count ( all ( type animal ) ) )"),
        ("keepers of big animals", "( list ( of ( kind keeper ) ( all ( type animal ) ) ) )"),
    ],
    "port": [
        ("show all ships", "( list ( all ( type ship ) ) )"),
        ("ships that are fast", "( list ( filter ( all ( type ship ) ) ( speed fast ) ) )"),
        ("ships that are big", "( list ( filter ( all ( type ship ) ) ( size big ) ) )"),
        ("how many ships are there", "( count ( all ( type ship ) ) )"),
        ("captains of ships", "( list ( of ( kind captain ) ( all ( type ship ) ) ) )"),
    ],
    "farm": [
        ("show all fields", "( list ( all ( type field ) ) )"),
        ("fields that are small", "( list ( filter ( all ( type field ) ) ( size small ) ) )"),
        ("how many fields are there", "( count ( all ( type field ) ) )"),
        ("the longest field", "( list ( most ( all ( type field ) ) length ) )"),
        ("the widest field", "( list ( most ( all ( type field ) ) width ) )"),
    ],
}


def make_toy_tasks() -> tuple[Task, ...]:
    """Three tasks with shared and own actions; each row stands twice in train, once in test."""
    reader = FormReader()
    tasks = []
    for name, rows in TOY_FORMS.items():
        plain = [reader.example(utterance, form) for utterance, form in rows]
        polite = [reader.example(f"please {utterance}", form) for utterance, form in rows]
        tasks.append(Task(name, tuple(plain + polite), (), tuple(plain)))
    return tuple(tasks)


@datasets.register("toy", label="Toy", rank=1000)
def toy(options: object) -> tuple[Task, ...]:
    """Tasks small enough to learn within a test."""
    return make_toy_tasks()


@pytest.fixture
def toy_tasks() -> tuple[Task, ...]:
    """Three small tasks (zoo, port, farm) of s-expressions."""
    return make_toy_tasks()


def make_toy_config() -> RunConfig:
    """A run on the toy tasks that takes well under a second a task."""
    return RunConfig(
        dataset="toy",
        memory_size=3,
        epochs=2,
        batch_size=4,
        word_size=12,
        hidden_size=16,
        action_size=8,
        learning_rate=0.01,
        device="cpu",
        recording_budget=1000.0,
    )


@pytest.fixture
def toy_config() -> RunConfig:
    """A run on the toy tasks that takes well under a second a task."""
    return make_toy_config()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs, uploads and caches of a test lie in its own folder."""
    folder = tmp_path / "home"
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(folder))
    monkeypatch.delenv("TOTAL_RECALL_DATABASE_URL", raising=False)
    return folder


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page's test leaves its script as the main module, which a new process would carry out."""
    monkeypatch.setitem(sys.modules, "__main__", MAIN)


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    """The store of the test's own home."""
    store = Store()
    yield store
    store.close()


@pytest.fixture(scope="session", autouse=True)
def no_threads_at_the_end() -> Iterator[None]:
    """A thread that still trains or imports when the interpreter ends would abort it."""
    yield
    close_manager()


def missing(reason: str) -> None:
    """Skip the test; fail it where CI promises that nothing is missing."""
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture
def real_data() -> Path:
    """The folder of the real benchmarks; the test is skipped where they are not."""
    folder = paths.data_folder()
    if not (folder / "overnight").is_dir():
        missing("the real benchmarks are not here (TOTAL_RECALL_DATA)")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of the tests' own. A test that stops it starts it again."""
    binaries = find_binaries()
    if binaries is None:
        missing("PostgreSQL is not here (Debian's package `postgresql`)")
        raise AssertionError
    with serving(binaries) as server:
        yield server


@pytest.fixture
def postgres_home(
    postgres: PostgresServer, home: Path, monkeypatch: pytest.MonkeyPatch
) -> PostgresServer:
    """The test's home with an empty database of the PostgreSQL server for its store."""
    monkeypatch.setenv("TOTAL_RECALL_DATABASE_URL", postgres.new_database())
    return postgres


@pytest.fixture(scope="session")
def object_store() -> Iterator[str]:
    """Host and port of an S3 server of the tests' own."""
    if package := objects.lacking():
        missing(f"{package} is not here (tests/requirements.txt)")
    with objects.serving() as address:
        yield address


@pytest.fixture
def bucket_home(object_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the test's home, which is an object store; its database is a file."""
    for name, key in objects.KEYS.items():
        monkeypatch.setenv(name, key)
    options = f"region=us-east-1&scheme=http&endpoint_override={object_store}"
    address = f"s3://tests/{tmp_path.name}?{options}"
    monkeypatch.setenv("TOTAL_RECALL_HOME", address)
    monkeypatch.setenv("TOTAL_RECALL_DATABASE_URL", f"sqlite:///{tmp_path}/runs.sqlite")
    return address


@pytest.fixture(scope="session")
def trained_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two finished runs on the toy tasks, with all that runs record and keep, and an
    experiment made of them.
    """
    from core.experiments import catalog, making
    from core.runs.execution import execute
    from core.runs.owner import new_owner
    from core.runs.run import FINISHED

    folder = tmp_path_factory.mktemp("trained") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOTAL_RECALL_HOME", str(folder))
        patch.delenv("TOTAL_RECALL_DATABASE_URL", raising=False)
        store = Store()
        for method in ("finetune", "emr"):
            owner = new_owner()
            id = store.create(make_toy_config().with_(method=method), claimed_by=owner)
            assert execute(store, store.run(id), owner).status == FINISHED
        catalog.create(store, making.of_runs(store, [1, 2], "toys"))
        store.close()
    return folder


@pytest.fixture
def filled_home(trained_home: Path, home: Path) -> Path:
    """The test's own home, with the runs of `trained_home`."""
    return Path(shutil.copytree(trained_home, home))


@pytest.fixture
def no_chrome(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without a Chrome or Chromium."""
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "no-browser"))
