"""Forgetting, backward and forward transfer of a run: published definitions, each by its name.

They differ on the same matrix: the best is taken over the earlier rows or over all of them, and
what is left is held against the best or against what was there when a task had just been learned.
R[k, i] in formulas is acc[k, i], there counted from 1. What is not known is NaN in the matrix, and
a measure that needs it is NaN, never 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Values = Callable[[Array, Array], float]  # of acc (K, K) and ã (K,)


@dataclass(frozen=True)
class Measure:
    """A published definition: what it is called, where it stands, its formula, how to compute it.

    `needs` is what it takes besides the accuracies that every run records.
    """

    label: str
    source: str
    formula: str  # LaTeX, after task K
    words: str
    of: Values
    needs: str = ""  # "", "zero-shot" or "alone"


def _best_before(acc: Array, alone: Array) -> float:
    K = len(acc)
    return _mean([acc[i : K - 1, i].max() - acc[K - 1, i] for i in range(K - 1)])


def _best_of_all(acc: Array, alone: Array) -> float:
    K = len(acc)
    return _mean([acc[i:, i].max() - acc[K - 1, i] for i in range(K - 1)])


def _just_learned(acc: Array, alone: Array) -> float:
    K = len(acc)
    return _mean([acc[i, i] - acc[K - 1, i] for i in range(K - 1)])


def _backward(acc: Array, alone: Array) -> float:
    K = len(acc)
    return _mean([acc[K - 1, i] - acc[i, i] for i in range(K - 1)])


def _backward_throughout(acc: Array, alone: Array) -> float:
    return _mean([acc[k, i] - acc[i, i] for k in range(1, len(acc)) for i in range(k)])


def _forward_zero_shot(acc: Array, alone: Array) -> float:
    return _mean([acc[i - 1, i] for i in range(1, len(acc))])  # less b_i = 0


def _forward_alone(acc: Array, alone: Array) -> float:
    return _mean([acc[i, i] - alone[i] for i in range(1, len(acc))])


def _mean(terms: Sequence[float]) -> float:
    return float(np.mean(terms)) if terms else float("nan")


MEASURES: Mapping[str, Measure] = {
    "forgetting": Measure(
        "Forgetting, best before",
        "Chaudhry et al. (2018), Riemannian Walk for Incremental Learning",
        r"F_K = \frac{1}{K-1} \sum_{i=1}^{K-1} \Bigl( \max_{i \le l \le K-1} R_{l,i} - R_{K,i} "
        r"\Bigr)",
        "From the best accuracy before the last task to the accuracy after it. Negative where a "
        "task ends better than it ever was. Their l begins at 1; tasks not learned yet are not "
        "tested here.",
        _best_before,
    ),
    "forgetting_all": Measure(
        "Forgetting, best of all",
        "Buzzega et al. (2020), as their framework Mammoth computes it",
        r"F_K = \frac{1}{K-1} \sum_{i=1}^{K-1} \Bigl( \max_{i \le l \le K} R_{l,i} - R_{K,i} "
        r"\Bigr)",
        "From the best accuracy of all, the last one included, to the last. Never negative: what "
        "a task gains counts as nothing.",
        _best_of_all,
    ),
    "forgetting_learned": Measure(
        "Forgetting, just learned",
        "Villa et al. (2022), vCLIMB: backward forgetting",
        r"\mathrm{BWF}_K = \frac{1}{K-1} \sum_{i=1}^{K-1} \left( R_{i,i} - R_{K,i} \right)",
        "From the accuracy on a task that has just been learned to that after the last task: "
        "backward transfer with the opposite sign. A gain in between does not count.",
        _just_learned,
    ),
    "backward": Measure(
        "Backward transfer",
        "Lopez-Paz and Ranzato (2017), Gradient Episodic Memory",
        r"\mathrm{BWT} = \frac{1}{K-1} \sum_{i=1}^{K-1} \left( R_{K,i} - R_{i,i} \right)",
        "What the later tasks have changed in the accuracy on each earlier one, in the end.",
        _backward,
    ),
    "backward_throughout": Measure(
        "Backward transfer, throughout",
        "Díaz-Rodríguez et al. (2018), Don't Forget, There is More than Forgetting",
        r"\mathrm{BWT} = \frac{2}{K(K-1)} \sum_{k=2}^{K} \sum_{i=1}^{k-1} "
        r"\left( R_{k,i} - R_{i,i} \right)",
        "The same after every task rather than after the last alone.",
        _backward_throughout,
    ),
    "forward": Measure(
        "Forward transfer, zero-shot",
        "Lopez-Paz and Ranzato (2017), Gradient Episodic Memory",
        r"\mathrm{FWT} = \frac{1}{K-1} \sum_{i=2}^{K} \left( R_{i-1,i} - b_i \right), "
        r"\qquad b_i = 0",
        "The accuracy on a task just before it is learned. Their b is that of a parser that has "
        "learned nothing: it knows no action here and writes no form, so b is 0.",
        _forward_zero_shot,
        needs="zero-shot",
    ),
    "forward_alone": Measure(
        "Forward transfer, against alone",
        "Wang et al. (2024), A Comprehensive Survey of Continual Learning",
        r"\mathrm{FWT} = \frac{1}{K-1} \sum_{i=2}^{K} \left( R_{i,i} - \tilde{a}_i \right)",
        "What the tasks before have changed in how well a task is learned. ã is the accuracy on "
        "it of a parser that learned it from its initial parameters: the mean over the stored runs "
        "of the same settings that learned it first (another seed or order of tasks).",
        _forward_alone,
        needs="alone",
    ),
}
