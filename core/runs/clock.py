"""The time as the run store sees it: one place, so that tests can set it."""

from datetime import UTC, datetime


def now() -> datetime:
    """The time, aware, in UTC."""
    return datetime.now(UTC)
