"""The run store's database: SQLite, or whatever else an SQLAlchemy URL names.

What goes wrong in it becomes one sentence, StoreUnavailable, here and nowhere else. What may pass
by itself (a server that restarts, a lock that another holds, a full disk, a folder that is moved
away and back) can be waited for.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import (
    ArgumentError,
    IntegrityError,
    InterfaceError,
    NoSuchModuleError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
)

from core.runs.json_values import to_json
from core.runs.migrations import is_current, migrate
from core.runs.room import is_full
from core.runs.run import StoreError, StoreUnavailable
from core.runs.sqlite import DatabaseFile, sqlite_engine

GONE_SECONDS = 30.0  # a file that was taken away for so long is made anew
CONNECT_SECONDS = 10  # to wait for a server
PAUSES = (0.1, 5.0)  # seconds between two tries: the first, the longest

_PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PROTOCOL,
    }
)

# of a database that can't be used; sqlite3 fails to decode its own messages about a damaged schema
_FAULTS = (SQLAlchemyError, sqlite3.Error, OSError, UnicodeDecodeError)

Result = TypeVar("Result")
log = logging.getLogger(__name__)


class Database:
    """An open database. Safe with many threads."""

    def __init__(self, url: str) -> None:
        """Its folder and tables are made where they are missing, those of an earlier version
        brought up to date; StoreUnavailable where the URL names no database that can be opened.
        """
        self._file: DatabaseFile | None = None
        self._identity: tuple[object, ...] | None = None
        self._lock = threading.Lock()
        self._gone_since: float | None = None
        self._failed = -float("inf")
        try:
            where = make_url(url)
            self.engine = self._make_engine(where)
        except (ArgumentError, NoSuchModuleError, ImportError) as error:
            raise StoreUnavailable(
                f"The run store's URL can't be used: {reason(error)}."
            ) from error
        except _FAULTS as error:
            raise StoreUnavailable(_cant_open(where, error)) from error
        self._writer = self.engine.execution_options(writes=True)
        try:
            self._bring_up_to_date()
        except _FAULTS as error:
            raise StoreUnavailable(_cant_open(where, error)) from error
        self._identity = self._file.identity() if self._file else None

    def failed_within(self, seconds: float) -> bool:
        """Whether it could not be used within the last seconds: nobody could give signs of life."""
        return time.monotonic() - self._failed < seconds

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing and waits for nobody."""
        with self._in_sentences("read"):
            self._look_for_file()
            with self.engine.connect() as connection:
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may change something."""
        with self._in_sentences("written"):
            self._look_for_file()
            with self._writer.begin() as connection:
                yield connection

    def write(self, change: Callable[[Connection], Result], patience: float = 0.0) -> Result:
        """What the change returns, made in one transaction.

        Where it fails for a cause that may pass, it is tried again for `patience` seconds.
        """
        deadline, (pause, longest) = time.monotonic() + patience, PAUSES
        while True:
            try:
                with self.writing() as connection:
                    return change(connection)
            except StoreUnavailable as problem:
                left = deadline - time.monotonic()
                if left <= 0 or not may_pass(problem.__cause__):
                    raise
                log.warning("%s Trying again for %.0f s.", problem, left)
                time.sleep(min(pause, left))
                pause = min(2 * pause, longest)

    @contextmanager
    def _in_sentences(self, done: str) -> Iterator[None]:
        try:
            yield
        except _FAULTS as error:
            self._failed = time.monotonic()
            raise StoreUnavailable(f"The run store can't be {done}: {reason(error)}.") from error
        except OverflowError as error:
            raise StoreError("A number is too large for the run store.") from error

    def _make_engine(self, url: URL) -> Engine:
        if url.get_backend_name() == "sqlite":
            engine, self._file = sqlite_engine(url)
            return engine
        known = url.get_backend_name() == "postgresql" and "connect_timeout" not in url.query
        wait = {"connect_timeout": CONNECT_SECONDS} if known else {}
        return create_engine(url, json_serializer=to_json, pool_pre_ping=True, connect_args=wait)

    def _look_for_file(self) -> None:
        """Let go of connections to a file that was taken away; FileNotFoundError while it is."""
        if self._file is None or self._file.identity() == self._identity:
            self._gone_since = None
            return
        with self._lock:
            identity = self._file.identity()
            if identity == self._identity:
                return
            if identity is None:
                self._gone_since = self._gone_since or time.monotonic()
                if time.monotonic() - self._gone_since < GONE_SECONDS:
                    raise FileNotFoundError(f"{self._file.path} is not there any more")
                log.warning("%s was taken away: a new one is made.", self._file.path)
                self._file.make()
            self.engine.dispose()
            self._bring_up_to_date()
            self._identity, self._gone_since = self._file.identity(), None

    def _bring_up_to_date(self) -> None:
        """Makes or changes tables where that is needed: looking takes no lock.

        Once more where another process has just done so.
        """
        with self.engine.connect() as connection:
            if is_current(connection):
                return
        try:
            with self._writer.begin() as connection:
                notes = migrate(connection)
        except (IntegrityError, OperationalError, ProgrammingError) as error:
            if may_pass(error):
                raise
            with self._writer.begin() as connection:
                notes = migrate(connection)
        for note in notes:
            log.warning("The run store was made by an earlier version: %s", note)


def may_pass(error: BaseException | None) -> bool:
    """Whether trying again later may help."""
    if isinstance(error, OSError):
        return True
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _PASSING
    broken = getattr(error, "connection_invalidated", False)
    return broken or isinstance(error, (OperationalError, InterfaceError))


def reason(error: BaseException) -> str:
    """The database's own words, on one line and without a full stop."""
    if isinstance(error, UnicodeDecodeError):
        return "its schema is damaged"
    cause = getattr(error, "orig", None) or error
    if getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR and is_full():
        return "the disk is full"
    return (str(cause).strip().split("\n")[0] or type(cause).__name__).rstrip(".")


def _cant_open(url: URL, error: Exception) -> str:
    where = url.database if url.get_backend_name() == "sqlite" else url.render_as_string()
    return f"The run store {where} can't be opened: {reason(error)}."
