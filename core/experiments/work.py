"""What is done with an experiment's cells: queue, pause, go on, cancel, retry, prefer.

A finished run of a cell's configuration is used and one that waits or runs is joined, whoever
launched it; a run that was stopped or interrupted goes on from its checkpoint.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, exists, insert, select, update

from core.experiments.catalog import Stored, change, load
from core.experiments.checks import check
from core.experiments.experiment import Arm, Pair, of_pair
from core.experiments.status import cells_query
from core.options import ConfigError
from core.runs import changes
from core.runs.new_run import new_run
from core.runs.run import FAILED, FINISHED, INTERRUPTED, QUEUED, RUNNING, STOPPED, StoreError
from core.runs.store import Store
from core.runs.tables import experiment_cells, experiments, runs


@dataclass(frozen=True)
class Queued:
    """What `enqueue` came upon: cells by what was done about them."""

    new: int  # runs that were made
    again: int  # of these, such whose earlier run was deleted
    resumed: int  # stopped or interrupted before
    used: int  # finished already
    joined: int  # waiting or running already
    failed: int  # left as they are: see `retry`


def enqueue(store: Store, name: str) -> Queued:
    """Let workers take every cell that is not done; also goes on after a pause."""
    stored = load(store, name)
    with store.writing() as connection:
        locked = select(experiments.c.id).where(experiments.c.id == stored.id).with_for_update()
        if connection.scalar(locked) is None:
            raise StoreError(f"There is no experiment '{name}' any more.")
        go_on = update(experiments).where(experiments.c.id == stored.id)
        connection.execute(go_on.values(paused=False))
        keep = update(runs).where(runs.c.status == RUNNING, runs.c.is_cell, _cell_of(stored.id))
        connection.execute(keep.values(stop_requested=False))
        return _enqueue(connection, stored)


def _enqueue(connection: Connection, stored: Stored) -> Queued:
    cells = cells_query(stored.id).subquery()
    query = (
        select(cells, runs.c.status)
        .select_from(cells)
        .outerjoin(runs, runs.c.id == cells.c.run)
        .order_by(cells.c.pair, cells.c.arm)
    )
    rows = connection.execute(query).all()
    absent = [cell for cell in rows if cell.run is None]
    _insert(connection, stored, absent)
    for cell in rows:
        if cell.status in (STOPPED, INTERRUPTED):
            _requeue(connection, stored, cell.run, cell.pair)
    _note_runs(connection, stored.id)
    counts = Counter(cell.status for cell in rows)
    return Queued(
        new=len(absent),
        again=sum(cell.last_run is not None for cell in absent),
        resumed=counts[STOPPED] + counts[INTERRUPTED],
        used=counts[FINISHED],
        joined=counts[QUEUED] + counts[RUNNING],
        failed=counts[FAILED],
    )


def _insert(connection: Connection, stored: Stored, absent: Collection[Any]) -> None:
    experiment = stored.experiment
    configs = [experiment.arm_config(arm) for arm in experiment.arms]
    values = []
    for cell in absent:
        config = of_pair(configs[cell.arm], experiment.pairs[cell.pair])
        more = {"priority": stored.priority, "position": cell.pair, "is_cell": True}
        values.append(new_run(config, experiment.run_name(cell.pair, cell.arm), **more))
    if values:
        connection.execute(insert(runs), values)


def _requeue(connection: Connection, stored: Stored, run: int, pair: int) -> None:
    changes.change(connection, changes.locked(connection, run), QUEUED)
    values = {"priority": stored.priority, "position": pair, "is_cell": True}
    connection.execute(update(runs).where(runs.c.id == run).values(values))


def _note_runs(connection: Connection, id: int) -> None:
    """Note which run stands behind each cell, so that a deleted one is missed."""
    changed = [
        {"at_pair": cell.pair, "at_arm": cell.arm, "run": cell.run}
        for cell in connection.execute(cells_query(id)).all()
        if cell.run is not None and cell.run != cell.last_run
    ]
    of_cell = (
        experiment_cells.c.experiment_id == id,
        experiment_cells.c.pair == bindparam("at_pair"),
        experiment_cells.c.arm == bindparam("at_arm"),
    )
    if changed:
        note = update(experiment_cells).where(*of_cell).values(run_id=bindparam("run"))
        connection.execute(note, changed)


def pause(store: Store, name: str) -> int:
    """Take no further cell; those that run stop within a batch. How many stop."""
    stored = load(store, name)
    with store.writing() as connection:
        hold = update(experiments).where(experiments.c.id == stored.id).values(paused=True)
        connection.execute(hold)
        running = (runs.c.status == RUNNING, *_only_of(stored.id))
        stop = update(runs).where(*running).values(stop_requested=True)
        return int(connection.execute(stop).rowcount)


def cancel(store: Store, name: str) -> int:
    """Take the cells that wait out of the queue; how many. Those that have begun are stopped."""
    stored = load(store, name)
    with store.writing() as connection:
        waiting = (runs.c.status == QUEUED, *_only_of(stored.id))
        removed = connection.execute(delete(runs).where(*waiting, runs.c.attempts == 0)).rowcount
        forget = update(experiment_cells).where(experiment_cells.c.experiment_id == stored.id)
        gone = ~exists(select(runs.c.id).where(runs.c.id == experiment_cells.c.run_id))
        if removed:  # they were not deleted by somebody: there never was a result
            connection.execute(forget.where(gone).values(run_id=None))
        begun = connection.execute(select(runs.c.id).where(*waiting)).all()
        for row in begun:
            changes.change(connection, changes.locked(connection, row.id), STOPPED)
        return int(removed) + len(begun)


def add(store: Store, name: str, arms: Sequence[Arm] = (), pairs: Sequence[Pair] = ()) -> Stored:
    """The experiment with more arms and pairs, none of which is queued yet.

    Pairs that it has already are left out. ConfigError where nothing is left to add, ConfigError or
    DataError where an arm can't be run.
    """
    stored = load(store, name)
    experiment = stored.experiment
    new_pairs = [pair for pair in dict.fromkeys(pairs) if pair not in experiment.pairs]
    if not arms and not new_pairs:
        raise ConfigError(f"Nothing to add to '{name}': expected another arm or another pair.")
    grown = experiment.with_(arms=(*experiment.arms, *arms), pairs=(*experiment.pairs, *new_pairs))
    check(grown)
    change(store, stored.id, grown)
    return load(store, name)


def retry(store: Store, name: str) -> int:
    """Queue again what has failed; how many cells."""
    stored = load(store, name)
    with store.writing() as connection:
        cells = cells_query(stored.id).subquery()
        query = select(cells.c.run, cells.c.pair).join(runs, runs.c.id == cells.c.run)
        failed = connection.execute(query.where(runs.c.status == FAILED)).all()
        for cell in failed:
            _requeue(connection, stored, cell.run, cell.pair)
        return len(failed)


def prefer(store: Store, name: str, priority: int) -> None:
    """Another priority: of what waits, and of what will be queued; runs by hand have 0."""
    stored = load(store, name)
    with store.writing() as connection:
        changed = update(experiments).where(experiments.c.id == stored.id)
        connection.execute(changed.values(priority=priority))
        waiting = (runs.c.status == QUEUED, runs.c.is_cell, _cell_of(stored.id))
        connection.execute(update(runs).where(*waiting).values(priority=priority))


def failures(store: Store, stored: Stored) -> list[str]:
    """A sentence for each failed cell, with its reason."""
    return [sentence for sentence, _ in failed_runs(store, stored)]


def failed_runs(store: Store, stored: Stored) -> list[tuple[str, int]]:
    """A sentence for each failed cell, with its reason, and its run."""
    failed = select(runs.c.digest).where(runs.c.status == FAILED)
    cells = cells_query(stored.id, experiment_cells.c.digest.in_(failed)).subquery()
    query = (
        select(cells.c.pair, cells.c.arm, runs.c.id, runs.c.error)
        .join(runs, runs.c.id == cells.c.run)
        .where(runs.c.status == FAILED)
        .order_by(cells.c.pair, cells.c.arm)
    )
    return [
        (
            f"A{stored.experiment.cell_label(row.pair, row.arm)[1:]}: run {row.id} has failed: "
            f"{row.error}",
            row.id,
        )
        for row in store.fetch(query)
    ]


def _cell_of(experiment: int) -> Any:
    of_experiment = experiment_cells.c.experiment_id == experiment
    return runs.c.digest.in_(select(experiment_cells.c.digest).where(of_experiment))


def _only_of(experiment: int) -> tuple[Any, ...]:
    """Runs that experiments queued, and none that is active but this one wants."""
    active = (experiments.c.id != experiment, experiments.c.paused.is_(False))
    others = (
        select(experiment_cells.c.digest)
        .join(experiments, experiments.c.id == experiment_cells.c.experiment_id)
        .where(*active)
    )
    return (runs.c.is_cell, _cell_of(experiment), runs.c.digest.not_in(others))
