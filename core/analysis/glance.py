"""All actions of all tasks at once: P by group of actions after each task, and drops against how
often an action stands in memory.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from core.analysis.forgetting import COVERED, NOT_COVERED, action_table, name_of, origins
from core.runs.run import Run
from core.runs.store import Store

GROUPS = {"task": "task alone", "kind": "kind", "memory": "memory", "count": "count"}
COUNT_GROUPS = {  # occurrences in the task's training rows, at least and at most
    "once": (1, 1),
    "2–5 times": (2, 5),
    "6–20 times": (6, 20),
    "21+ times": (21, None),
}
BINS = (0, 1, 2, 4, 8, 16, 32, 64, 128)  # occurrences in memory: from here to below the next
LEAST = 3  # actions without which a rank correlation says nothing


def all_actions(
    store: Store, run: Run, in_memory: Mapping[int, Mapping[str, int]] | None = None
) -> pd.DataFrame:
    """`action_table` of every task recorded, one under the other, with origin (from 0), in_memory
    (how often the action stands in what the memory keeps of that task; missing where not known).
    """
    parts = []
    for origin in origins(store, run.id).on:
        counts = None if in_memory is None else in_memory.get(int(origin))
        table = action_table(store, run, int(origin), None if counts is None else set(counts))
        kept = [None if counts is None else counts.get(text, 0) for text in table.text]
        parts.append(table.assign(origin=int(origin), in_memory=pd.array(kept, dtype="Int64")))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def group_names(table: pd.DataFrame, by: str) -> pd.Series:
    """The group of each action of `all_actions` within its task; "" for all of them."""
    if by == "kind":
        return table.kind
    if by == "memory":
        return table.memory.map({COVERED: "in memory", NOT_COVERED: "not in memory"}).fillna("")
    if by == "count":
        return table["count"].map(_count_name)
    return pd.Series("", index=table.index)


def _count_name(count: int) -> str:
    return next(name for name, (_, high) in COUNT_GROUPS.items() if high is None or count <= high)


def grid(table: pd.DataFrame, by: str, tasks: Sequence[str]) -> pd.DataFrame:
    """A row for each group of each task: origin, group, label, n (actions), first, final, drop and
    curve (means over its actions; curve after every task of the run, NaN before the origin).
    """
    names, rows = group_names(table, by), []
    length = max((o + len(c) for o, c in zip(table.origin, table.curve, strict=True)), default=0)
    for (origin, group), part in table.groupby([table.origin, names], sort=True):
        curve = np.full(length, np.nan)
        values = np.array([*part.curve], dtype=float)
        curve[origin : origin + values.shape[1]] = values.mean(axis=0)
        label = f"{origin + 1} · {name_of(tasks, origin)}"
        means = {name: float(part[name].mean()) for name in ("first", "final", "drop")}
        row = {"origin": int(origin), "group": group, "label": label, "n": len(part)}
        rows.append(row | means | {"curve": curve})
    return pd.DataFrame(rows)


def ordered(table: pd.DataFrame, order: str) -> pd.DataFrame:
    """The rows of `grid` by task, or with the most (or least) forgotten first."""
    if order == "task" or table.empty:
        return table
    return table.sort_values("drop", ascending=order == "least", kind="stable", ignore_index=True)


def against_memory(table: pd.DataFrame) -> pd.DataFrame:
    """Mean drop by how often actions stand in memory: low, high (below which), n, x (mean
    occurrences), drop, deviation (of the sample); `table` is `all_actions`'.
    """
    known = table[table["drop"].notna() & table.in_memory.notna()]
    counts = known.in_memory.astype(int).to_numpy()
    bins = np.searchsorted(BINS, counts, side="right") - 1
    rows = []
    for index in np.unique(bins):
        part = known[bins == index]
        high = BINS[index + 1] if index + 1 < len(BINS) else None
        row: dict[str, Any] = {"low": BINS[index], "high": high, "n": len(part)}
        row |= {"x": float(counts[bins == index].mean()), "drop": float(part["drop"].mean())}
        rows.append(row | {"deviation": float(part["drop"].std(ddof=1))})
    return pd.DataFrame(rows, columns=["low", "high", "n", "x", "drop", "deviation"])


def rank_correlation(table: pd.DataFrame) -> float:
    """Spearman's, of drop and occurrences in memory; NaN where it says nothing."""
    from scipy import stats  # loads for a second: not with the pages

    known = table[table["drop"].notna() & table.in_memory.notna()]
    counts = known.in_memory.astype(float)
    if len(known) < LEAST or counts.nunique() < 2 or known["drop"].nunique() < 2:
        return float("nan")
    return float(stats.spearmanr(counts, known["drop"]).statistic)
