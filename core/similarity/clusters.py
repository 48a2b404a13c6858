"""K-medoids clusters of logical forms on 1 − sim (the paper's §4.2; Park and Jun, 2009).

Engines given points at distance zero return empty and repeated clusters, so they see one point of
each such group. None takes multiplicities; where they are to count, they weigh the draw of the
starts and the loss by which the best result is kept.

Beyond a given size of the matrix of distances, samples take over as in CLARA (Kaufman and
Rousseeuw, 1990): K-medoids of a sample, every point to the nearest of its medoids, the best of
several samples, each of which holds the best medoids so far. scikit-learn-extra's CLARA needs a
metric on vectors, which a similarity of trees is not.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.free_ram import available_bytes
from core.options import ConfigError, option
from core.similarity.base import Forms, Similarity, all_pairs
from core.similarity.engines import ENGINES, check_engine, installed
from core.similarity.productions import ProductionSimilarity
from core.similarity.smatch import SmatchSimilarity
from core.stopping import ShouldStop, never

SIMILARITIES: dict[str, Callable[..., Similarity]] = {  # of (trees, *, should_stop=never)
    "productions": ProductionSimilarity,
    "smatch": SmatchSimilarity,
}
STARTS = 10
SAMPLES = 5
SAMPLE_SIZE = 2000  # of a CLARA sample, where k doesn't ask for more
BLOCK = 4096  # points whose distances to the medoids are held at a time


@dataclass(frozen=True, eq=False)
class Clustering:
    """n points in k non-empty clusters; each medoid lies in its own cluster."""

    labels: NDArray[Any]  # (n,) cluster of each point
    medoids: NDArray[Any]  # (k,) the point in the middle of each cluster
    loss: float  # sum over the points, weighted, of the distance to their medoid
    engine: str


@dataclass(frozen=True)
class ClusterOptions:
    """How a sampler clusters logical forms."""

    similarity: str = option(
        "productions",
        "what makes two logical forms alike: shared productions, or Smatch (minutes to hours)",
        choices=tuple(SIMILARITIES),
        label="Logical forms are alike by",
    )
    clustering: str = option(
        "alternate",
        "K-medoids algorithm: alternate is fast; pam is slow and better, where the package "
        "scikit-learn-extra is installed; fasterpam is both, where kmedoids is",
        choices=tuple(ENGINES),
        offered=installed,
    )
    weighted: bool = option(
        False,
        "a form counts as often as it has rows, in drawing the starts and in choosing the best "
        "result (no algorithm here takes weights in between); off: rare forms count as much",
        label="Forms count as often as rows",
    )
    matrix_mb: int = option(
        1000,
        "largest matrix of distances, in MB (1000: 15,811 distinct forms); more forms are "
        "clustered by samples (CLARA)",
        low=1,
        high=1_000_000,
        label="Largest matrix of distances (MB)",
    )

    def __post_init__(self) -> None:
        try:
            check_engine(self.clustering)
        except ValueError as error:
            raise ConfigError(str(error)) from None


def cluster_forms(
    forms: Forms,
    k: int,
    options: ClusterOptions,
    rng: np.random.Generator,
    should_stop: ShouldStop = never,
) -> Clustering:
    """min(k, forms) clusters of the distinct forms.

    Stopped where `should_stop` asks for it while Smatch aligns forms. MemoryError, before anything
    is built, where the matrix of distances needs more than is free.
    """
    n = len(forms)
    if k >= n:
        return _each_alone(n, options.clustering)
    similarity = SIMILARITIES[options.similarity](forms.trees, should_stop=should_stop)
    weights = forms.multiplicities if options.weighted else None
    if matrix_bytes(n) > options.matrix_mb * 10**6:
        return clara(similarity, k, rng, options.clustering, weights)
    check_memory(n)
    distances = all_pairs(similarity)
    np.subtract(1, distances, out=distances)
    return k_medoids(distances, k, rng, options.clustering, weights)


def matrix_bytes(n: int) -> int:
    """Bytes of the distances of n forms, in float32."""
    return 4 * n * n


def check_memory(n: int) -> None:
    """MemoryError where the distances of n forms and the work on them don't fit."""
    free, needed = available_bytes(), 2 * matrix_bytes(n)
    if free is not None and needed > free:
        raise MemoryError(
            f"The distances of {n:,} logical forms need {needed / 1e9:.1f} GB and {free / 1e9:.1f} "
            "GB are free; a lower matrix_mb has them clustered by samples."
        )


