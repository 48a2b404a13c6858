"""Experiments in the store: their definitions, and their cells by the digest of what they are."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from core.experiments import toml
from core.experiments.experiment import Experiment
from core.options import ConfigError
from core.runs import clock, queue
from core.runs.digest import digest
from core.runs.run import StoreError
from core.runs.store import Store
from core.runs.tables import experiment_cells, experiments

_CELLS = select(  # of each experiment, from where to where its cells are
    experiment_cells.c.experiment_id.label("id"),
    func.min(experiment_cells.c.pair).label("pair"),
    func.max(experiment_cells.c.pair).label("last_pair"),
    func.min(experiment_cells.c.arm).label("arm"),
    func.max(experiment_cells.c.arm).label("last_arm"),
).group_by(experiment_cells.c.experiment_id)


@dataclass(frozen=True)
class Stored:
    """An experiment as the store has it."""

    id: int
    experiment: Experiment
    paused: bool
    priority: int
    created: datetime


def look(store: Store, *those: ColumnElement[bool]) -> tuple[dict[str, Stored], dict[str, str]]:
    """The experiments by name, newest first; and why some can't be read, by name or number.

    `those`: conditions on the table of experiments, which leave others out.
    """
    at = experiments.c
    ids = select(at.id).where(*those).order_by(at.id.desc())
    rows = {row.id: row for row in store.fetch(select(experiments).where(*those))}
    names = {row.id: row.name for row in store.fetch(select(at.id, at.name).where(*those))}
    of_those = experiment_cells.c.experiment_id.in_(select(at.id).where(*those))
    cells = {row.id: row for row in store.fetch(_CELLS.where(of_those))}
    good: dict[str, Stored] = {}
    bad: dict[str, str] = {}
    for (id,) in store.fetch(ids):
        name = names.get(id, str(id))
        try:
            good[name] = _stored(name, rows.get(id), cells.get(id))
        except (StoreError, ConfigError) as error:
            bad[name] = str(error)
    return good, bad


def names(store: Store) -> list[str]:
    """The names of the experiments that can be read, newest first."""
    return list(look(store)[0])


def load(store: Store, name: str) -> Stored:
    """StoreError where there is none of that name, or it can't be read."""
    good, bad = look(store, experiments.c.name == name)
    if name in bad:
        raise StoreError(bad[name])
    if name not in good:
        known = ", ".join(f"'{known}'" for known in names(store)) or "none yet"
        raise StoreError(f"There is no experiment '{name}'; there are: {known}.")
    return good[name]


def _stored(name: str, row: Row[Any] | None, cells: Row[Any] | None) -> Stored:
    """From its row and the range of its cells; StoreError or ConfigError where they are damaged."""
    if row is None:
        raise StoreError(f"Experiment '{name}' can't be read: its row in the store is damaged.")
    experiment = _read(row.definition, f"Experiment '{name}'")
    n_pairs, n_arms = len(experiment.pairs), len(experiment.arms)
    whole = cells is not None and 0 <= cells.pair <= cells.last_pair < n_pairs
    if cells is None or not (whole and 0 <= cells.arm <= cells.last_arm < n_arms):
        raise StoreError(f"Experiment '{name}' can't be read: its cells are damaged.")
    return Stored(row.id, experiment, row.paused, row.priority, row.created)


_read = lru_cache(maxsize=256)(toml.read)


def create(store: Store, experiment: Experiment, *, priority: int = queue.CELLS) -> int:
    """The new experiment's number; StoreError where there is one of that name."""
    with store.writing() as connection:
        if _id(connection, experiment.name) is not None:
            raise StoreError(
                f"There is an experiment '{experiment.name}' already: choose another name."
            )
        values = {
            "name": experiment.name,
            "definition": toml.write(experiment),
            "paused": False,
            "priority": priority,
            "created": clock.now(),
        }
        made = connection.execute(insert(experiments).values(values).returning(experiments.c.id))
        id = int(made.scalar_one())
        _write_cells(connection, id, experiment)
    return id


def change(store: Store, id: int, experiment: Experiment) -> None:
    """Another definition (more arms or pairs, say); its finished runs stay what they are."""
    with store.writing() as connection:
        holder = _id(connection, experiment.name)
        if holder is not None and holder != id:
            raise StoreError(f"There is an experiment '{experiment.name}' already.")
        values = {"name": experiment.name, "definition": toml.write(experiment)}
        connection.execute(update(experiments).where(experiments.c.id == id).values(values))
        _write_cells(connection, id, experiment)


def delete_experiment(store: Store, id: int) -> None:
    """Forget the experiment; its runs stay."""
    with store.writing() as connection:
        connection.execute(delete(experiments).where(experiments.c.id == id))


def _id(connection: Connection, name: str) -> int | None:
    return connection.scalar(select(experiments.c.id).where(experiments.c.name == name))


def _write_cells(connection: Connection, id: int, experiment: Experiment) -> None:
    """The cells as the definition has them; which run was last seen behind each is kept."""
    of_experiment = experiment_cells.c.experiment_id == id
    query = select(experiment_cells.c.digest, experiment_cells.c.run_id).where(of_experiment)
    runs_by_digest = {row.digest: row.run_id for row in connection.execute(query)}
    connection.execute(delete(experiment_cells).where(of_experiment))
    rows = [
        {"experiment_id": id, "pair": pair, "arm": arm, "digest": known_by}
        for pair, arm, known_by in (
            (pair, arm, digest(config)) for pair, arm, config in experiment.configs()
        )
    ]
    for row in rows:
        row["run_id"] = runs_by_digest.get(row["digest"])
    if rows:
        connection.execute(insert(experiment_cells), rows)
