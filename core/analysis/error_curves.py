"""Error curves: training and test error after every epoch of every stage, on one axis of epochs.

Runs record counts on a fixed sample of each task's rows (core.probes). Error is 1 − exact
match, or the mean negative log-likelihood of the rows that the grammar covers. Runs with other
stages are laid over one another task by task: a task's main stage, its last (slow, train), begins
at the same coordinate for all, what comes before it (fast, initial) lies to its left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, and_, false, func, or_, select

from core.analysis.recorded import runs_with
from core.analysis.settings import same_settings
from core.config import RunConfig
from core.runs.cells import largest
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import errors

MEASURES = {"match": "exact match error", "nll": "negative log-likelihood"}
SPLITS = {"train": "training", "test": "test"}
COUNTS = {"correct": "correct", "total": "total", "nll": "nll", "covered": "writable"}
KEY = ("task", "stage", "stage_number", "epoch", "split")
FAST = ("fast", "fast_epochs", "fast_tasks")  # the options that say what the fast stage is

_columns = errors.c


@dataclass(frozen=True)
class Curves:
    """Errors of runs, and the sections of the axis that they lie on.

    `table`: run, KEY (all from 0), COUNTS, match and nll_mean (shares and nats a row; NaN where no
    row counts), at (the epoch's end on the axis, the first one's being 1).
    `sections`: task, main, stages (names), start and end on the axis.
    """

    table: pd.DataFrame
    sections: pd.DataFrame


def recorded(store: Store, ids: Sequence[int]) -> set[int]:
    """Which of these runs have recorded errors."""
    return runs_with(store, errors, ids)


def curves(store: Store, runs: Sequence[Run], on: str = "") -> Curves:
    """The errors of these runs on the rows of task `on`, or of all tasks seen by then, pooled."""
    key = [_columns.run_id.label("run"), *(_columns[name] for name in KEY)]
    sums = [func.sum(_columns[column]).label(name) for name, column in COUNTS.items()]
    checked = largest(*(_columns[column] for column in COUNTS.values()))
    query = select(*key, *sums, *checked).where(_columns.run_id.in_([run.id for run in runs]))
    if on:
        query = query.where(_only(runs, on))
    table = store.frame(query.group_by(*key))
    table = table.astype(dict.fromkeys(("run", "task", "stage_number", "epoch"), int))  # also empty
    counts = table[list(COUNTS)].astype(float)
    table["match"] = 1 - counts.correct / counts.total.replace(0, np.nan)
    table["nll_mean"] = counts.nll / counts.covered.replace(0, np.nan)
    return _laid_out(table)


def _only(runs: Sequence[Run], on: str) -> ColumnElement[bool]:
    """That a record is of the task so named, wherever each run learns it."""
    learned = [(run.id, run.tasks.index(on)) for run in runs if on in run.tasks]
    return or_(false(), *(and_(_columns.run_id == id, _columns.on_task == i) for id, i in learned))


def _laid_out(table: pd.DataFrame) -> Curves:
    """Each epoch's coordinate: behind the longest earlier sections, whichever run has them."""
    table = table.assign(main=_is_main(table))
    order = ["run", "task", "main", "stage_number", "stage"]
    stages = table.groupby(order, as_index=False).epoch.max()
    stages["length"] = stages.epoch + 1
    by_section = stages.groupby(["run", "task", "main"])
    stages["before"] = by_section.length.cumsum() - stages.length  # of earlier stages in it
    sections = by_section.length.sum().groupby(["task", "main"]).max().to_frame("length")
    named = stages.sort_values(["stage_number", "stage"]).groupby(["task", "main"]).stage
    sections["stages"] = named.agg(lambda names: " / ".join(names.unique()))
    sections["end"] = sections.length.cumsum()
    sections["start"] = sections.end - sections.length
    sections = sections.reset_index()
    table = table.merge(stages[[*order, "before"]], on=order)
    table = table.merge(sections[["task", "main", "start"]], on=["task", "main"])
    table["at"] = table.start + table.before + table.epoch + 1
    table = table.sort_values(["run", "split", "at"], ignore_index=True)
    kept = ["task", "main", "stages", "start", "end"]
    return Curves(table.drop(columns=["main", "before", "start"]), sections[kept])


def _is_main(table: pd.DataFrame) -> pd.Series:
    """Whether a stage is its run's main one: the last of a task, of all that it has recorded."""
    numbers = table.groupby(["run", "stage"]).stage_number.transform("max")
    return numbers == table.groupby("run").stage_number.transform("max")


def task_names(runs: Sequence[Run]) -> list[str]:
    """The name of each task in order; empty where the runs learn different ones there."""
    count = max((len(run.tasks) for run in runs), default=0)
    named = [{run.tasks[k] for run in runs if k < len(run.tasks)} for k in range(count)]
    return [next(iter(names)) if len(names) == 1 else "" for names in named]


def pair(candidates: Sequence[Run]) -> list[Run]:
    """The newest run with and without the fast stage (the paper's comparison), where there is one.

    `candidates` are runs, newest first. Else the newest run alone; none of none.
    """
    keys = [(_but_fast(run.config), has_fast(run.config)) for run in candidates]
    newest: dict[tuple[str, bool], Run] = {}
    for key, run in zip(keys, candidates, strict=True):
        newest.setdefault(key, run)
    for (settings, fast), run in zip(keys, candidates, strict=True):
        counterpart = newest.get((settings, not fast))
        if counterpart is not None:
            return [run, counterpart] if fast else [counterpart, run]
    return list(candidates[:1])


def has_fast(config: RunConfig) -> bool:
    """Whether a Total Recall or Oracle run has a fast stage in every task."""
    options = config.method_options
    none = options.get("fast") == "none" or options.get("fast_epochs") == 0
    return config.method in ("total_recall", "oracle") and not none


def without_fast(config: RunConfig) -> RunConfig:
    """The same run without the fast stage."""
    kept = {name: value for name, value in config.method_options.items() if name not in FAST}
    none = {"fast": "none"} if config.method == "total_recall" else {"fast_epochs": 0}
    return config.with_(method_options=kept | none)


def _but_fast(config: RunConfig) -> str:
    """All settings but those of the fast stage and of what is recorded."""
    return same_settings(config, [f"method.{name}" for name in FAST])


def last_values(table: pd.DataFrame) -> pd.DataFrame:
    """Each run's errors after its last epoch: run, task, and `<split>_<measure>` columns."""
    ends = table[table["at"] == table.groupby("run")["at"].transform("max")]
    wide = ends.pivot(index=["run", "task"], columns="split", values=["match", "nll_mean", "total"])
    wide.columns = [f"{split}_{measure}" for measure, split in wide.columns]
    return wide.reset_index()
