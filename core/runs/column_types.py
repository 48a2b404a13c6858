"""How values of the run store are kept, and what stands for one that can't be read."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, Integer, TypeDecorator

MOST_ID = 2**31 - 1  # the largest number of a run that every database can hold


@dataclass(frozen=True)
class Damaged:
    """What stands for a value of the database that can't be read."""

    stored: Any


def _or_damaged(read: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    """Reads as `read` does, but gives Damaged where that fails."""
    if read is None:
        return None

    def careful(stored: Any) -> Any:
        try:
            return read(stored)
        except (ValueError, TypeError, AttributeError, RecursionError):
            return Damaged(stored)

    return careful


class UtcTime(TypeDecorator[datetime]):
    """Aware times in UTC, also where the database forgets the zone; Damaged where it is none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return _or_damaged(super().result_processor(dialect, coltype))


class StoredJson(TypeDecorator[Any]):
    """JSON; Damaged where the text is none."""

    impl = JSON
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Any:
        return _or_damaged(super().result_processor(dialect, coltype))


def key(name: str, kind: Any = Integer, field: str = "", many: bool = False) -> Column[Any]:
    """A column of an event's key; `field` of the event where it is called otherwise."""
    info = {"field": field or name, "many": many}
    return Column(name, kind, primary_key=True, autoincrement=False, info=info)


def many(name: str, kind: Any, nullable: bool = False, field: str = "") -> Column[Any]:
    """A column for a field that holds a sequence: the event becomes as many rows."""
    return Column(name, kind, nullable=nullable, info={"field": field or name, "many": True})
