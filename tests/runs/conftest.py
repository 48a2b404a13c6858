"""A store of its own for each test, a clock that can be set, and a training that costs nothing.

TOTAL_RECALL_TEST_DATABASE_URL runs the same tests against another database, which they empty.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import torch

from core.config import RunConfig
from core.events import Accuracy, Epoch, Event, Progress, RunStarted, StageTime
from core.runs import clock as clock_module
from core.runs.store import Store
from core.runs.tables import metadata
from core.stopping import Stopped
from tests.runs.carried_out import Left, carry_out

OTHER_DATABASE = os.environ.get("TOTAL_RECALL_TEST_DATABASE_URL")


@pytest.fixture(autouse=True)
def other_database(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if OTHER_DATABASE:
        monkeypatch.setenv("TOTAL_RECALL_DATABASE_URL", OTHER_DATABASE)


@pytest.fixture
def store() -> Iterator[Store]:
    if OTHER_DATABASE:
        used = Store()
        metadata.drop_all(used.engine)
        used.close()
    made = Store()
    yield made
    made.close()


@dataclass
class Clock:
    """The time as the store sees it."""

    moment: datetime = field(default_factory=lambda: datetime(2030, 1, 1, tzinfo=UTC))

    def pass_(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(clock_module, "now", lambda: made.moment)
    return made


@dataclass
class FakeTraining:
    """Stands in for core.training.train: epochs of short steps, a checkpoint after each epoch."""

    epochs: int = 3
    steps: int = 4
    pause: float = 0.0
    fails: dict[int, Exception] = field(default_factory=dict)  # a config's seed → what it raises
    before_step: Callable[[int, int], None] = lambda epoch, step: None
    begun: list[tuple[int, int]] = field(default_factory=list)  # seed, first epoch

    def __call__(
        self,
        config: RunConfig,
        record: Callable[[Event], None],
        should_stop: Callable[[], bool] = lambda: False,
        *,
        resume: dict | None = None,
        save: Callable[[dict], None] | None = None,
        save_parser: Callable[[int, dict], None] | None = None,
    ) -> None:
        first = 0 if resume is None else resume["epoch"]
        self.begun.append((config.seed, first))
        record(RunStarted(("one",), (10,), (5,), ((5,),), 3, 2, 100, "cpu"))
        total = float(self.epochs * self.steps)
        for epoch in range(first, self.epochs):
            for step in range(self.steps):
                if should_stop():
                    raise Stopped
                self.before_step(epoch, step)
                if config.seed in self.fails:
                    raise self.fails[config.seed]
                time.sleep(self.pause)
                done = float(epoch * self.steps + step + 1)
                record(Progress(done, total, 0, "train", epoch, self.epochs, 1.0))
            record(Epoch(0, "train", epoch, 1.0 / (epoch + 1), 10, 0.1, {"current": 1.0}))
            save({"epoch": epoch + 1, "weights": torch.full((2,), float(epoch))})
        save_parser(0, {"weights": torch.full((2,), float(self.epochs))})
        record(Accuracy(0, 0, 3, 5))
        record(StageTime(0, "train", 2.0, total))


@pytest.fixture
def fake() -> FakeTraining:
    return FakeTraining()


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something that another thread or process does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """What a run leaves on SQLite where nothing happens to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOTAL_RECALL_HOME", str(tmp_path_factory.mktemp("plain") / "home"))
        patch.delenv("TOTAL_RECALL_DATABASE_URL", raising=False)
        with closing(Store()) as store:
            carry_out(store, until)
            return Left.by(store)


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], Path]]:
    """Mounts a disk of so many megabytes and makes a folder on it the home."""
    with ExitStack() as mounted:

        def mount(megabytes: int) -> Path:
            disk = Path(mounted.enter_context(tempfile.TemporaryDirectory()))
            words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(disk)]
            try:
                subprocess.run(words, check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError) as error:
                pytest.skip(f"no disk may be mounted here: {error}")
            mounted.callback(subprocess.run, ["umount", "--lazy", str(disk)], check=True)
            monkeypatch.setenv("TOTAL_RECALL_HOME", str(disk / "home"))
            return disk

        yield mount


@pytest.fixture(name="until")
def _until() -> Callable[..., None]:
    return until
