"""Productions against Smatch: how far two similarities of logical forms say the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.language.tree import Node
from core.similarity.base import all_pairs
from core.similarity.clusters import k_medoids
from core.similarity.productions import ProductionSimilarity
from core.similarity.smatch import SmatchSimilarity
from core.stopping import ShouldStop, never

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class SimilarityComparison:
    """What two similarities say of the pairs of some forms, and how far their clusters agree."""

    forms: Array  # (forms,) numbers of the forms compared, ascending
    pairs: pd.DataFrame  # left, right (numbers of forms), productions, smatch
    rank_correlation: float  # Spearman's, over the pairs; NaN where one of them is constant
    adjusted_rand: float  # of the two clusterings in `clusters` each (Hubert and Arabie, 1985)
    clusters: int


def sample_forms(count: int, most: int, seed: int) -> Array:
    """All numbers below `count`, or `most` of them drawn evenly; ascending."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, size=most, replace=False))


def compare(
    trees: Sequence[Node],
    forms: Array,
    k: int,
    seed: int,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
    should_stop: ShouldStop = never,
) -> SimilarityComparison:
    """The two similarities of these trees, `forms` being their numbers.

    `progress` takes the pairs aligned and in all. Stopped where `should_stop` asks for it,
    OSError where Smatch's process or its cache fails.
    """
    productions = all_pairs(ProductionSimilarity(trees))
    smatch = all_pairs(SmatchSimilarity(trees, progress=progress, should_stop=should_stop))
    return compare_matrices(forms, productions, smatch, k, seed)


def compare_matrices(
    forms: Array,
    productions: Array,
    smatch: Array,
    k: int,
    seed: int,
) -> SimilarityComparison:
    """Of two matrices of similarities, (n, n) each; both are clustered from equal starts."""
    from scipy import stats  # loads for a second: not with the pages
    from sklearn.metrics import adjusted_rand_score  # an import of seconds that few need

    left, right = np.triu_indices(len(forms), 1)
    first, second = productions[left, right], smatch[left, right]
    constant = len(left) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0
    correlation = np.nan if constant else float(stats.spearmanr(first, second).statistic)
    labels = [
        k_medoids(1 - matrix, k, np.random.default_rng(seed)).labels
        for matrix in (productions, smatch)
    ]
    columns = {"left": forms[left], "right": forms[right], "productions": first, "smatch": second}
    rand, clusters = float(adjusted_rand_score(*labels)), len(np.unique(labels[0]))
    return SimilarityComparison(forms, pd.DataFrame(columns), correlation, rand, clusters)
