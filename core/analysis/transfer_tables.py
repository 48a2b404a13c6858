"""Tables of forgetting and transfer: each run after each task, groups at their end, and why not.

The definitions are core.analysis.transfer's.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from sqlalchemy import select

from core.analysis.accuracy import SEEDS, Group
from core.analysis.settings import same_settings
from core.analysis.transfer import MEASURES, Array
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import accuracies


def matrix(cells: pd.DataFrame, zero_shot: Mapping[int, float] | None = None) -> Array:
    """R of one run after the last task tested in full, from analysis.accuracy.cells: (K, K).

    `zero_shot[i]` is R[i−1, i].
    """
    seen = (cells.on <= cells.after).to_numpy()
    after, on = cells.after.to_numpy(dtype=int)[seen], cells.on.to_numpy(dtype=int)[seen]
    tested = np.bincount(after)
    K = int(np.max(np.flatnonzero(tested == np.arange(1, len(tested) + 1)), initial=-1)) + 1
    shares, kept = (cells.correct / cells.total).to_numpy(dtype=float)[seen], after < K
    R = np.full((K, K), np.nan)
    R[after[kept], on[kept]] = shares[kept]
    for i, share in (zero_shot or {}).items():
        if 0 < i < K:
            R[i - 1, i] = share
    return R


def trajectories(
    cells: pd.DataFrame,
    zero_shot: Mapping[int, Mapping[int, float]] | None = None,
    alone: Mapping[int, Mapping[str, float]] | None = None,
) -> pd.DataFrame:
    """Every measure of each run after each task: run, after, task, then a column a measure.

    By run: `zero_shot` is R[i−1, i] by i, `alone` is ã by the task's name.
    """
    rows = []
    for run, mine in cells.groupby("run", sort=True):
        R = matrix(mine, (zero_shot or {}).get(run))
        names = dict(zip(mine.after, mine.after_task, strict=True))
        first = dict(zip(mine.on, mine.on_task, strict=True))
        known = (alone or {}).get(run, {})
        tilde = np.array([known.get(first.get(i, ""), np.nan) for i in range(len(R))])
        for k in range(len(R)):
            if k in names:
                part = R[: k + 1, : k + 1]
                values = {name: each.of(part, tilde) for name, each in MEASURES.items()}
                rows.append({"run": run, "after": k, "task": names[k], **values})
    return pd.DataFrame(rows, columns=["run", "after", "task", *MEASURES])


def spread(trajectories: pd.DataFrame, groups: Sequence[Group[Run]], measure: str) -> pd.DataFrame:
    """One measure's mean and deviation over the runs of each group after each task.

    Columns as in analysis.accuracy.spread: group, after, task, runs, measure, `_deviation`.
    """
    rows = []
    known = trajectories.dropna(subset=[measure])
    for group in groups:
        mine = known[known.run.isin([run.id for run in group.runs])]
        for after, same in mine.groupby("after", sort=True):
            tasks = same.task.unique()
            row = {"group": group.label, "after": after, "runs": len(same)}
            row["task"] = tasks[0] if len(tasks) == 1 else ""
            row[measure] = same[measure].mean()
            row[f"{measure}_deviation"] = same[measure].std(ddof=1)
            rows.append(row)
    columns = ["group", "after", "task", "runs", measure, f"{measure}_deviation"]
    return pd.DataFrame(rows, columns=columns)


def alone(store: Store, runs: Sequence[Run], others: Sequence[Run]) -> dict[int, dict[str, float]]:
    """ã of each of the runs: the accuracy on a task of those that learned it first, by its name.

    The mean over the runs, itself and `others`, that differ from it in their seeds and the order of
    their tasks at most.
    """
    learned = {run.id: run for run in [*others, *runs] if run.tasks}
    key = {id: same_settings(run.config, (*SEEDS, "task_order")) for id, run in learned.items()}
    query = select(accuracies.c.run_id, accuracies.c.correct, accuracies.c.total)
    query = query.where(accuracies.c.after == 0, accuracies.c.on_task == 0)
    query = query.where(accuracies.c.run_id.in_(learned), accuracies.c.total > 0)
    shares: dict[str, dict[str, list[float]]] = {}
    for row in store.fetch(query):
        by_task = shares.setdefault(key[row.run_id], {})
        by_task.setdefault(learned[row.run_id].tasks[0], []).append(row.correct / row.total)
    means = {
        settings: {task: float(np.mean(values)) for task, values in by_task.items()}
        for settings, by_task in shares.items()
    }
    return {run.id: means.get(key.get(run.id, ""), {}) for run in runs}


def final(
    trajectories: pd.DataFrame, groups: Sequence[Group[Run]], learned: Mapping[int, int]
) -> pd.DataFrame:
    """Each group after its last task: group, n, tasks, each measure with `_deviation`, missing.

    `learned` says how many tasks each run has learned and tested. A run that has not learned all
    of its tasks does not count. What is not defined is NaN, and `missing` says why.
    """
    rows = []
    for group in groups:
        counts = {run.id: len(run.tasks) for run in group.runs}
        ended = [id for id, count in counts.items() if count and learned.get(id, 0) == count]
        last = [counts[id] - 1 for id in ended]
        ends = pd.DataFrame({"run": ended, "after": last}).merge(trajectories, on=["run", "after"])
        row = {"group": group.label, "n": len(ended), "tasks": max(counts.values())}
        for name in MEASURES:
            row[name] = ends[name].mean(skipna=False)
            row[f"{name}_deviation"] = ends[name].std(ddof=1, skipna=False)
        row["missing"] = _why(group, ends, learned)
        rows.append(row)
    spreads = [text for name in MEASURES for text in (name, f"{name}_deviation")]
    return pd.DataFrame(rows, columns=["group", "n", "tasks", *spreads, "missing"])


def _why(group: Group[Run], ends: pd.DataFrame, learned: Mapping[int, int]) -> str:
    """Why something is n/a, in sentences; empty where nothing is."""
    reasons = []
    for run in group.runs:
        if run.id not in set(ends.run):
            done, count = learned.get(run.id, 0), len(run.tasks)
            reasons.append(f"Run {run.id} has learned {done} of {count} tasks.")
    lacking = {MEASURES[name].needs for name in MEASURES if len(ends) and ends[name].isna().any()}
    if "" in lacking:
        reasons.append("All tasks were learned at once: there is no accuracy in between.")
        return " ".join(reasons)
    if "zero-shot" in lacking:
        reasons.append("Zero-shot accuracy is not measured.")
    if "alone" in lacking:
        reasons.append("Some task was learned first by no run of these settings.")
    return " ".join(reasons)
