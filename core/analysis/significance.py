"""Whether arms differ: paired differences, exact tests, corrected for their number, and ranks.

What is compared is always within a pair of task order and seed: arms that learned the same tasks in
the same order from the same start. Tables of values have a row for each pair and a column for each
arm; a pair that an arm has not finished is left out by the caller (`complete`).

Wilcoxon, Individual comparisons by ranking methods, Biometrics 1945; Holm, A simple sequentially
rejective multiple test procedure, Scand. J. Statist. 1979; Efron, Better bootstrap confidence
intervals, JASA 1987 (BCa); Demšar, Statistical comparisons of classifiers over multiple data sets,
JMLR 2006.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 9_999
COVERED = {2: 50, 3: 72, 4: 79, 5: 84, 6: 85, 7: 87, 8: 88, 9: 90}  # see `bca_interval`
_DIGITS = 9  # of percent
_MOST_ENUMERATED = 16  # pairs whose 2^n signs are all gone through where ranks are tied


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of the arms, 1 the best, and what they differ by at random (Demšar, 2006)."""

    arms: tuple[str, ...]  # best first
    mean_ranks: tuple[float, ...]
    n_pairs: int
    chi2: float  # Friedman's statistic, equation (6) there
    f: float  # Iman and Davenport's, equation (7)
    p: float  # of f, with k − 1 and (k − 1)(N − 1) degrees of freedom, at least smallest_p
    smallest_p: (
        float  # that so many arms and pairs can give: all pairs rank alike, (1 / k!)^(N − 1)
    )
    critical_difference: float  # Nemenyi's, section 3.2.2
    groups: tuple[tuple[str, ...], ...]  # arms within it of one another


def complete(values: pd.DataFrame) -> pd.DataFrame:
    """The rows (pairs) that every arm has finished."""
    return values.dropna()


def smallest_p(n: int) -> float:
    """The smallest two-sided p that the exact signed-rank test of n pairs can give: 2^(1 − n)."""
    return math.nan if n < 1 else 2.0 ** (1 - n)


def wilcoxon_p(differences: Sequence[float]) -> float:
    """p of the two-sided signed-rank test, exact also with ties up to 16 pairs; zeros are dropped.

    1 where no difference is left, missing where there is no pair. Differences count as equal where
    they are but for rounding.
    """
    from scipy import stats  # loads for a second: not with the pages

    given = np.round(np.asarray(differences, dtype=float), _DIGITS)
    left = given[given != 0]
    if not len(left):
        return 1.0 if len(given) else math.nan
    tied = len(np.unique(np.abs(left))) < len(left)
    if not tied:
        return float(stats.wilcoxon(left, method="exact").pvalue)
    signs = stats.PermutationMethod(n_resamples=2**_MOST_ENUMERATED, rng=np.random.default_rng(0))
    return min(1.0, float(stats.wilcoxon(left, method=signs).pvalue))


def bca_interval(differences: Sequence[float]) -> tuple[float, float]:
    """The 95 % BCa bootstrap interval of the mean difference, drawn over pairs.

    Missing for fewer than two pairs; the value itself where all are equal. Over few pairs it is
    too narrow: in how many percent of 2,000 simulated samples of normal values it held their mean,
    COVERED says by the number of pairs.
    """
    from scipy import stats  # loads for a second: not with the pages

    values = np.asarray(differences, dtype=float)
    if len(values) < 2:
        return (math.nan, math.nan)
    if np.ptp(values) == 0:
        return (float(values[0]), float(values[0]))
    interval = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="BCa",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return (float(interval.low), float(interval.high))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values corrected for their number: step down from the smallest, never falling."""
    order = np.argsort(p_values, kind="stable")
    corrected, least = [0.0] * len(order), 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * float(p_values[at])))
        corrected[at] = least
    return corrected


def differences(values: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Every other arm less the reference, over the pairs that both have finished.

    Columns: arm, n, difference (mean), low, high (95 % BCa), p (exact Wilcoxon, two-sided), p_holm
    (corrected for all arms with a p), smallest_p (that n pairs can give).
    """
    rows = []
    for arm in values.columns:
        if arm == reference:
            continue
        both = values[[arm, reference]].dropna()
        paired = (both[arm] - both[reference]).to_numpy()
        low, high = bca_interval(paired)
        mean = float(paired.mean()) if len(paired) else math.nan
        row = {"arm": arm, "n": len(paired), "difference": mean, "low": low, "high": high}
        rows.append(row | {"p": wilcoxon_p(paired), "smallest_p": smallest_p(len(paired))})
    columns = ["arm", "n", "difference", "low", "high", "p", "smallest_p"]
    table = pd.DataFrame(rows, columns=columns)
    tested = table.p.notna()
    table.insert(6, "p_holm", math.nan)
    table.loc[tested, "p_holm"] = holm(list(table.p[tested]))
    return table


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Nemenyi's: mean ranks of k arms over n pairs that differ by more differ at this level."""
    from scipy import stats  # loads for a second: not with the pages

    q = stats.studentized_range.ppf(1 - alpha, k, math.inf) / math.sqrt(2)
    return float(q * math.sqrt(k * (k + 1) / (6 * n)))


