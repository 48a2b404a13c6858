"""From memories to what became of them: the actions that one row alone covers, and whether runs
whose memories spread over more actions end more accurate.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from core.analysis import accuracy
from core.analysis.memory import Kept, TaskRows, entropy
from core.runs.run import Run
from core.runs.store import Store

LEAST = 4  # runs without which a rank correlation says nothing


def covered_alone(task: TaskRows, memory: Kept) -> list[tuple[str, ...]]:
    """For each row of the memory, in its order, the actions that no other of its rows shows."""
    shown = [dict.fromkeys(str(s.action) for s in task.examples[row].derivation)
             for row in memory.rows]  # fmt: skip
    times = Counter(action for actions in shown for action in actions)
    return [tuple(action for action in actions if times[action] == 1) for actions in shown]


def outcomes(
    store: Store, runs: Sequence[Run], in_memory: Mapping[int, Sequence[Mapping[str, int]]]
) -> pd.DataFrame:
    """A row for each run that has tested all of its tasks: run, entropy (nats, by frequency; the
    mean over its tasks' memories), memories (how many), whole and avg (shares, after the last).

    `in_memory` has of each run how often each action occurs in each of its memories.
    """
    curves = accuracy.curves(accuracy.cells(store, runs))
    ends = curves.groupby("run").tail(1).set_index("run")
    rows = []
    for run in runs:
        counts = in_memory.get(run.id, ())
        if run.id not in ends.index or ends.after[run.id] + 1 != len(run.tasks) or not counts:
            continue
        entropies = [entropy(np.array(list(each.values()), dtype=float)) for each in counts]
        end = {name: float(ends.loc[run.id, name]) for name in ("whole", "avg")}
        rows.append(
            {"run": run.id, "entropy": float(np.mean(entropies)), "memories": len(counts), **end}
        )
    return pd.DataFrame(rows, columns=["run", "entropy", "memories", "whole", "avg"])


def rank_correlation(table: pd.DataFrame, measure: str) -> float:
    """Spearman's ρ of entropy and accuracy; NaN for fewer than LEAST runs, or where one is even."""
    from scipy import stats  # loads for a second: not with the pages

    if len(table) < LEAST or table.entropy.nunique() == 1 or table[measure].nunique() == 1:
        return float("nan")
    return float(stats.spearmanr(table.entropy, table[measure]).statistic)
