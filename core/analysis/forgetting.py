"""Which actions a run forgets, and when: P of each action on a task's training rows, task by task.

The paper (section "Catastrophic forgetting", the figure of action probabilities) averages
P(a_t | a_<t, x) per action over the training rows of the first task and repeats that after each
later one. Here any task can be the origin; the runs have recorded means and counts. An action is
task-specific where the training data of one task only show it, else cross-task.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from sqlalchemy import and_, func, select

from core.analysis.recorded import runs_with
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import action_probabilities, actions

SPECIFIC, CROSS = "task-specific", "cross-task"
COVERED, NOT_COVERED = "covered", "not covered"
COLUMNS = [
    "action",
    "text",
    "count",
    "first",
    "final",
    "drop",
    "mean_drop",
    "kind",
    "memory",
    "task_numbers",
    "tasks",
    "curve",
]

_columns = action_probabilities.c


def recorded(store: Store, ids: Sequence[int]) -> set[int]:
    """Which of these runs have recorded probabilities of actions."""
    return runs_with(store, action_probabilities, ids)


def origins(store: Store, run: int) -> pd.DataFrame:
    """The tasks whose actions are recorded: on (from 0), first and last (after which task)."""
    first, last = func.min(_columns.after).label("first"), func.max(_columns.after).label("last")
    query = select(_columns.on_task.label("on"), first, last)
    query = (
        query.where(_columns.run_id == run).group_by(_columns.on_task).order_by(_columns.on_task)
    )
    return store.frame(query)


def curves(store: Store, run: int, origin: int) -> pd.DataFrame:
    """Mean P of each action of task `origin` on its training rows, after each task recorded.

    Columns: action (the run's number), text, after (from 0), mean, count
    (occurrences in these rows); by action and after.
    """
    named = and_(actions.c.run_id == _columns.run_id, actions.c.action == _columns.action)
    query = select(_columns.action, actions.c.text, _columns.after, _columns.mean, _columns.count)
    query = query.join_from(action_probabilities, actions, named, isouter=True)
    query = query.where(_columns.run_id == run, _columns.on_task == origin)
    query = query.order_by(_columns.action, _columns.after)
    frame = store.frame(query)
    named = frame.text.fillna("action " + frame.action.astype(str))  # what it is was not recorded
    return frame.assign(text=named, mean=frame["mean"].astype(float))


def occurrences(store: Store, run: int) -> pd.DataFrame:
    """In which tasks' training rows each action occurs: action, on (from 0), count."""
    key, count = (_columns.action, _columns.on_task), func.max(_columns.count).label("count")
    query = select(_columns.action, _columns.on_task.label("on"), count)
    return store.frame(query.where(_columns.run_id == run).group_by(*key).order_by(*key))


def action_table(
    store: Store, run: Run, origin: int, covered: Collection[str] | None = None
) -> pd.DataFrame:
    """A row for each action of task `origin` (from 0), the most forgotten first.

    Columns as COLUMNS: first is P after the origin task, final P after the last task recorded, drop
    the first less the final, mean_drop the first less the mean over all later tasks; all NaN where
    nothing was learned since. kind is CROSS or SPECIFIC over all tasks recorded, task_numbers and
    tasks (names) are where the action occurs, memory is COVERED or NOT_COVERED by the texts
    `covered`, or None; curve is P after each task from the origin on, NaN where none was recorded.
    """
    recorded = curves(store, run.id, origin)
    if recorded.empty:
        return pd.DataFrame(columns=COLUMNS)
    last = int(recorded.after.max())
    grid = recorded.pivot(index="action", columns="after", values="mean")
    grid = grid.reindex(columns=range(origin, last + 1)).astype(float)
    later = grid.drop(columns=origin)
    table = recorded.groupby("action").agg(text=("text", "first"), count=("count", "max"))
    table["first"] = grid[origin]
    table["final"] = grid[last]
    table["drop"] = table["first"] - later[last] if last > origin else np.nan
    table["mean_drop"] = table["first"] - later.mean(axis=1)
    numbers = occurrences(store, run.id).groupby("action").on.agg(tuple)
    table["task_numbers"] = numbers[table.index]
    table["kind"] = np.where(table.task_numbers.map(len) > 1, CROSS, SPECIFIC)
    table["tasks"] = [
        ", ".join(run.task_name(k) for k in numbers) for numbers in table.task_numbers
    ]
    inside = table.text.isin(list(covered or ()))
    table["memory"] = None if covered is None else np.where(inside, COVERED, NOT_COVERED)
    table["curve"] = list(grid.to_numpy())
    table = table.reset_index()[COLUMNS]
    order = ["drop", "count", "action"]
    return table.sort_values(order, ascending=[False, False, True], ignore_index=True)


def name_of(names: Sequence[str], k: int) -> str:
    """A task's name, or its number from 1 where that is not recorded."""
    return names[k] if k < len(names) else f"task {k + 1}"


def extremes(table: pd.DataFrame, each: int) -> pd.DataFrame:
    """The `each` most and the `each` least forgotten actions, by drop, the most first."""
    known = table[table["drop"].notna()]
    known = known.sort_values(["drop", "count"], ascending=False, kind="stable")
    most = known.head(each)
    return pd.concat([most, known.iloc[len(most) :].tail(each)])


def filtered(
    table: pd.DataFrame,
    text: str = "",
    kind: str = "",
    memory: str = "",
    least_count: int = 1,
    most_count: int = 0,
) -> pd.DataFrame:
    """The actions whose text or tasks hold `text`, in any case, and that are of this kind, covered
    so by the memory, and neither rarer nor more frequent; an empty word and 0 let all through.
    """
    held = table.text.str.contains(text, case=False, regex=False)
    held |= table.tasks.str.contains(text, case=False, regex=False)
    held &= table["count"] >= least_count
    if most_count:
        held &= table["count"] <= most_count
    if kind:
        held &= table.kind == kind
    if memory:
        held &= table.memory == memory
    return table[held]


def difference(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    """Two runs' tables of the same task side by side, by the actions' texts; both have the action.

    Columns: text, action (its number in the first run), count, kind, drop_left, drop_right,
    final_left, final_right, difference (of the drops, the first less the other: above 0 where the
    first run forgets more), curve_left, curve_right; the largest difference first.
    """
    columns = ["text", "drop", "final", "curve"]
    left = left[["action", "count", "kind", *columns]].drop_duplicates("text")
    both = left.merge(
        right[columns].drop_duplicates("text"), on="text", suffixes=("_left", "_right")
    )
    both["difference"] = both.drop_left - both.drop_right
    first = ["text", "action", "count", "kind", "difference"]
    rest = [column for column in both.columns if column not in first]
    return both[[*first, *rest]].sort_values("difference", ascending=False, ignore_index=True)


def spelled_out(table: pd.DataFrame, tasks: Sequence[str], origin: int) -> pd.DataFrame:
    """Rows of `action_table` for a file: each value of `curve` in a column of its own."""
    grid = np.array([*table.curve], dtype=float).reshape(len(table), -1)
    names = [f"P after {k + 1} {name_of(tasks, k)}" for k in range(origin, origin + grid.shape[1])]
    flat = table.drop(columns=["curve", "task_numbers"])
    return flat.join(pd.DataFrame(grid, index=table.index, columns=names))