def ranks(values: pd.DataFrame) -> Ranks | None:
    """The arms by their mean rank over complete pairs; None below 2 arms or 2 such pairs."""
    from scipy import stats  # loads for a second: not with the pages

    whole = complete(values)
    n, k = whole.shape
    if n < 2 or k < 2:
        return None
    mean = stats.rankdata(-whole.to_numpy(), axis=1).mean(axis=0)
    chi2 = 12 * n / (k * (k + 1)) * (float((mean**2).sum()) - k * (k + 1) ** 2 / 4)
    below = n * (k - 1) - chi2
    f = (n - 1) * chi2 / below if below > 1e-12 else math.inf
    least = math.exp((1 - n) * math.lgamma(k + 1))  # every pair ranks the arms alike
    p = max(least, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))
    order = np.argsort(mean, kind="stable")
    arms = tuple(str(whole.columns[at]) for at in order)
    sorted_ranks = tuple(float(mean[at]) for at in order)
    cd = critical_difference(k, n)
    return Ranks(arms, sorted_ranks, n, chi2, f, p, least, cd, _groups(arms, sorted_ranks, cd))


def _groups(
    arms: Sequence[str], mean_ranks: Sequence[float], cd: float
) -> tuple[tuple[str, ...], ...]:
    """The longest stretches of arms of which none differs from another by more than cd."""
    groups, reached = [], 0
    for first in range(len(arms)):
        last = max(at for at in range(len(arms)) if mean_ranks[at] - mean_ranks[first] <= cd)
        if last > first and last + 1 > reached:
            groups.append(tuple(arms[first : last + 1]))
        reached = max(reached, last + 1)
    return tuple(groups)


def effects(values: pd.DataFrame) -> pd.DataFrame | None:
    """How much of an arm's spread comes from the order and how much from the seed.

    `values` has a row for each pair, indexed by (order, seed), and a column for each arm. Where
    every order comes with every seed: standard deviations of the two, and of the rest (their
    interaction), from the mean squares of a two-way layout without replication. Where only one of
    the two varies, its own. None where they vary together, so that they can't be told apart.

    Columns: arm, n, order, seed, rest (standard deviations; missing where not known).
    """
    whole = complete(values)
    n_orders, n_seeds = (whole.index.get_level_values(level).nunique() for level in (0, 1))
    if len(whole) < 2 or len(whole) != n_orders * n_seeds:
        return None
    rows = []
    for arm in whole.columns:
        grid = whole[arm].unstack()  # (orders, seeds)
        rows.append({"arm": arm, "n": len(whole), **_components(grid.to_numpy(dtype=float))})
    return pd.DataFrame(rows, columns=["arm", "n", "order", "seed", "rest"])


def _components(grid: NDArray[np.float64]) -> dict[str, float]:
    n_orders, n_seeds = grid.shape
    if n_seeds == 1:
        return {"order": float(grid.std(ddof=1)), "seed": math.nan, "rest": math.nan}
    if n_orders == 1:
        return {"order": math.nan, "seed": float(grid.std(ddof=1)), "rest": math.nan}
    by_order, by_seed = grid.mean(axis=1, keepdims=True), grid.mean(axis=0, keepdims=True)
    rest = grid - by_order - by_seed + grid.mean()
    rest_square = float((rest**2).sum()) / ((n_orders - 1) * (n_seeds - 1))
    order_square = n_seeds * float(by_order.var(ddof=1))
    seed_square = n_orders * float(by_seed.var(ddof=1))
    return {
        "order": math.sqrt(max(0.0, order_square - rest_square) / n_seeds),
        "seed": math.sqrt(max(0.0, seed_square - rest_square) / n_orders),
        "rest": math.sqrt(rest_square),
    }
