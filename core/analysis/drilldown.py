"""From an action to the rows that use it, and from a row to its parse after every task.

A run has recorded, for each test row of the tasks seen, the top hypothesis and P of each gold step
(teacher-forced). What the rows say and what their gold steps are comes from the data set.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from sqlalchemy import select

from core.analysis.forgetting import name_of
from core.analysis.recorded import runs_with
from core.config import RunConfig
from core.data.base import DataError, Task
from core.data.deriving import derived_tasks
from core.data.io.kept import Kept
from core.language.derivation import Action, Rule
from core.language.grammar import NEVER, Grammar
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import actions, predictions

_columns = predictions.c


@dataclass(frozen=True, eq=False)
class Learned:
    """The data that a run learns, and the grammar whose numbers it records."""

    tasks: tuple[Task, ...]
    grammar: Grammar


_learned: Kept[Learned] = Kept(8)  # by identity of the tasks, which each keeps


def read_learned(config: RunConfig) -> Learned:
    """The run's tasks and grammar; DataError or ConfigError where the data can't be read."""
    tasks = derived_tasks(config)

    def make() -> Learned:
        training = [[row.derivation for row in task.train] for task in tasks]
        return Learned(tasks, Grammar(training, config.applicable))

    return _learned.get((id(tasks), config.applicable), make)


def check_same(store: Store, run: Run, learned: Learned) -> None:
    """DataError where these are not (or no longer) the data that the run has learned."""
    query = select(actions.c.action, actions.c.text).where(actions.c.run_id == run.id)
    recorded = {row.action: row.text for row in store.fetch(query)}
    sizes = [(task.name, len(task.train), len(task.test)) for task in learned.tasks]
    facts = run.facts
    same = facts is not None and sizes == list(
        zip(facts.tasks, facts.n_train, facts.n_test, strict=True)
    )
    texts = dict(enumerate(map(str, learned.grammar.actions)))
    if not same or recorded not in ({}, texts):
        raise DataError(f"The data on this machine are not those that run {run.id} learned.")


def predicted(store: Store, ids: Sequence[int]) -> set[int]:
    """Which of these runs have recorded predictions."""
    return runs_with(store, predictions, ids)


def predicted_tasks(store: Store, run: int) -> tuple[int, ...]:
    """The tasks (from 0) of whose test rows the run has recorded predictions."""
    query = select(_columns.on_task).where(_columns.run_id == run, _columns.row == 0).distinct()
    return tuple(sorted(row.on_task for row in store.fetch(query)))


def predictions_on(store: Store, run: int, on: int, row: int | None = None) -> pd.DataFrame:
    """What the run has recorded of task `on`'s test rows (or of one of them), by after and row.

    Columns: after, row, correct, complete, log_prob, first_wrong (step from 0, missing where none
    is), gold (P of each gold step, empty where the grammar doesn't cover the form) and, for one
    row, parse (action numbers).
    """
    columns = ["after", "row", "correct", "complete", "log_prob", "first_wrong", "gold"]
    columns += [] if row is None else ["parse"]
    query = select(*(_columns[name] for name in columns)).where(_columns.run_id == run)
    query = query.where(_columns.on_task == on).order_by(_columns.after, _columns.row)
    if row is not None:
        query = query.where(_columns.row == row)
    return store.frame(query).astype({"first_wrong": "Int64"})


def uses(task: Task, action: Action | None) -> dict[int, list[int]]:
    """The test rows that use the action, with its steps (from 0); all rows and steps for None."""
    used = {}
    for row, example in enumerate(task.test):
        steps = [t for t, rule in enumerate(example.derivation) if action in (None, rule.action)]
        if steps:
            used[row] = steps
    return used


def row_table(
    recorded: pd.DataFrame, task: Task, names: Sequence[str], action: Action | None = None
) -> pd.DataFrame:
    """The test rows that use the action (None: all rows), the worst first; `recorded` is
    predictions_on's.

    Columns: row, utterance, logical_form, first and final (P of the row's gold steps of that
    action, the lowest, after the first and the last task recorded; of all its steps together for
    None; NaN where the grammar doesn't cover the form), curve (the same after each task), correct
    (after the last task), outcomes (✓ or ✗ after each task), first_wrong (step from 1 in the last
    parse), wrong_since (the task after which it has been wrong ever since).
    """
    steps = uses(task, action)
    rows = sorted(steps)
    columns = ["row", "utterance", "logical_form", "first", "final", "curve", "correct", "outcomes"]
    columns += ["first_wrong", "wrong_since"]
    known = recorded[recorded.row.isin(rows)]
    if known.empty:
        return pd.DataFrame(columns=columns)
    right = known.pivot(index="row", columns="after", values="correct").astype(bool)
    of = math.prod if action is None else min
    values = [
        _of_steps(gold, steps[row], of) for row, gold in zip(known.row, known.gold, strict=True)
    ]
    grid = known.assign(p=values).pivot(index="row", columns="after", values="p").astype(float)
    last = known[known.after == known.after.max()].set_index("row")
    table = pd.DataFrame(index=right.index)
    table["utterance"] = [task.test[row].utterance for row in table.index]
    table["logical_form"] = [task.test[row].logical_form for row in table.index]
    table["first"], table["final"] = grid.iloc[:, 0], grid.iloc[:, -1]
    table["curve"] = list(grid.to_numpy())
    table["correct"] = right.iloc[:, -1]
    table["outcomes"] = ["".join(np.where(row, "✓", "✗")) for row in right.to_numpy()]
    table["first_wrong"] = last.first_wrong.reindex(table.index) + 1
    afters = list(right.columns)
    table["wrong_since"] = [_wrong_since(row, afters, names) for row in right.to_numpy()]
    table = table.reset_index()[columns]
    return table.sort_values(["final", "row"], na_position="last", ignore_index=True)


def _of_steps(
    gold: Sequence[float | None], steps: Sequence[int], of: Callable[[list[float]], float]
) -> float:
    """P of these gold steps; NaN where it isn't recorded."""
    known = [p for step in steps if gold and (p := gold[step]) is not None]
    return float(of(known)) if len(known) == len(steps) else math.nan


def _wrong_since(right: npt.NDArray[np.bool_], afters: Sequence[int], names: Sequence[str]) -> str:
    if right[-1]:
        return ""
    since = len(right) - 1
    while since and not right[since - 1]:
        since -= 1
    return name_of(names, afters[since])


def why_not_covered(
    grammar: Grammar, derivation: Sequence[Rule], k: int, names: Sequence[str]
) -> list[str]:
    """Of each gold step, why the parser can't take it after task k; empty where it can."""
    reasons = []
    for rule in derivation:
        slot, action = grammar.slot_ids.get(rule.slot), grammar.action_ids.get(rule.action)
        first = NEVER if slot is None or action is None else grammar.first_task[slot, action]
        if first == NEVER:
            reasons.append("not in the grammar")
        else:
            reasons.append("" if first <= k else f"not known before {name_of(names, int(first))}")
    return reasons
