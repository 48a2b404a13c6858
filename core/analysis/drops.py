"""Whether some actions are forgotten more than others: a rank test of their drops.

Mann and Whitney's U (1947), two-sided. Actions of one run are not independent draws, so that p
describes how far apart the groups are rather than how likely chance is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.analysis.forgetting import COVERED, CROSS, NOT_COVERED, SPECIFIC

Drops = npt.NDArray[np.float64]
LEVEL, LEAST = 0.05, 3  # a test that could never reach the level, or of fewer, says nothing


@dataclass(frozen=True, eq=False)
class Comparison:
    """The drops of two groups of actions, and how they compare."""

    name: str
    groups: tuple[tuple[str, Drops], ...]  # two names with the drops of their actions
    u: float  # of the first group; NaN where the test says nothing
    p: float
    larger: float  # U / (n₁ n₂): P that one of the first drops more than one of the second
    why: str  # why there is no test; empty where there is one


def compare(name: str, groups: Sequence[tuple[str, Drops]]) -> Comparison:
    """The two groups' drops by rank; NaN among them are left out."""
    from scipy import stats  # loads for a second: not with the pages

    known = tuple((label, drops[~np.isnan(drops)]) for label, drops in groups)
    (_, left), (_, right) = known
    why = _too_little(known)
    if why:
        return Comparison(name, known, math.nan, math.nan, math.nan, why)
    result = stats.mannwhitneyu(left, right, alternative="two-sided")
    u = float(result.statistic)
    return Comparison(name, known, u, float(result.pvalue), u / (len(left) * len(right)), "")


def _too_little(groups: Sequence[tuple[str, Drops]]) -> str:
    (first, left), (second, right) = groups
    if not len(left) or not len(right):
        return f"no action is {second if len(left) else first}"
    if min(len(left), len(right)) < LEAST:
        return f"fewer than {LEAST} actions are {second if len(right) < len(left) else first}"
    smallest = 2 / math.comb(len(left) + len(right), len(left))
    if smallest > LEVEL:
        return f"too few actions: p could not fall below {smallest:.2g}"
    if np.ptp(np.concatenate([left, right])) == 0:
        return "all drops are equal"
    return ""


def comparisons(table: pd.DataFrame) -> tuple[Comparison, ...]:
    """Task-specific against cross-task actions, and not covered by the memory against covered
    ones, among all actions and among the task-specific alone; `table` is action_table's.
    """
    drops = table["drop"].to_numpy(dtype=float)
    specific = (table.kind == SPECIFIC).to_numpy()
    inside, outside = (table.memory == COVERED).to_numpy(), (table.memory == NOT_COVERED).to_numpy()
    return (
        compare("Kind", [(SPECIFIC, drops[specific]), (CROSS, drops[~specific])]),
        compare("Memory", [(NOT_COVERED, drops[outside]), (COVERED, drops[inside])]),
        compare(
            "Memory, task-specific actions",
            [(NOT_COVERED, drops[outside & specific]), (COVERED, drops[inside & specific])],
        ),
    )


def in_numbers(comparisons: Sequence[Comparison]) -> pd.DataFrame:
    """A row for each comparison: name, groups with n and median, U, p, larger, why."""
    rows = []
    for each in comparisons:
        row: dict[str, object] = {"comparison": each.name}
        for at, (label, drops) in enumerate(each.groups, start=1):
            median = float(np.median(drops)) if len(drops) else math.nan
            row |= {f"group_{at}": label, f"n_{at}": len(drops), f"median_{at}": median}
        row |= {"u": each.u, "p": each.p, "larger": each.larger, "why": each.why}
        rows.append(row)
    return pd.DataFrame(rows)
