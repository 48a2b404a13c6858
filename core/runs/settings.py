"""What a machine's user has settled for all that uses the store: how many workers at once."""

import os
import socket
from functools import cache

from sqlalchemy import delete, insert, select

from core.options import ConfigError
from core.runs.pool import MOST_WORKERS, default_workers
from core.runs.run import StoreError
from core.runs.store import Store
from core.runs.tables import settings

_VARIABLE = "TOTAL_RECALL_WORKERS"


def workers(store: Store) -> int | None:
    """How many workers the app has on this machine, 0 for none: what waits is left to others.

    None: as many as `default_workers` says.
    """
    rows = store.fetch(select(settings).where(settings.c.name == _name()))
    value = rows[0].value if rows else None
    return value if type(value) is int and 0 <= value <= MOST_WORKERS else None


def set_workers(store: Store, number: int | None) -> None:
    """Settle it, None for the default; ConfigError where it is no number of workers."""
    if number is not None and not 0 <= number <= MOST_WORKERS:
        raise ConfigError(f"{number} workers: expected 0 to {MOST_WORKERS}.")

    with store.writing() as connection:
        connection.execute(delete(settings).where(settings.c.name == _name()))
        if number is not None:
            connection.execute(insert(settings).values(name=_name(), value=number))


def fixed_workers() -> int | None:
    """The number that TOTAL_RECALL_WORKERS gives, which goes before the setting; None: none.

    StoreError where it is no number.
    """
    given = os.environ.get(_VARIABLE)
    if not given:
        return None
    if not given.isdecimal() or int(given) > MOST_WORKERS:
        raise StoreError(
            f"{_VARIABLE} = {given!r}: expected a whole number from 0 to {MOST_WORKERS}."
        )
    return int(given)


def wanted_workers(store: Store) -> int:
    """How many workers the app is to have here now; StoreError as `fixed_workers`."""
    for number in (fixed_workers(), workers(store)):
        if number is not None:
            return number
    return _default()


@cache
def _default() -> int:
    """Once for a process: what it carries out makes cores busy."""
    return default_workers()[0]


def _name() -> str:
    return f"workers on {socket.gethostname()}"[:255]
