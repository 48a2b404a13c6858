"""A store that is away, locked, taken away or only to be read: one sentence, and back by itself."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from core import paths
from core.config import RunConfig
from core.events import Epoch
from core.paths import PROJECT
from core.runs import database, sqlite
from core.runs.owner import new_owner
from core.runs.run import RunTaken, StoreError, StoreUnavailable
from core.runs.store import Store
from core.runs.tables import epochs
from tests.runs.conftest import OTHER_DATABASE

CONFIG = RunConfig()
on_sqlite = pytest.mark.skipif(bool(OTHER_DATABASE), reason="of SQLite's file")


def epoch(number: int, loss: float = 1.0) -> Epoch:
    return Epoch(0, "slow", number, loss, 1, 0.1)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks are waited for a moment only, and tries come thick and fast."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.1)
    monkeypatch.setattr(sqlite, "READ_SECONDS", 0.1)
    monkeypatch.setattr(database, "PAUSES", (0.01, 0.05))


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Another process's exclusive lock."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.rollback()
        connection.close()


@contextlib.contextmanager
def for_a_while(act: contextlib.AbstractContextManager[None], seconds: float) -> Iterator[None]:
    """The state of affairs ends after so many seconds while the block goes on."""
    begun = threading.Event()

    def hold() -> None:
        with act:
            begun.set()
            time.sleep(seconds)

    thread = threading.Thread(target=hold)
    thread.start()
    begun.wait()
    yield
    thread.join()


@contextlib.contextmanager
def taken_away(home: Path) -> Iterator[None]:
    aside = home.with_name("aside")
    home.rename(aside)
    try:
        yield
    finally:
        aside.rename(home)


@on_sqlite
def test_a_lock_that_passes_is_waited_for_and_events_stay_in_order(home, impatient) -> None:
    store, owner = Store(), new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    with for_a_while(locked(home / "runs.sqlite"), 0.8):
        with pytest.raises(StoreUnavailable, match=r"can't be written: database is locked\.$"):
            store.record(id, epoch(0), owner)
        for number in range(5):
            store.record(id, epoch(number, number), owner, patience=20)
    kept = store.fetch(select(epochs.c.epoch, epochs.c.loss).order_by(epochs.c.epoch))
    assert kept == [(number, number) for number in range(5)]
    store.set_status(id, "finished", owner=owner, patience=20)
    store.close()


@on_sqlite
def test_patience_ends(home, impatient) -> None:
    store, owner = Store(), new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    with locked(home / "runs.sqlite"):
        for act in (
            lambda: store.record(id, epoch(0), owner, patience=0.5),
            lambda: store.set_status(id, "finished", owner=owner, patience=0.5),
            lambda: store.note_versions(id, {}, owner, patience=0.5),
        ):
            began = time.monotonic()
            with pytest.raises(StoreUnavailable, match="locked"):
                act()
            assert 0.5 <= time.monotonic() - began < 5
    assert store.run(id).status == "running"
    store.close()


@on_sqlite
def test_reading_and_opening_wait_for_no_writer(home) -> None:
    Store().create(CONFIG, "seen")
    with locked(home / "runs.sqlite"):
        began = time.monotonic()
        late = Store()
        assert [run.name for run in late.runs()] == ["seen"]
        assert late.unreadable() == []
        assert late.mark_interrupted() == []
        assert late.claim(new_owner(), id=99) is None
        assert time.monotonic() - began < 2
        late.close()


def broken_link(message: str = "the connection was lost") -> OperationalError:
    return OperationalError("COMMIT", {}, Exception(message))


class Answers:
    """Lets a commit through but loses its answer, so often."""

    def __init__(self, store: Store, monkeypatch: pytest.MonkeyPatch, times: int) -> None:
        self.left = times
        begin = store._database._writer.begin

        @contextlib.contextmanager
        def losing():
            with begin() as connection:
                yield connection
            if self.left:
                self.left -= 1
                raise broken_link()

        monkeypatch.setattr(store._database._writer, "begin", losing)


def test_what_was_written_but_not_answered_is_not_written_twice(
    store: Store, impatient, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    Answers(store, monkeypatch, times=3)
    store.record(id, epoch(0), owner, patience=5)
    store.set_status(id, "finished", owner=owner, patience=5)
    assert store.run(id).status == "finished"
    assert len(store.fetch(select(epochs.c.epoch))) == 1
    with pytest.raises(RunTaken):
        store.set_status(id, "finished", owner=owner, patience=5)


def test_a_claim_whose_answer_was_lost_is_found_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = store.create(CONFIG), store.create(CONFIG)
    Answers(store, monkeypatch, times=1)
    owner = new_owner()
    with pytest.raises(StoreUnavailable):
        store.claim(owner)
    run = store.claim(owner)
    assert (run.id, run.attempts, run.status) == (first, 1, "running")
    assert store.claim(owner).id == second


def test_silence_while_the_store_was_away_interrupts_nobody(
    store: Store, clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    id = store.create(CONFIG, claimed_by=replace(new_owner(), host="elsewhere"))
    clock.pass_(120)  # nobody could give a sign of life
    store._database._failed = time.monotonic()
    assert store.mark_interrupted() == []
    store._database._failed -= 31
    assert store.mark_interrupted() == [id]


READS: list[Callable[[Store], object]] = [
    lambda store: store.runs(),
    lambda store: store.run(1),
    lambda store: store.unreadable(),
    lambda store: store.name(1),
    lambda store: store.stop_requested(1),
    lambda store: store.mark_interrupted(),
    lambda store: store.claim(new_owner()),
    lambda store: store.fetch(select(epochs.c.loss)),
    lambda store: store.frame(select(epochs.c.loss)),
]
WRITES: list[Callable[[Store], object]] = [
    lambda store: store.create(CONFIG),
    lambda store: store.rename(1, "x"),
    lambda store: store.delete(1),
    lambda store: store.request_stop(1),
    lambda store: store.release(1),
    lambda store: store.resume(1),
    lambda store: store.heartbeat(1, new_owner()),
    lambda store: store.record(1, epoch(0)),
    lambda store: store.note_versions(1, {}),
    lambda store: store.set_status(1, "stopped"),
]


@on_sqlite
def test_a_home_taken_away_is_one_sentence_and_back_by_itself(home) -> None:
    store = Store()
    id = store.create(CONFIG, "kept")
    with taken_away(home):
        for act in [*READS, *WRITES]:
            with pytest.raises(StoreUnavailable) as problem:
                act(store)
            assert str(problem.value).endswith("runs.sqlite is not there any more.")
            assert not home.exists()
    assert store.run(id).name == "kept"
    store.close()


@on_sqlite
def test_a_run_goes_on_where_its_home_comes_back(home, impatient) -> None:
    store, owner = Store(), new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    with for_a_while(taken_away(home), 0.5):
        store.record(id, epoch(0), owner, patience=20)
        store.record(id, epoch(1), owner, patience=20)
    assert [row.epoch for row in store.fetch(select(epochs.c.epoch))] == [0, 1]
    store.close()


@on_sqlite
def test_a_home_that_stays_away_is_made_anew(home, monkeypatch: pytest.MonkeyPatch) -> None:
    store, owner = Store(), new_owner()
    id = store.create(CONFIG, claimed_by=owner)
    shutil.rmtree(home)
    with pytest.raises(StoreUnavailable):
        store.runs()
    monkeypatch.setattr(database, "GONE_SECONDS", 0.0)
    assert store.runs() == []
    with pytest.raises(StoreError, match="no run"):
        store.record(id, epoch(0), owner)
    again = store.create(CONFIG, "new")
    assert Store().run(again).name == "new"
    store.close()


@on_sqlite
def test_another_file_in_its_place_is_read(home) -> None:
    store = Store()
    store.create(CONFIG, "old")
    assert [run.name for run in store.runs()] == ["old"]
    restored = Store(f"sqlite:///{home / 'backup.sqlite'}")
    restored.create(CONFIG, "restored")
    restored.close()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{home / 'runs.sqlite'}{suffix}").unlink(missing_ok=True)
    (home / "backup.sqlite").rename(home / "runs.sqlite")
    assert [run.name for run in store.runs()] == ["restored"]
    store.close()


# --- a home that can only be read ---------------------------------------------------------------

LOOK = """
import os
from core.config import RunConfig
from core.runs.run import StoreUnavailable
from core.runs.store import Store
Store("sqlite://").create(RunConfig())  # all is imported by now
if os.getuid() == 0:  # root may write anywhere
    os.setgid(65534); os.setuid(65534)
