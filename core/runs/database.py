"""Opens the run store's database: SQLite in WAL mode, or whatever else an SQLAlchemy URL names.

SQLite takes one writer at a time. A transaction that reads and then writes must therefore ask for
the lock when it begins: asked for later, SQLite refuses it at once instead of waiting.
"""

import json
import logging
import math
import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    IntegrityError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)

from core.runs.migrations import migrate
from core.runs.run import StoreUnavailable

log = logging.getLogger(__name__)

BUSY_SECONDS = 30.0  # how long a writer waits for another


def open_database(url: str) -> Engine:
    """The engine of this URL, its folder and tables made where they are missing.

    `engine.execution_options(writes=True)` begins transactions that will write. StoreUnavailable
    where the URL names no database that can be opened.
    """
    try:
        where = make_url(url)
        remote = where.get_backend_name() != "sqlite"
        engine = create_engine(where, json_serializer=to_json, pool_pre_ping=remote)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise StoreUnavailable(f"The run store's URL can't be used: {reason(error)}.") from error
    try:
        if not remote:
            if where.database and where.database != ":memory:":
                Path(where.database).parent.mkdir(parents=True, exist_ok=True)
            _prepare_sqlite(engine)
        for note in _bring_up_to_date(engine):
            log.warning("The run store was made by an earlier version: %s", note)
    except (OSError, SQLAlchemyError, sqlite3.Error) as error:
        raise StoreUnavailable(
            f"The run store {where.render_as_string()} can't be opened: {reason(error)}."
        ) from error
    return engine


def reason(error: Exception) -> str:
    """The database's own words, on one line and without a full stop."""
    cause = getattr(error, "orig", None) or error
    return (str(cause).strip().split("\n")[0] or type(cause).__name__).rstrip(".")


def to_json(value: Any) -> str:
    """JSON as the standard has it: a number that is none becomes null."""
    return json.dumps(finite(value), allow_nan=False)


def finite(value: Any) -> Any:
    """The value with None for every number in it that is infinite or none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # `begin` below begins; sqlite3 would do so too late
        connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
        connection.execute("PRAGMA foreign_keys = ON")
        _write_ahead(connection)  # each commit is synced (the default): checkpoints rely on it

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """WAL mode. The busy time-out doesn't cover the change of mode, so wait for it here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > deadline:  # a full disk doesn't pass by waiting
                raise
            time.sleep(0.02)


def _bring_up_to_date(engine: Engine) -> list[str]:
    """Makes or changes tables; once more where another process has just done so."""
    writer = engine.execution_options(writes=True)
    try:
        with writer.begin() as connection:
            return migrate(connection)
    except (IntegrityError, OperationalError, ProgrammingError):
        with writer.begin() as connection:
            return migrate(connection)
