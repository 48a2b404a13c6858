"""Transactions of the run store: reading, and writing that waits its turn."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from core.runs.database import open_database, reason
from core.runs.run import StoreUnavailable


class Database:
    """An open database; what goes wrong in it becomes StoreUnavailable, in one sentence."""

    def __init__(self, url: str) -> None:
        self.engine = open_database(url)
        self._writer = self.engine.execution_options(writes=True)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that may change something."""
        try:
            with self._writer.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreUnavailable(f"The run store can't be written: {reason(error)}.") from error

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        try:
            with self.engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise StoreUnavailable(f"The run store can't be read: {reason(error)}.") from error
