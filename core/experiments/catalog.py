"""Experiments in the store: their definitions, and their cells by the digest of what they are."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from core.experiments import toml
from core.experiments.experiment import Experiment
from core.runs import clock, queue
from core.runs.digest import digest
from core.runs.run import StoreError
from core.runs.store import Store
from core.runs.tables import experiment_cells, experiments


@dataclass(frozen=True)
class Stored:
    """An experiment as the store has it."""

    id: int
    experiment: Experiment
    paused: bool
    priority: int
    created: datetime


def names(store: Store) -> list[str]:
    """The experiments' names, newest first."""
    query = select(experiments.c.name).order_by(experiments.c.id.desc())
    return [row.name for row in store.fetch(query)]


def load(store: Store, name: str) -> Stored:
    """StoreError where there is none of that name."""
    found = store.fetch(select(experiments).where(experiments.c.name == name))
    if not found:
        known = ", ".join(f"'{known}'" for known in names(store)) or "none yet"
        raise StoreError(f"There is no experiment '{name}'; there are: {known}.")
    row = found[0]
    experiment = toml.read(row.definition, f"Experiment '{name}'")
    return Stored(row.id, experiment, row.paused, row.priority, row.created)


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
        other = _id(connection, experiment.name)
        if other is not None and other != id:
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
    own = experiment_cells.c.experiment_id == id
    query = select(experiment_cells.c.digest, experiment_cells.c.run_id).where(own)
    runs_by_digest = {row.digest: row.run_id for row in connection.execute(query)}
    connection.execute(delete(experiment_cells).where(own))
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
