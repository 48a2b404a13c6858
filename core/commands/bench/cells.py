"""`bench cells`: how long pages and commands take beside an experiment of many cells.

A temporary store holds an experiment of ten arms, most of whose cells have finished with made-up
accuracies over eight tasks; some wait, run or have failed, the last pairs are not begun. Each time
is that of a second call: the first one imports. On a busy machine CPU time says more.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Table, insert

from core.analysis import accuracy, experiment_tables, experiment_text
from core.commands import CommandParser, Subparsers, experiment
from core.commands.bench.store import print_reads, temporary_home, timed
from core.commands.bench.synthetic import finished_row, of_tasks
from core.commands.numbers import count
from core.config import RunConfig
from core.experiments import catalog, work
from core.experiments.catalog import Stored
from core.experiments.experiment import MOST_CELLS, Arm, Experiment, default_pairs
from core.experiments.status import cell_table, status
from core.options import ConfigError
from core.runs.digest import digest
from core.runs.run import FAILED, FINISHED, QUEUED, RUNNING
from core.runs.store import Store
from core.runs.tables import runs

NAME = "many"
ARMS = 10
OTHERS = {97: FAILED, 98: QUEUED, 99: RUNNING}  # of every hundred cells
DRAWN = 60  # pairs of ten arms that the page draws at once


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "cells",
        help="seconds for Experiments, Results and `experiment` beside many cells",
        description="Fill a temporary store with an experiment of many cells and time what pages "
        "and commands read of it, as a Markdown table.",
    )
    parser.add_argument(
        "--cells", type=count, default=MOST_CELLS, metavar="N", help=f"({MOST_CELLS:,})"
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    if not ARMS <= args.cells <= MOST_CELLS:
        raise ConfigError(f"--cells {args.cells}: expected {ARMS} to {MOST_CELLS:,}.")
    with temporary_home():
        store = Store()
        seconds, _ = timed(lambda: fill(store, args.cells // ARMS))
        print(f"{args.cells // ARMS * ARMS:,} cells, written in {seconds:.0f} s\n")
        print_reads(reads(store))
        store.close()
    return 0


def fill(store: Store, pairs: int) -> None:
    """The experiment, and runs behind nine tenths of its cells."""
    base = RunConfig(dataset="overnight", method="emr", sampler="random")
    arms = tuple(Arm(f"memory {10 + n}", {"memory_size": 10 + n}) for n in range(ARMS))
    made = Experiment(NAME, base, arms, default_pairs(pairs))
    catalog.create(store, made)
    by_table: dict[Table, list[dict[str, Any]]] = {}
    cells = [config for pair, _, config in made.configs() if pair < max(1, pairs * 9 // 10)]
    for id, config in enumerate(cells, start=1):
        ended = OTHERS.get(id % 100, FINISHED)
        row = finished_row(id, config) | {"digest": digest(config), "is_cell": True}
        progress = 1.0 if ended == FINISHED else 0.5
        row |= {"status": ended, "attempts": 1, "progress": progress}
        by_table.setdefault(runs, []).append(row)
        for table, values in of_tasks(complete=False) if ended == FINISHED else ():
            by_table.setdefault(table, []).append({"run_id": id, **values})
    with store.writing() as connection:
        for table, rows in by_table.items():
            connection.execute(insert(table), rows)


def reads(store: Store) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """What each page reads when it is opened, and each command."""
    stored = catalog.load(store, NAME)
    yield "Experiments", "list, and how far each is", lambda: _overview(store)
    yield "Experiments", "matrix of one", lambda: _matrix(store, stored)
    yield "Experiments", "failures of one", lambda: work.failures(store, stored)
    yield "Results", "means of all arms", lambda: _results(store, stored)
    yield "`experiment status`", "", lambda: _command("status")
    yield "`experiment status NAME`", "", lambda: _command("status", NAME)
    yield "`experiment table NAME`", "", lambda: _command("table", NAME)
    yield "a worker", "takes the next cell", lambda: _claim(store)


def _overview(store: Store) -> None:
    for name in catalog.names(store):
        status(store, catalog.load(store, name).id)


def _matrix(store: Store, stored: Stored) -> None:
    cells = cell_table(store, stored.id, range(DRAWN))
    accuracy.latest(store, cells.run[cells.status == FINISHED].astype(int).tolist())


def _results(store: Store, stored: Stored) -> None:
    experiment_text.shown_arms(experiment_tables.from_store(store, stored))


def _claim(store: Store) -> None:
    from core.runs import queue

    store.fetch(queue.next_waiting())


def _command(*words: str) -> None:
    parser = CommandParser()
    experiment.add_parser(parser.add_subparsers())
    args: argparse.Namespace = parser.parse_args(["experiment", *words])
    args.execute(args)
