"""How accurate runs are: acc[k, i], ACC_whole and ACC_avg after each task, their spread over seeds.

acc[k, i] is the share of task i's rows parsed exactly after learning task k, kept as counts.
ACC_whole pools the rows of all tasks seen, ACC_avg is the mean over these tasks (paper, section
"Evaluation"). The upper bound is the same with
the rows whose form the grammar covers at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import pandas as pd
from sqlalchemy import func, select

from core.analysis.settings import differing, method_name, same_settings
from core.config import RunConfig
from core.events import RunStarted
from core.runs.cells import largest
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import accuracies

SEEDS = ("seed", "order_seed", "permutation")
MEASURES = {"whole": "ACC_whole", "avg": "ACC_avg"}


class Configured(Protocol):
    """A run, or the record of one."""

    @property
    def config(self) -> RunConfig: ...


R = TypeVar("R", bound=Configured)


@dataclass(frozen=True)
class Group(Generic[R]):
    """Runs that differ in nothing but their seeds, under one label."""

    label: str
    runs: tuple[R, ...]


def group(runs: Sequence[R]) -> tuple[Group[R], ...]:
    """Runs put together that differ only in seed and order of tasks, in order of first appearance.

    An order counts as such whether it is given by its seed or in full. Labels name the method and
    whatever else the groups differ in.
    """
    members: dict[str, list[R]] = {}
    for run in runs:
        key = same_settings(in_any_order(run.config), SEEDS)
        members.setdefault(key, []).append(run)
    configs = [in_any_order(same[0].config) for same in members.values()]
    differences = differing(configs, leave_out=(*SEEDS, "method"))
    return tuple(
        Group(", ".join([method_name(same[0].config), *words]), tuple(same))
        for same, words in zip(members.values(), differences, strict=True)
    )


def in_any_order(config: RunConfig) -> RunConfig:
    """The same whichever order its tasks are named in."""
    return config.with_(task_order=tuple(sorted(config.task_order)))


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
    by_id = {run.id: run for run in runs}
    positions = list(zip(frame.run, frame.after, frame.on, strict=True))
    frame["after_task"] = [by_id[run].task_name(after) for run, after, _ in positions]
    frame["on_task"] = [by_id[run].task_name(on) for run, _, on in positions]
    frame["covered"] = pd.array(
        [covered(by_id[run].facts, after, on) for run, after, on in positions], dtype="Int64"
    )
    return frame


def in_orders(cells: pd.DataFrame, *groups: Group[Any]) -> bool:
    """Whether runs of these groups learn the same tasks, and not all in the same order, so that
    only positions can be held against each other.
    """
    runs = [run for group in groups for run in group.runs]
    mine = cells[cells.run.isin([run.id for run in runs])].sort_values("after")
    orders = [tuple(part.after_task.unique()) for _, part in mine.groupby("run")]
    longest = max(orders, key=len, default=())
    alike = all(order == longest[: len(order)] for order in orders)
    return not alike and len({frozenset(run.tasks) for run in runs}) == 1


def pooled(cells: pd.DataFrame, group: Group[Any]) -> pd.DataFrame:
    """acc[k, i] of a group of runs in one order: correct and total summed over them, with `runs`,
    how many they are; columns as `cells`' without run.
    """
    keys = ["after", "on", "after_task", "on_task"]
    parts = cells[cells.run.isin([run.id for run in group.runs])].groupby(keys, as_index=False)
    return parts.agg(correct=("correct", "sum"), total=("total", "sum"), runs=("run", "nunique"))


def by_position(cells: pd.DataFrame, group: Group[Any]) -> pd.DataFrame:
    """acc[k, i] of runs in different orders: the mean over them by position, the i-th task learned
    being `task i`; columns as `pooled`'s, a total of 1 and the mean share for correct.
    """
    mine = cells[cells.run.isin([run.id for run in group.runs])]
    mine = mine.assign(correct=mine.correct / mine.total)
    means = mine.groupby(["after", "on"], as_index=False)
    table = means.agg(correct=("correct", "mean"), runs=("run", "nunique")).assign(total=1.0)
    names = {f"{name}_task": "task " + (table[name] + 1).astype(str) for name in ("after", "on")}
    return table.assign(**names)


def subtracted(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    """acc[k, i] of `pooled` cells less that of others, where both have learned the same tasks in
    the same order: after, on, their names, left and right (shares), difference.
    """
    keys = ["after", "on", "after_task", "on_task"]
    both = left.merge(right, on=keys, suffixes=("_left", "_right"))
    both["left"] = both.correct_left / both.total_left
    both["right"] = both.correct_right / both.total_right
    return both[[*keys, "left", "right"]].assign(difference=both.left - both.right)


def covered(facts: RunStarted | None, after: int, on: int) -> int | None:
    """How many of task `on`'s rows the actions known after that task cover; None: not recorded."""
    table = facts.covered if facts else ()
    return table[after][on] if after < len(table) and on < len(table[after]) else None


