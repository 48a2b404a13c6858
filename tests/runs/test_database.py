"""The database below the store: many writers at once, WAL, readable refusals."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading

import pytest
from sqlalchemy import select, update

from core.config import RECORDING, RunConfig
from core.events import Epoch
from core.runs import sqlite
from core.runs.run import StoreError
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES, runs
from tests.runs.samples import MANY, python

CONFIG = RunConfig()

WRITE = """
import sys
from core.events import Epoch
from core.runs.store import Store
store = Store()
for epoch in range(100):
    store.record(int(sys.argv[1]), Epoch(0, sys.argv[2], epoch, 1.0, 1, 0.1))
"""


def test_two_processes_and_two_threads_write_at_once(store: Store) -> None:
    id = store.create(CONFIG)
    processes = [python(WRITE, str(id), stage) for stage in ("a", "b")]

    def write(stage: str) -> None:
        for epoch in range(100):
            store.record(id, Epoch(0, stage, epoch, 1.0, 1, 0.1))

    threads = [threading.Thread(target=write, args=(stage,)) for stage in ("c", "d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    for process in processes:
        process.stdout.close()
    with store.engine.connect() as connection:
        assert len(connection.execute(select(EVENT_TABLES[Epoch])).all()) == 400


def test_processes_can_open_a_new_store_at_once(home) -> None:
    openers = [python("from core.runs.store import Store; Store().runs()") for _ in range(4)]
    assert [opener.wait() for opener in openers] == [0] * 4
    for opener in openers:
        opener.stdout.close()


def test_a_store_from_before_runs_recorded_more_is_read_and_completed(store: Store) -> None:
    id = store.create(CONFIG)
    old = {name: v for name, v in json.loads(CONFIG.to_json()).items() if name not in RECORDING}
    new = [EVENT_TABLES[type(event)] for event, _ in MANY]
    with store.engine.begin() as connection:
        connection.execute(update(runs).values(config=json.dumps(old)))
        for table in new:
            table.drop(connection)
    later = Store(store.url)
    assert later.run(id).config == CONFIG
    for event, _ in MANY:
        later.record(id, event)
    with later.engine.connect() as connection:
        assert all(len(connection.execute(select(table)).all()) == 3 for table in new)
    later.delete(id)
    with later.engine.connect() as connection:
        assert not any(connection.execute(select(table)).all() for table in new)
    later.close()


def test_sqlite_is_in_wal_mode_and_checks_foreign_keys(home) -> None:
    store = Store(f"sqlite:///{home / 'here.sqlite'}")
    with store.engine.connect() as connection:
        ask = connection.exec_driver_sql
        assert ask("PRAGMA journal_mode").scalar() == "wal"
        assert ask("PRAGMA foreign_keys").scalar() == 1
        assert ask("PRAGMA busy_timeout").scalar() == 5_000
    with store.writing() as connection:
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
    store.close()


def test_a_reader_is_not_kept_waiting_by_a_writer(store: Store) -> None:
    id = store.create(CONFIG, "before")
    with store.engine.execution_options(writes=True).begin() as connection:
        connection.execute(update(runs).values(name="after"))
        assert store.run(id).name == "before"
    assert store.run(id).name == "after"


def test_a_store_that_cannot_be_opened_says_why(home) -> None:
    home.mkdir()
    (home / "file").write_text("")
    with pytest.raises(StoreError, match=r"can't be opened: .*file"):
        Store(f"sqlite:///{home / 'file' / 'runs.sqlite'}")
    with pytest.raises(StoreError, match="URL can't be used"):
        Store("nonsense")
    with pytest.raises(StoreError, match="URL can't be used"):
        Store("martian://x/y")
    (home / "text.sqlite").write_text("this is no database" * 100)
    with pytest.raises(StoreError, match="not a database"):
        Store(f"sqlite:///{home / 'text.sqlite'}")


def test_the_store_needs_no_torch() -> None:
    code = "import sys, core.runs.store; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("code", "asked"),
    [(sqlite3.SQLITE_BUSY, 3), (sqlite3.SQLITE_FULL, 1), (sqlite3.SQLITE_IOERR, 1)],
)
def test_only_a_busy_database_is_waited_for(code: int, asked: int) -> None:
    class Connection:
        """Fails twice."""

        calls = 0

        def execute(self, statement: str) -> "Connection":
            self.calls += 1
            if self.calls < 3:
                error = sqlite3.OperationalError("no")
                error.sqlite_errorcode = code
                raise error
            return self

        def fetchone(self) -> tuple[str]:
            return ("wal",)

    connection = Connection()
    with contextlib.nullcontext() if asked == 3 else pytest.raises(sqlite3.OperationalError):
        sqlite._write_ahead(connection)
    assert connection.calls == asked
