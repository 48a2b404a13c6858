"""From an action to the rows that use it, and from a row to its parse after every task.

A run has told, for each test row of the tasks seen, the top hypothesis and P of each gold step
(teacher-forced). What the rows say and what their gold steps are comes from the data set.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sqlalchemy import exists, select

from core.analysis.forgetting import name_of
from core.config import RunConfig
from core.data.base import DataError, Task
from core.data.deriving import derived_tasks
from core.language.grammar import NEVER, Action, Grammar, Rule
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import actions, predictions, runs

_told = predictions.c


@dataclass(frozen=True, eq=False)
class Learned:
    """The data that a run learns, and the grammar whose numbers it tells."""

    tasks: tuple[Task, ...]
    grammar: Grammar


def read_learned(config: RunConfig) -> Learned:
    """The run's tasks and grammar; DataError or ConfigError where the data can't be read."""
    tasks = derived_tasks(config)
    return Learned(tasks, Grammar([[row.derivation for row in task.train] for task in tasks]))


def check_same(store: Store, run: Run, learned: Learned) -> None:
    """DataError where these are not (or no longer) the data that the run has told of."""
    query = select(actions.c.action, actions.c.text).where(actions.c.run_id == run.id)
    told = {row.action: row.text for row in store.fetch(query)}
    facts, tasks = run.facts, learned.tasks
    same = facts is not None and tuple(task.name for task in tasks) == facts.tasks
    same = same and tuple(len(task.train) for task in tasks) == facts.n_train
    same = same and tuple(len(task.test) for task in tasks) == facts.n_test
    if not same or (told and told != dict(enumerate(map(str, learned.grammar.actions)))):
        raise DataError(f"The data on this machine are not those that run {run.id} learned.")


def predicted(store: Store, ids: Sequence[int]) -> set[int]:
    """Which of these runs have told predictions; quick, however many they told."""
    told = exists().where(_told.run_id == runs.c.id)
    return {row.id for row in store.fetch(select(runs.c.id).where(runs.c.id.in_(ids), told))}


def predicted_tasks(store: Store, run: int) -> tuple[int, ...]:
    """The tasks (from 0) of whose test rows the run has told predictions."""
    query = select(_told.on_task).where(_told.run_id == run, _told.row == 0).distinct()
    return tuple(sorted(row.on_task for row in store.fetch(query)))


def predictions_on(store: Store, run: int, on: int, row: int | None = None) -> pd.DataFrame:
    """What the run has told of task `on`'s test rows (or of one of them), by after and row.

    Columns: after, row, correct, complete, log_prob, first_wrong (step from 0, missing where none
    is), gold (P of each gold step, empty where the grammar can't write the form) and, for one row,
    parse (action numbers).
    """
    columns = ["after", "row", "correct", "complete", "log_prob", "first_wrong", "gold"]
    columns += [] if row is None else ["parse"]
    query = select(*(_told[name] for name in columns)).where(_told.run_id == run)
    query = query.where(_told.on_task == on).order_by(_told.after, _told.row)
    if row is not None:
        query = query.where(_told.row == row)
    return store.frame(query).astype({"first_wrong": "Int64"})


def uses(task: Task, action: Action | None) -> dict[int, list[int]]:
    """The test rows that use the action, with its steps (from 0); all rows and steps for None."""
    found = {}
    for row, example in enumerate(task.test):
        places = [t for t, step in enumerate(example.derivation) if action in (None, step.action)]
        if places:
            found[row] = places
    return found


def row_table(
    recorded: pd.DataFrame, task: Task, names: Sequence[str], action: Action | None = None
) -> pd.DataFrame:
    """The test rows that use the action (None: all rows), the worst first; `told` is told_rows'.

    Columns: row, utterance, logical_form, first and final (P of the row's gold steps of that
    action, the lowest, after the first and the last task told of; of all its steps together for
    None; NaN where the grammar can't write the form), curve (the same after each task), correct
    (after the last task), outcomes (✓ or ✗ after each task), first_wrong (step from 1 in the last
    parse), wrong_since (the task after which it has been wrong ever since).
    """
    places = uses(task, action)
    rows = sorted(places)
    columns = ["row", "utterance", "logical_form", "first", "final", "curve", "correct", "outcomes"]
    columns += ["first_wrong", "wrong_since"]
    known = recorded[recorded.row.isin(rows)]
    if known.empty:
        return pd.DataFrame(columns=columns)
    right = known.pivot(index="row", columns="after", values="correct").astype(bool)
    of = math.prod if action is None else min
    values = [
        _of_steps(gold, places[row], of) for row, gold in zip(known.row, known.gold, strict=True)
    ]
    grid = known.assign(p=values).pivot(index="row", columns="after", values="p").astype(float)
    last = known[known.after == known.after.max()].set_index("row")
    table = pd.DataFrame(index=right.index)
    table["utterance"] = [task.test[row].utterance for row in table.index]
    table["logical_form"] = [task.test[row].logical_form for row in table.index]
    table["first"], table["final"] = grid.iloc[:, 0], grid.iloc[:, -1]
    table["curve"] = list(grid.to_numpy())
    table["correct"] = right.iloc[:, -1]
    table["outcomes"] = ["".join("✓" if one else "✗" for one in row) for row in right.to_numpy()]
    table["first_wrong"] = last.first_wrong.reindex(table.index) + 1
    afters = list(right.columns)
    table["wrong_since"] = [_wrong_since(row, afters, names) for row in right.to_numpy()]
    table = table.reset_index()[columns]
    return table.sort_values(["final", "row"], na_position="last", ignore_index=True)


def _of_steps(
    gold: Sequence[float | None], places: Sequence[int], of: Callable[[list[float]], float]
) -> float:
    """P of these gold steps; NaN where it isn't told."""
    if not gold:
        return math.nan
    told = [gold[place] for place in places]
    return math.nan if None in told else float(of(told))


def _wrong_since(right: np.ndarray, afters: Sequence[int], names: Sequence[str]) -> str:
    if right[-1]:
        return ""
    since = len(right) - 1
    while since and not right[since - 1]:
        since -= 1
    return name_of(names, afters[since])


def why_not_covered(grammar: Grammar, steps: Sequence[Rule], k: int, names: Sequence[str]) -> list:
    """Of each gold step, why the parser can't take it after task k; empty where it can."""
    found = []
    for step in steps:
        slot, action = grammar.slot_ids.get(step.slot), grammar.action_ids.get(step.action)
        since = NEVER if slot is None or action is None else grammar.first_task[slot, action]
        if since == NEVER:
            found.append("not in the grammar")
        else:
            found.append("" if since <= k else f"not known before {name_of(names, int(since))}")
    return found