def curves(cells: pd.DataFrame) -> pd.DataFrame:
    """ACC_whole and ACC_avg of each run after each task, with their upper bounds, as shares.

    Columns: run, after, task, correct, total, whole, avg, bound_whole, bound_avg. A task of whose
    evaluation a part is still to come is left out.
    """
    seen = cells[cells.on <= cells.after]
    rows = seen.covered.astype("Float64").astype(float)  # not known: NaN
    seen = seen.assign(share=seen.correct / seen.total, rows=rows, bound=rows / seen.total)
    grouped = seen.groupby(["run", "after"], sort=True)
    table = grouped.agg(
        task=("after_task", "first"),
        correct=("correct", "sum"),
        total=("total", "sum"),
        avg=("share", "mean"),
        bound_whole=("rows", "sum"),
        bound_avg=("bound", "mean"),
        tested=("on", "size"),
        known=("rows", "count"),
    )
    bounds = ["bound_whole", "bound_avg"]
    table["whole"] = table.correct / table.total
    table["bound_whole"] /= table.total
    table[bounds] = table[bounds].where(table.known == table.tested)
    table = table.reset_index()
    columns = ["run", "after", "task", "correct", "total", "whole", "avg", *bounds]
    table = table.loc[table.tested == table.after + 1, columns].reset_index(drop=True)
    return table.astype(dict.fromkeys(columns[5:], float))


def spread(curves: pd.DataFrame, groups: Sequence[Group[Any]]) -> pd.DataFrame:
    """Mean and standard deviation over the runs of each group after each task.

    Columns: group, after, task, runs, then for each measure its name, `<name>_deviation` (of the
    sample; missing where one run is all there is) and `bound_<name>`. `task` is empty where the
    runs learned different tasks there.
    """
    parts = [
        curves[curves.run.isin([run.id for run in group.runs])].assign(group=group.label)
        for group in groups  # a run may be in several
    ]
    rows = (
        pd.concat([curves.iloc[:0].assign(group=""), *parts]) if parts else curves.assign(group="")
    )
    names = pd.Categorical(rows.group, [group.label for group in groups])
    grouped = rows.assign(group=names).groupby(["group", "after"], observed=True)
    table = grouped.task.agg(lambda tasks: tasks.iloc[0] if tasks.nunique() == 1 else "").to_frame()
    table["runs"] = grouped.size()
    for name in MEASURES:
        table[name] = grouped[name].mean()
        table[f"{name}_deviation"] = grouped[name].std(ddof=1)
        table[f"bound_{name}"] = grouped[f"bound_{name}"].mean()
    table = table.reset_index()
    return table.astype({"group": object})


def latest(store: Store, ids: Sequence[int]) -> pd.DataFrame:
    """Where many runs stand, quickly: run, after, whole, avg after the last task fully tested."""
    right, total = accuracies.c.correct, accuracies.c.total
    query = (
        select(
            accuracies.c.run_id.label("run"),
            accuracies.c.after,
            (func.sum(right) * 1.0 / func.nullif(func.sum(total), 0)).label("whole"),
            func.avg(right * 1.0 / func.nullif(total, 0)).label("avg"),
            *largest(right, total),
        )
        .where(accuracies.c.run_id.in_(ids))
        .where(accuracies.c.on_task <= accuracies.c.after)
        .group_by(accuracies.c.run_id, accuracies.c.after)
        .having(func.count() == accuracies.c.after + 1)
        .order_by(accuracies.c.run_id, accuracies.c.after)
    )
    return store.frame(query).groupby("run", as_index=False).tail(1).reset_index(drop=True)
