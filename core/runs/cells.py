"""Checks what was read of the store: a damaged cell takes out its own run, experiment or worker.

SQLite keeps text in any column and adds it up as 0. A query that sums or averages a column asks
for its `largest` as well: of numbers and text, that is the text.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Column, Float, Integer, Label, Numeric, Row, Select, String, func

from core.runs import tables
from core.runs.column_types import MOST_ID, Damaged
from core.runs.run import Unreadable

_WHOLE: frozenset[type] = frozenset({int, bool, Decimal, type(None)})  # Decimal: PostgreSQL's sums
_NUMBERS: frozenset[type] = _WHOLE | {float}
_TEXTS: frozenset[type] = frozenset({str, type(None)})
_RUN = ("run_id", "run")  # names of the column that says whose record a row is
_OWNERS = {
    tables.runs.c.id: "Run",
    tables.experiments.c.id: "Experiment",
    tables.experiment_cells.c.experiment_id: "Experiment",
    tables.workers.c.token: "Worker",
    tables.settings.c.name: "Setting",
}
_COUNTED = {*tables.EVENT_TABLES.values(), tables.experiment_cells}  # their integers count things
_LARGEST = "largest "

Owner = tuple[str, Any]  # what a row is of, and its number or name


def largest(*columns: Column[Any]) -> list[Label[Any]]:
    """What to select beside sums over these columns, for `whole` to look at; see `looked_at`."""
    return [func.max(column).label(f"{_LARGEST}{column.name}") for column in columns]


def looked_at(name: str) -> bool:
    """Whether a column of this name is there for the check alone."""
    return name.startswith(_LARGEST)


def whole(
    query: Select[*tuple[Any, ...]], rows: Sequence[Row[Any]]
) -> tuple[list[Row[Any]], dict[Owner, str]]:
    """The rows without those of whoever has a damaged cell, and a sentence for each of these.

    Unreadable where the query doesn't say whose record a damaged row is.
    """
    if not rows:
        return list(rows), {}
    columns = list(query.selected_columns)
    bad = [at for at, column in enumerate(columns) if _has_bad(column, rows, at)]
    if not bad:
        return list(rows), {}
    names = {at: columns[at].name.removeprefix(_LARGEST) for at in bad}
    owner = next(((i, kind) for i, c in enumerate(columns) if (kind := _owner(c))), None)
    if owner is None:
        said = ", ".join(names.values())
        raise Unreadable(f"What the run has recorded can't be read: its {said} is damaged.")
    number, kind = owner
    why: dict[Owner, str] = {}
    for at, name in names.items():
        for row in rows:
            if _is_bad(columns[at], row[at]):
                said = f"{kind} {row[number]} can't be read in full: its {name} is damaged."
                why[kind, row[number]] = said
    return [row for row in rows if (kind, row[number]) not in why], why


def _owner(column: Any) -> str:
    """What the rows are of, where the column says which; empty where it does not."""
    return "Run" if column.name in _RUN else _OWNERS.get(getattr(column, "element", column), "")


def _has_bad(column: Any, rows: Sequence[Row[Any]], at: int) -> bool:
    """Whether a value of the column is bad; what occurs again is looked at once."""
    return any(not _fits(column, kind) for kind in {type(row[at]) for row in rows}) or (
        _is_count(column) and any(not _in_range(value) for value in {row[at] for row in rows})
    )


def _is_bad(column: Any, value: Any) -> bool:
    return not _fits(column, type(value)) or (_is_count(column) and not _in_range(value))


def _fits(column: Any, kind: type) -> bool:
    """Whether a column's values may be of this Python type."""
    if isinstance(column.type, Integer):
        return kind in _WHOLE
    if isinstance(column.type, (Float, Numeric)):
        return kind in _NUMBERS
    return kind in _TEXTS if isinstance(column.type, String) else kind is not Damaged


def _is_count(column: Any) -> bool:
    return isinstance(column.type, Integer) and getattr(column, "table", None) in _COUNTED


def _in_range(value: Any) -> bool:
    """Whether it counts something: no database keeps more."""
    return value is None or 0 <= value <= MOST_ID
