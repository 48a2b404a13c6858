"""Checks what was read of runs' records: a damaged cell takes only its own run out of a table.

SQLite keeps text in any column and adds it up as 0. A query that sums or averages a column asks
for its `largest` as well: of numbers and text, that is the text.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Column, Float, Integer, Label, Numeric, Row, Select, String, func
from sqlalchemy.types import TypeEngine

from core.runs.column_types import Damaged
from core.runs.run import Unreadable

_NOTHING = type(None)
_NUMBERS: frozenset[type] = frozenset({int, float, bool, Decimal, _NOTHING})
_TEXTS: frozenset[type] = frozenset({str, _NOTHING})
_RUN = ("run_id", "run")  # names of the column that says whose record a row is
_LARGEST = "largest "


def largest(*columns: Column[Any]) -> list[Label[Any]]:
    """What to select beside sums over these columns, for `whole` to look at; see `looked_at`."""
    return [func.max(column).label(f"{_LARGEST}{column.name}") for column in columns]


def looked_at(name: str) -> bool:
    """Whether a column of this name is there for the check alone."""
    return name.startswith(_LARGEST)


def whole(
    query: Select[*tuple[Any, ...]], rows: Sequence[Row[Any]]
) -> tuple[list[Row[Any]], dict[int, str]]:
    """The rows without those of runs of which a cell is damaged, and a sentence for each such run.

    Unreadable where the query doesn't say whose record a damaged row is.
    """
    if not rows:
        return list(rows), {}
    columns = list(query.selected_columns)
    bad = [
        (index, column.name.removeprefix(_LARGEST))
        for index, column in enumerate(columns)
        for allowed in [_allowed(column.type)]
        if any(not _fits(kind, allowed) for kind in {type(row[index]) for row in rows})
    ]
    if not bad:
        return list(rows), {}
    place = next((i for i, column in enumerate(columns) if column.name in _RUN), None)
    if place is None:
        names = ", ".join(name for _, name in bad)
        raise Unreadable(f"What the run has recorded can't be read: its {names} is damaged.")
    why: dict[int, str] = {}
    for index, name in bad:
        allowed = _allowed(columns[index].type)
        for row in rows:
            if not _fits(type(row[index]), allowed):
                why[row[place]] = f"Run {row[place]} can't be read in full: its {name} is damaged."
    return [row for row in rows if row[place] not in why], why


def _allowed(kind: TypeEngine[Any]) -> frozenset[type] | None:
    """The Python types of a column's values; None where all but Damaged are right."""
    if isinstance(kind, (Integer, Float, Numeric)):
        return _NUMBERS
    return _TEXTS if isinstance(kind, String) else None


def _fits(kind: type, allowed: frozenset[type] | None) -> bool:
    return kind is not Damaged if allowed is None else kind in allowed
