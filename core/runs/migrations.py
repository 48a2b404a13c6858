"""Brings the database of an earlier version to today's tables, step by step, losing nothing.

The table `schema_version` holds how many steps of `STEPS` a database has seen. A new database is
made as today's tables are and has seen all of them; one without the table is of the first version.
A change of a table is one more entry of `STEPS`, and never a changed one.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, inspect, select, text

from core.config.earlier import anchors_stated_in_json, anchors_stated_in_toml
from core.runs.digest import digest_of_stored
from core.runs.tables import metadata, runs

_schema = MetaData()
version_table = Table("schema_version", _schema, Column("version", Integer, primary_key=True))


@dataclass(frozen=True)
class Step:
    """One change of the tables: what it does, in a sentence, and how."""

    what: str
    change: Callable[[Connection], None]


def is_current(connection: Connection) -> bool:
    """Whether nothing is to be made or changed."""
    names = set(inspect(connection).get_table_names())
    if not names >= {version_table.name, *metadata.tables}:
        return False
    return (connection.scalar(select(version_table.c.version)) or 0) >= len(STEPS)


def migrate(connection: Connection) -> list[str]:
    """Makes the tables that are missing and changes older ones; what was done, in sentences.

    The connection's transaction holds the lock of the database where there is one.
    """
    existing = set(inspect(connection).get_table_names())
    fresh = runs.name not in existing
    _schema.create_all(connection)
    version = connection.scalar(select(version_table.c.version))
    if version is None:
        version = len(STEPS) if fresh else 0
        connection.execute(insert(version_table).values(version=version))
    notes = []
    for step in STEPS[version:]:
        step.change(connection)
        notes.append(step.what)
    if notes:
        connection.execute(version_table.update().values(version=len(STEPS)))
    metadata.create_all(connection)
    return notes


def _number_stages(connection: Connection) -> None:
    """Until then the alphabet's order of a task's stages was that of training."""
    for table in ("epochs", "errors"):
        names = {column["name"] for column in inspect(connection).get_columns(table)}
        if "stage_number" in names:
            continue
        connection.execute(
            text(f"ALTER TABLE {table} ADD COLUMN stage_number INTEGER NOT NULL DEFAULT 0")
        )
        connection.execute(
            text(
                f"UPDATE {table} SET stage_number = (SELECT COUNT(DISTINCT earlier.stage) "
                f"FROM {table} AS earlier WHERE earlier.run_id = {table}.run_id "
                f"AND earlier.task = {table}.task AND earlier.stage < {table}.stage)"
            )
        )


def _add_digests(connection: Connection) -> None:
    """What a config leaves unsaid is what was done then: today's defaults may be others."""
    present = {column["name"] for column in inspect(connection).get_columns("runs")}
    for name, kind in (
        ("digest", "VARCHAR(64) DEFAULT ''"),
        ("priority", "INTEGER DEFAULT 0"),
        ("position", "INTEGER DEFAULT 0"),
        ("is_cell", "BOOLEAN DEFAULT FALSE"),
    ):
        if name not in present:
            connection.execute(text(f"ALTER TABLE runs ADD COLUMN {name} {kind} NOT NULL"))
    for index in runs.indexes:
        index.create(connection, checkfirst=True)
    for id, config in connection.execute(text("SELECT id, config FROM runs")).all():
        connection.execute(
            text("UPDATE runs SET digest = :digest WHERE id = :id"),
            {"digest": digest_of_stored(config), "id": id},
        )


def _add_labels(connection: Connection) -> None:
    present = {column["name"] for column in inspect(connection).get_columns("runs")}
    for name, kind in (
        ("tags", "TEXT DEFAULT ''"),
        ("note", "TEXT DEFAULT ''"),
        ("archived", "BOOLEAN DEFAULT FALSE"),
    ):
        if name not in present:
            connection.execute(text(f"ALTER TABLE runs ADD COLUMN {name} {kind} NOT NULL"))


def _state_anchors(connection: Connection) -> None:
    """Of what can't be read nothing is changed."""
    for table, column, stated in (
        ("runs", "config", anchors_stated_in_json),
        ("experiments", "definition", anchors_stated_in_toml),
    ):
        if table not in inspect(connection).get_table_names():
            continue
        for id, before in connection.execute(text(f"SELECT id, {column} FROM {table}")).all():
            with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
                if (after := stated(before)) != before:
                    connection.execute(
                        text(f"UPDATE {table} SET {column} = :value WHERE id = :id"),
                        {"value": after, "id": id},
                    )


STEPS: tuple[Step, ...] = (
    Step("The stages of each task are numbered in the order of training.", _number_stages),
    Step("Runs are found by the digest of their configuration, for experiments.", _add_digests),
    Step("Runs can have tags and a note, and can be put away.", _add_labels),
    Step(
        "Runs of Total Recall with EWC say that their anchors are the last parameters; new ones "
        "have an anchor for each task.",
        _state_anchors,
    ),
)
