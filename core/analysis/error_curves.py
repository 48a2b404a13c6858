"""Error curves: training and test error after every epoch of every stage, on one axis of epochs.

Runs record counts on a fixed sample of each task's rows (core.probes). Error is 1 − exact
match, or the mean negative log-likelihood of the rows that the grammar can write. Runs with other
stages are laid over one another task by task: a task's main stage (slow, train) begins at the same
place for all, what comes before it (fast, initial) lies to its left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sqlalchemy import ColumnElement, and_, exists, false, func, or_, select

from core.analysis.settings import differing, method_name
from core.config import RECORDING, RunConfig
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import errors, runs

MEASURES = {"match": "exact match error", "nll": "negative log-likelihood"}
SPLITS = {"train": "training", "test": "test"}
MAIN = ("slow", "train")  # the stages that the others lead up to
COUNTS = ["correct", "total", "nll", "writable"]
COLUMNS = ["run", "task", "stage", "epoch", "split", *COUNTS]
FAST = ("fast", "fast_epochs", "fast_tasks")  # the options that say what the fast stage is

_told = errors.c


@dataclass(frozen=True)
class Curves:
    """Errors of runs, and the sections of the axis that they lie on.

    `table`: run, task, stage, epoch (from 0), split, COUNTS, match and nll_mean (shares and nats a
    row; NaN where no row counts), at (the epoch's end on the axis, the first one's being 1).
    `sections`: task, main, stages (names), start and end on the axis.
    """

    table: pd.DataFrame
    sections: pd.DataFrame


def recorded(store: Store, ids: Sequence[int]) -> set[int]:
    """Which of these runs have told errors; quick, however many they told."""
    told = exists().where(_told.run_id == runs.c.id)
    return {row.id for row in store.fetch(select(runs.c.id).where(runs.c.id.in_(ids), told))}


def curves(store: Store, runs: Sequence[Run], on: str = "") -> Curves:
    """The errors of these runs on the rows of task `on`, or of all tasks seen by then, pooled."""
    sums = [func.sum(_told[name]).label(name) for name in COUNTS]
    place = [_told.run_id, _told.task, _told.stage, _told.epoch, _told.split]
    query = select(_told.run_id.label("run"), *place[1:], *sums)
    query = query.where(_told.run_id.in_([run.id for run in runs]))
    if on:
        query = query.where(_only(runs, on))
    query = query.group_by(*place).order_by(*place)
    table = store.frame(query)
    table = table.astype({"run": int, "task": int, "epoch": int})  # also where there is no row
    counts = table[COUNTS].astype(float)
    table["match"] = 1 - counts.correct / counts.total.replace(0, np.nan)
    table["nll_mean"] = counts.nll / counts.writable.replace(0, np.nan)
    return _laid_out(table)


def _only(chosen: Sequence[Run], on: str) -> ColumnElement[bool]:
    """That a record is of the task so named, wherever each run learns it."""
    places = [(run.id, names_of(run).index(on)) for run in chosen if on in names_of(run)]
    return or_(false(), *(and_(_told.run_id == id, _told.on_task == i) for id, i in places))


def _laid_out(table: pd.DataFrame) -> Curves:
    """Each epoch's place: behind the longest earlier sections, whichever run has them."""
    table = table.assign(main=table.stage.isin(MAIN))
    stages = table.groupby(["run", "task", "main", "stage"], as_index=False).epoch.max()
    stages["length"] = stages.epoch + 1
    there = stages.groupby(["run", "task", "main"])
    stages["before"] = there.length.cumsum() - stages.length  # of other stages in the section
    ends = there.length.sum().groupby(["task", "main"]).max().rename("length").reset_index()
    names = stages.groupby(["task", "main"]).stage.agg(lambda names: " / ".join(names.unique()))
    ends["end"] = ends.length.cumsum()
    sections = ends.assign(start=ends.end - ends.length, stages=names.to_numpy())
    keys = ["run", "task", "main", "stage"]
    table = table.merge(stages[[*keys, "before"]], on=keys)
    table = table.merge(sections[["task", "main", "start"]], on=["task", "main"])
    table["at"] = table.start + table.before + table.epoch + 1
    table = table.sort_values(["run", "split", "at"], ignore_index=True)
    kept = ["task", "main", "stages", "start", "end"]
    return Curves(table.drop(columns=["main", "before", "start"]), sections[kept])


def names_of(run: Run) -> list[str]:
    """The run's tasks in its order."""
    return list(run.tasks)


def task_names(chosen: Sequence[Run]) -> list[str]:
    """The name of each place in the order of tasks; empty where the runs learn others there."""
    orders = [names_of(run) for run in chosen]
    count = max(map(len, orders), default=0)
    at = [{order[k] for order in orders if k < len(order)} for k in range(count)]
    return [next(iter(names)) if len(names) == 1 else "" for names in at]


def labels(chosen: Sequence[Run]) -> dict[int, str]:
    """What to call each run: its method, what differs, and its number where that is not enough."""
    configs = [run.config for run in chosen]
    told = differing(configs, leave_out=("method",))
    texts = [
        ", ".join([method_name(config), *words])
        for config, words in zip(configs, told, strict=True)
    ]
    return {
        run.id: text if texts.count(text) == 1 else f"{text}, run {run.id}"
        for run, text in zip(chosen, texts, strict=True)
    }


def pair(candidates: Sequence[Run]) -> list[Run]:
    """The newest run with and without the fast stage (the paper's comparison), where there is one.

    `told` are runs, newest first. Else the newest run alone; none of none.
    """
    for run in candidates:
        same = [other for other in candidates if _but_fast(other.config) == _but_fast(run.config)]
        beside = [other for other in same if has_fast(other.config) != has_fast(run.config)]
        if beside:
            both = sorted((run, beside[0]), key=lambda one: not has_fast(one.config))
            return both
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


def _but_fast(config: RunConfig) -> RunConfig:
    """What is left of a config when nothing is said of its fast stage and of what it records."""
    kept = {name: value for name, value in config.method_options.items() if name not in FAST}
    return config.with_(method_options=kept, **RECORDING)


def last_values(table: pd.DataFrame) -> pd.DataFrame:
    """Each run's errors after its last epoch: run, task, and `<split>_<measure>` columns."""
    ends = table[table["at"] == table.groupby("run")["at"].transform("max")]
    wide = ends.pivot(index=["run", "task"], columns="split", values=["match", "nll_mean", "total"])
    wide.columns = [f"{split}_{measure}" for measure, split in wide.columns]
    return wide.reset_index()