def k_medoids(
    distances: NDArray[Any],
    k: int,
    rng: np.random.Generator,
    engine: str = "alternate",
    weights: NDArray[Any] | None = None,
    starts: int = STARTS,
) -> Clustering:
    """min(k, n) clusters of n points, the best that the engine finds from several starts.

    `distances` is (n, n), symmetric, zero on the diagonal and float; `weights` (n,) are positive.
    Where fewer than k points are at a distance from one another, each of those has a cluster and
    the heaviest of the others have the rest. ValueError where k or the engine is none.
    """
    check_engine(engine)
    if k < 1:
        raise ValueError(f"k = {k}: expected at least one cluster.")
    n = len(distances)
    weights = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    if k >= n:
        return _each_alone(n, engine)
    distinct = np.flatnonzero((distances == 0).argmax(axis=1) == np.arange(n))
    if len(distinct) <= k:
        others = np.setdiff1d(np.arange(n), distinct)
        heaviest = others[np.argsort(-weights[others], kind="stable")]
        proposals: Iterable[NDArray[Any]] = [
            np.concatenate([distinct, heaviest[: k - len(distinct)]])
        ]
    elif k == 1:  # the exact middle, which no engine needs to look for
        proposals = [distinct[[np.argmin(distances[distinct] @ weights.astype(distances.dtype))]]]
    else:
        points = distances if len(distinct) == n else distances[np.ix_(distinct, distinct)]
        proposals = (
            distinct[m] for m in ENGINES[engine](points, weights[distinct], k, rng, starts)
        )
    each = (assign([distances[medoids]], medoids, weights, engine) for medoids in proposals)
    return min(each, key=lambda clustering: clustering.loss)


def clara(
    similarity: Similarity,
    k: int,
    rng: np.random.Generator,
    engine: str = "alternate",
    weights: NDArray[Any] | None = None,
    sample_size: int = SAMPLE_SIZE,
) -> Clustering:
    """min(k, n) clusters of n forms without their matrix of distances.

    It takes the matrix of a sample, of max(`sample_size`, 2 k + 40) forms, and n · k distances.
    """
    n = len(similarity)
    if k >= n:
        return _each_alone(n, engine)
    weights = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    size = min(n, max(sample_size, 2 * k + 40))
    best: Clustering | None = None
    for _ in range(SAMPLES):
        drawn = rng.choice(n, size=size, replace=False)
        sample = drawn if best is None else np.union1d(drawn, best.medoids)
        within = 1 - similarity.between(sample, sample)
        medoids = sample[k_medoids(within, k, rng, engine, weights[sample]).medoids]
        every = np.arange(n)
        blocks = (
            1 - similarity.between(medoids, every[start : start + BLOCK])
            for start in range(0, n, BLOCK)
        )
        candidate = assign(blocks, medoids, weights, f"clara/{engine}")
        if best is None or candidate.loss < best.loss:
            best = candidate
    assert best is not None  # there is at least one sample
    return best


def assign(
    to_medoids: Iterable[NDArray[Any]], medoids: NDArray[Any], weights: NDArray[Any], engine: str
) -> Clustering:
    """Every point to its nearest medoid, a medoid always to itself.

    `to_medoids` are the distances (k, some points), block after block of the points.
    """
    nearest = [(block.argmin(axis=0), block.min(axis=0)) for block in to_medoids]
    labels = np.concatenate([label for label, _ in nearest])
    distances = np.concatenate([distance for _, distance in nearest]).astype(float)
    labels[medoids] = np.arange(len(medoids))
    return Clustering(labels, medoids, float(distances @ weights), engine)


def _each_alone(n: int, engine: str) -> Clustering:
    return Clustering(np.arange(n), np.arange(n), 0.0, engine)