store = Store()
print([(run.id, run.name, run.progress) for run in store.runs()], store.mark_interrupted())
print(store.unreadable(), store.name(1), store.stop_requested(1))
for act in (lambda: store.create(RunConfig(), "x"), lambda: store.delete(1)):
    try:
        act()
    except StoreUnavailable as error:
        print(error)
"""


@pytest.fixture
def shut_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home that every user can reach; the test takes the right to write away."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    monkeypatch.setenv("TOTAL_RECALL_HOME", str(folder / "home"))
    yield folder / "home"
    for path in (folder / "home", folder):
        path.chmod(0o755)
    shutil.rmtree(folder)


def look(home: Path) -> list[str]:
    for path in home.iterdir():
        path.chmod(0o444)
    home.chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-c", LOOK], capture_output=True, text=True, check=False, cwd=PROJECT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@on_sqlite
@pytest.mark.parametrize("closed", [True, False], ids=["closed", "killed"])
def test_a_home_that_is_only_to_be_read_can_be_looked_at(shut_home: Path, closed: bool) -> None:
    store = Store()
    store.create(CONFIG, "mine")
    if closed:
        store.close()
    assert (shut_home / "runs.sqlite-wal").exists() != closed
    runs, rest, *refused = look(shut_home)
    assert runs == "[(1, 'mine', 0.0)] []"
    assert rest == "[] mine False"
    assert len(refused) == 2
    assert all(line.startswith("The run store can't be written: ") for line in refused)
    store.close()


# --- where the home is -------------------------------------------------------------------------

NAMES = ["a?b", "a%20b", "a b", "a#b?mode=memory&x", "ü@:x", "a'b\"c", "a%3Fb", "?", "%"]


@on_sqlite
def test_homes_of_any_name_have_databases_of_their_own(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("TOTAL_RECALL_DATABASE_URL", raising=False)
    for name in NAMES:
        monkeypatch.setenv("TOTAL_RECALL_HOME", str(tmp_path / name))
        with contextlib.closing(Store()) as store:
            store.create(CONFIG, name)
        assert (tmp_path / name / "runs.sqlite").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)
    for name in NAMES:
        monkeypatch.setenv("TOTAL_RECALL_HOME", str(tmp_path / name))
        with contextlib.closing(Store()) as store:
            assert [run.name for run in store.runs()] == [name]


def test_a_tilde_is_the_user_s_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TOTAL_RECALL_HOME", "~/runs")
    monkeypatch.setenv("TOTAL_RECALL_DATA", "~/data")
    assert paths.home() == tmp_path / "runs"
    assert paths.data_folder() == tmp_path / "data"
    assert os.fspath(paths.home()) in paths.database_url() or OTHER_DATABASE


# --- a file that is damaged --------------------------------------------------------------------


@on_sqlite
@pytest.mark.parametrize("word", [b"CREATE", b"INTEGER", b"NOT NULL", b"epochs", b"VARCHAR"])
@pytest.mark.parametrize("is_open", [False, True], ids=["opened", "open"])
def test_a_damaged_schema_is_one_sentence(home, word: bytes, is_open: bool) -> None:
    """SQLite's message quotes what it can't read, and sqlite3 can't decode that."""
    store = Store()
    store.create(CONFIG)
    with contextlib.closing(sqlite3.connect(home / "runs.sqlite")) as link:
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    if not is_open:
        store.close()
    data = (home / "runs.sqlite").read_bytes()
    (home / "runs.sqlite").write_bytes(data.replace(word, word[:-1] + b"\xff"))
    refused = []
    for act in [lambda _: Store(), *READS, *WRITES]:
        try:
            act(store)
        except StoreError as error:  # never anything else
            refused.append(str(error))
    if word == b"CREATE" and not is_open:
        assert len(refused) == 1 + len(READS) + len(WRITES)
        assert all(each.endswith("its schema is damaged.") for each in refused)
    store.close()
