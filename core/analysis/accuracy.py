"""How accurate runs are: acc[k, i], ACC_whole and ACC_avg after each task, their spread over seeds.

acc[k, i] is the share of task i's rows parsed exactly after learning task k, kept as counts.
ACC_whole pools the rows of all tasks seen, ACC_avg is the mean over these tasks (paper, section
"Evaluation"). The upper bound is the same with
the rows whose form the grammar covers at all.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from sqlalchemy import func, select

from core.analysis.settings import differing, method_name, settings
from core.config import RECORDING
from core.events import RunStarted
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import accuracies

SEEDS = ("seed", "order_seed")
MEASURES = {"whole": "ACC_whole", "avg": "ACC_avg"}


@dataclass(frozen=True)
class Group:
    """Runs that differ in nothing but their seeds, under one label."""

    label: str
    runs: tuple[Run, ...]


def group(runs: Sequence[Run]) -> tuple[Group, ...]:
    """Runs put together where only `seed` and `order_seed` differ, in order of first appearance.

    Labels name the method and whatever else tells the groups apart.
    """
    found: dict[str, list[Run]] = {}
    for run in runs:
        own = {n: v for n, v in settings(run.config).items() if n not in (*SEEDS, *RECORDING)}
        key = json.dumps(own, sort_keys=True)
        found.setdefault(key, []).append(run)
    members = [tuple(same) for same in found.values()]
    configs = [same[0].config for same in members]
    told_apart = differing(configs, leave_out=(*SEEDS, "method"))
    groups = []
    for same, differences in zip(members, told_apart, strict=True):
        label = ", ".join([method_name(same[0].config), *differences])
        groups.append(Group(label, same))
    return tuple(groups)


def cells(store: Store, runs: Sequence[Run]) -> pd.DataFrame:
    """acc[k, i] of these runs: a row for each run, task learned and task tested.

    Columns: run, after, on (from 0), after_task, on_task (names), correct, total, covered (rows
    whose logical form is writable with the actions known by then; missing where not known).
    """
    query = select(accuracies).where(accuracies.c.run_id.in_([run.id for run in runs]))
    query = query.order_by(accuracies.c.run_id, accuracies.c.after, accuracies.c.on_task)
    frame = store.frame(query)
    if frame.empty:
        names = ["run", "after", "on", "correct", "total", "after_task", "on_task", "covered"]
        return pd.DataFrame(columns=names)
    frame = frame.rename(columns={"run_id": "run", "on_task": "on"})
    facts = {run.id: run.facts for run in runs}
    by_id = {run.id: run for run in runs}
    pairs = list(zip(frame.run, frame.after, frame.on, strict=True))
    frame["after_task"] = [by_id[run].task_name(after) for run, after, _ in pairs]
    frame["on_task"] = [by_id[run].task_name(on) for run, _, on in pairs]
    frame["covered"] = pd.array([_covered(facts[r], k, i) for r, k, i in pairs], dtype="Int64")
    return frame


def _covered(facts: RunStarted | None, after: int, on: int) -> int | None:
    table = facts.covered if facts else ()
    return table[after][on] if after < len(table) and on < len(table[after]) else None


def curves(cells: pd.DataFrame) -> pd.DataFrame:
    """ACC_whole and ACC_avg of each run after each task, with their upper bounds, as shares.

    Columns: run, after, task, correct, total, whole, avg, bound_whole, bound_avg. A task of
    whose evaluation a part is still to come is left out.
    """
    columns = ["run", "after", "task", "correct", "total"]
    columns += [*MEASURES, *(f"bound_{measure}" for measure in MEASURES)]
    seen = cells[cells.on <= cells.after]
    rows = []
    for (run, after), tested in seen.groupby(["run", "after"], sort=True):
        if len(tested) < after + 1:
            continue
        correct, total = int(tested.correct.sum()), int(tested.total.sum())
        covered = tested.covered.astype("Float64")
        row = [run, after, tested.after_task.iloc[0], correct, total]
        row += [correct / total, (tested.correct / tested.total).mean()]
        row += [covered.sum(skipna=False) / total, (covered / tested.total).mean(skipna=False)]
        rows.append(row)
    frame = pd.DataFrame(rows, columns=columns)
    shares = columns[5:]
    frame[shares] = frame[shares].astype("Float64").astype(float)  # not known: NaN
    return frame


def spread(curves: pd.DataFrame, groups: Sequence[Group]) -> pd.DataFrame:
    """Mean and standard deviation over the runs of each group after each task.

    Columns: group, after, task, runs, then for each measure its name, `<name>_deviation` (of the
    sample; missing where one run is all there is) and `bound_<name>`. `task` is empty where the
    runs learned another task at this place.
    """
    label = {run.id: group.label for group in groups for run in group.runs}
    place = {group.label: at for at, group in enumerate(groups)}
    rows = []
    frame = curves.assign(group=curves.run.map(label))
    for (name, after), same in frame.groupby(["group", "after"], sort=False):
        tasks = same.task.unique()
        row = {"group": name, "after": after, "task": tasks[0] if len(tasks) == 1 else ""}
        row["runs"] = len(same)
        for measure in MEASURES:
            row[measure] = same[measure].mean()
            row[f"{measure}_deviation"] = same[measure].std(ddof=1)
            row[f"bound_{measure}"] = same[f"bound_{measure}"].mean()
        rows.append(row)
    columns = ["group", "after", "task", "runs"]
    columns += [text for m in MEASURES for text in (m, f"{m}_deviation", f"bound_{m}")]
    table = pd.DataFrame(rows, columns=columns)
    order = table.group.map(place)
    return (
        table.assign(at=order)
        .sort_values(["at", "after"])
        .drop(columns="at")
        .reset_index(drop=True)
    )


def latest(store: Store, ids: Sequence[int]) -> pd.DataFrame:
    """Where many runs stand, quickly: run, after, whole, avg after the last task fully tested."""
    right, total = accuracies.c.correct, accuracies.c.total
    query = (
        select(
            accuracies.c.run_id.label("run"),
            accuracies.c.after,
            (func.sum(right) * 1.0 / func.sum(total)).label("whole"),
            func.avg(right * 1.0 / total).label("avg"),
        )
        .where(accuracies.c.run_id.in_(ids))
        .where(accuracies.c.on_task <= accuracies.c.after)
        .group_by(accuracies.c.run_id, accuracies.c.after)
        .having(func.count() == accuracies.c.after + 1)
        .order_by(accuracies.c.run_id, accuracies.c.after)
    )
    return store.frame(query).groupby("run", as_index=False).tail(1).reset_index(drop=True)
