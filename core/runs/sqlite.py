"""SQLite below the run store: one file in WAL mode, which may be read-only, go away and come back.

SQLite takes one writer at a time. A transaction that reads and then writes must therefore ask for
the lock when it begins: asked for later, SQLite refuses it at once instead of waiting.
"""

import os
import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event

from core.runs.json_values import to_json

BUSY_SECONDS = 30.0  # how long a writer waits for another
NO_TEXT = "\ufffd"  # stands for bytes that are no UTF-8
READ_SECONDS = 5.0  # and a reader, which need not wait at all in WAL mode


class DatabaseFile:
    """The file of a database."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """The file and its folder, where they are missing."""
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            sqlite3.connect(self.path).close()

    @property
    def read_only(self) -> bool:
        """Whether the file or its folder can't be written, as on a disk mounted so."""
        return not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))

    def identity(self) -> tuple[object, ...] | None:
        """Differs where another file is in its place; None where there is none."""
        try:
            stat = self.path.stat()
        except OSError:
            return None
        same = (stat.st_dev, stat.st_ino)
        return (*same, stat.st_mtime_ns, self._has_log()) if self.read_only else same

    def connect(self) -> sqlite3.Connection:
        """A connection; the file is not made where it is missing."""
        path = f"file:{quote(str(self.path.absolute()))}"
        if not self.read_only:
            url = f"{path}?mode=rw"
        elif self._has_log():  # somebody writes, or was killed while writing
            url = f"{path}?mode=ro"
        else:  # WAL mode would need a file beside it
            url = f"{path}?mode=ro&immutable=1"
        return sqlite3.connect(url, uri=True, check_same_thread=False)

    def _has_log(self) -> bool:
        return self.path.with_name(f"{self.path.name}-wal").exists()


def sqlite_engine(url: URL) -> tuple[Engine, DatabaseFile | None]:
    """The engine, and its file where it has one."""
    path, file = url.database or "", None
    if not path or path == ":memory:" or "uri" in url.query:
        engine = create_engine(url, json_serializer=to_json)
    else:
        file = DatabaseFile(Path(path))
        file.make()
        engine = create_engine(url, creator=file.connect, json_serializer=to_json)
    _prepare(engine, file)
    return engine, file


def _prepare(engine: Engine, file: DatabaseFile | None) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # `begin` below begins; sqlite3 would do so too late
        connection.text_factory = _decode
        connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
        connection.execute("PRAGMA foreign_keys = ON")
        if file is None or not file.read_only:
            _write_ahead(connection)  # each commit is synced (the default): checkpoints rely on it

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        seconds = BUSY_SECONDS if writes else READ_SECONDS
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _decode(stored: bytes) -> str:
    """Text of the database; what is not UTF-8 shows as U+FFFD and spoils nothing else."""
    return stored.decode("utf-8", "replace")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """WAL mode. The busy time-out doesn't cover the change of mode, so wait for it here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
            if mode != "wal":
                connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > deadline:  # a full disk doesn't pass by waiting
                raise
            time.sleep(0.02)
