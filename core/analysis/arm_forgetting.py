"""Forgetting over runs in different orders: by how many tasks were learned since an action was.

A run first shows an action in some task; from there on its probability on that task's training rows
is followed (see core.analysis.forgetting). In another order that is another task, so that runs are
compared by position, never by a task's name: 0 is just learned, 1 after one more task, and so on.
"""

from collections.abc import Sequence

import pandas as pd
from sqlalchemy import and_, select

from core.analysis.forgetting import CROSS, SPECIFIC
from core.runs.store import Store
from core.runs.tables import action_probabilities, actions

_columns = action_probabilities.c


def since_learned(store: Store, runs: Sequence[int]) -> pd.DataFrame:
    """Every action of these runs from the task on that shows it first: run, text, kind (whether one
    task shows it or more), since (how many tasks later), P, count (in that task's training rows).
    """
    named = and_(actions.c.run_id == _columns.run_id, actions.c.action == _columns.action)
    query = select(
        _columns.run_id.label("run"),
        actions.c.text,
        _columns.on_task.label("on"),
        _columns.after,
        _columns.mean.label("P"),
        _columns.count,
    )
    query = query.join_from(action_probabilities, actions, named)
    frame = store.frame(query.where(_columns.run_id.in_(runs)))
    key = ["run", "text"]
    tasks = frame.groupby(key, as_index=False).agg(first=("on", "min"), tasks=("on", "nunique"))
    frame = frame.merge(tasks, on=key)
    frame = frame[frame.on == frame["first"]]
    frame["kind"] = frame.tasks.gt(1).map({True: CROSS, False: SPECIFIC}).astype(object)
    frame["since"] = frame.after - frame.on
    columns = [*key, "kind", "since", "P", "count"]
    return frame[columns].sort_values([*key, "since"], ignore_index=True)


def by_kind(records: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over runs of a run's mean P: kind, since, P, deviation, runs."""
    of_run = records.groupby(["kind", "since", "run"], as_index=False).P.mean()
    return of_run.groupby(["kind", "since"], as_index=False).agg(
        P=("P", "mean"), deviation=("P", "std"), runs=("run", "nunique")
    )


def by_action(records: pd.DataFrame, since: int) -> pd.DataFrame:
    """Each action's forgetting `since` tasks later, over the runs that learned as many since.

    Columns: text, kind (of most runs), forgetting (P just learned less P then) and deviation over
    runs, runs, learned and left (the mean P of both), curve (mean P by tasks since); the most
    forgotten first.
    """
    grid = records.pivot(index=["text", "run"], columns="since", values="P")
    if since not in grid.columns:
        names = ["text", "kind", "forgetting", "deviation", "runs", "learned", "left", "curve"]
        return pd.DataFrame(columns=names)
    lost = (grid[0] - grid[since]).rename("forgetting").dropna()
    table = lost.groupby("text").agg(["mean", "std", "size"])
    table.columns = ["forgetting", "deviation", "runs"]
    same = grid.loc[lost.index]
    table["learned"], table["left"] = (same[at].groupby("text").mean() for at in (0, since))
    table["kind"] = records.groupby("text").kind.agg(lambda kinds: kinds.mode().iloc[0])
    curves = grid.groupby("text").mean()
    table["curve"] = [curves.loc[text].dropna().tolist() for text in table.index]
    return table.sort_values("forgetting", ascending=False, kind="stable").reset_index()
