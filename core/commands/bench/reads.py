"""What pages and commands read of the store, for a benchmark: each as its page does it."""

import argparse
from collections.abc import Callable, Iterator
from types import ModuleType

from core.analysis import (
    accuracy,
    choosing,
    drilldown,
    error_curves,
    exported_runs,
    forgetting,
    paper_table,
    progress,
    transfer_tables,
)
from core.analysis.diagnostics import diagnostics
from core.charts import accuracy as accuracy_chart
from core.charts import error_curves as error_chart
from core.charts import forgetting as forgetting_chart
from core.charts import marks
from core.charts.matrix import matrix
from core.commands import CommandParser, results, runs, show
from core.commands.bench.synthetic import LISTED
from core.runs.run import Run
from core.runs.store import Store

CHOSEN = 8  # runs that a page lays over one another
Read = tuple[str, str, Callable[[], object]]  # page or command, what, how


def reads(store: Store) -> Iterator[Read]:
    """Each page's tables with the runs that it shows at first, then all of the store at once."""
    listed = store.runs(limit=LISTED)
    ids = [run.id for run in listed]
    newest, chosen = listed[0], listed[:CHOSEN]
    yield "every page", f"list of {LISTED} runs", lambda: store.runs(limit=LISTED)
    yield "every page", "runs of other versions", store.unreadable
    yield "Runs", "where the listed runs stand", lambda: accuracy.latest(store, ids)
    yield "Runs", "one run", lambda: _one_run(store, newest)
    yield "Accuracy", f"{CHOSEN} runs", lambda: _accuracy(store, chosen, listed)
    yield "Accuracy", f"{LISTED} runs", lambda: _accuracy(store, listed, listed)
    yield "Forgetting", "first opening", lambda: _forgetting(store, ids, newest)
    yield "Drill-down", "first opening", lambda: _drilldown(store, ids, newest)
    yield "Error curves", "first opening", lambda: _error_curves(store, listed, 2)
    yield "Error curves", f"{CHOSEN} runs", lambda: _error_curves(store, listed, CHOSEN)
    yield "Memories, Clusters", "stored memories", lambda: choosing.stored_tasks(store, ids)
    yield "`runs`", "", lambda: _command(runs, "runs")
    yield "`runs --json`", "", lambda: _command(runs, "runs", "--json")
    yield "`show`", "", lambda: _command(show, "show", str(newest.id))
    yield "`results`", "", lambda: _command(results, "results")
    everything = store.runs()
    yield "all runs", "list", store.runs
    yield "all runs", "accuracy after each task, by groups", lambda: _curves(store, everything)
    yield "all runs", "with and without the fast stage", lambda: error_curves.pair(everything)
    yield "all runs", "the paper's comparison", lambda: _results(store, everything)


def _one_run(store: Store, run: Run) -> None:
    progress.epoch_losses(store, run.id)
    progress.times(store, run.id)
    diagnostics(store, run.id)
    accuracy_chart.trajectory(accuracy.curves(accuracy.cells(store, [run])), run.tasks)


def _curves(store: Store, chosen: list[Run]) -> None:
    accuracy.spread(accuracy.curves(accuracy.cells(store, chosen)), accuracy.group(chosen))


def _accuracy(store: Store, chosen: list[Run], listed: list[Run]) -> None:
    groups, cells = accuracy.group(chosen), accuracy.cells(store, chosen)
    spread = accuracy.spread(accuracy.curves(cells), groups)
    accuracy_chart.curves(spread, measure="whole", name="ACC_whole")
    matrix(cells[cells.run == chosen[0].id])
    alone = transfer_tables.alone(store, chosen, listed)
    trajectories = transfer_tables.trajectories(cells, alone=alone)
    transfer_tables.spread(trajectories, groups, "forgetting")
    learned = {run.id: len(run.tasks) for run in chosen}
    transfer_tables.final(trajectories, groups, learned)


def _forgetting(store: Store, ids: list[int], run: Run) -> None:
    forgetting.recorded(store, ids)
    forgetting.origins(store, run.id)
    table = forgetting.action_table(store, run, 0)
    forgetting_chart.heatmap(table, run.tasks, 0)


def _drilldown(store: Store, ids: list[int], run: Run) -> None:
    drilldown.predicted(store, ids)
    drilldown.predicted_tasks(store, run.id)
    drilldown.predictions_on(store, run.id, 0)


def _error_curves(store: Store, listed: list[Run], n: int) -> None:
    recorded = error_curves.recorded(store, [run.id for run in listed])
    candidates = [run for run in listed if run.id in recorded]
    chosen = (error_curves.pair(candidates) + candidates)[:n]
    curves, looks = error_curves.curves(store, chosen), marks.of_runs(chosen)
    tasks = error_curves.task_names(chosen)
    error_chart.errors(curves, looks, tasks, measure="match", name="error")


def _results(store: Store, everything: list[Run]) -> None:
    paper_table.final(exported_runs.of_runs(store, everything))


def _command(module: ModuleType, *words: str) -> None:
    parser = CommandParser()
    module.add_parser(parser.add_subparsers())
    args: argparse.Namespace = parser.parse_args(words)
    args.execute(args)
