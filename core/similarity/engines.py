"""K-medoids algorithms: from the distances of points to medoids, several sets to choose from.

`alternate` is Park and Jun's (2009), which the paper cites, `pam` (Kaufman and Rousseeuw, 1990) is
scikit-learn-extra's, and `fasterpam` (Schubert and Rousseeuw, 2021) the kmedoids package's, which
is GPL-3 and therefore never required. Of 1,500 points in 50 clusters they take 0.03 s, 8 to 30 s
and 0.2 s; pam and fasterpam find a loss that is about a seventh lower.
"""

import importlib.util
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_ITERATIONS = 10_000  # never reached: each iteration lowers the loss

Array = NDArray[Any]
Engine = Callable[[Array, Array, int, np.random.Generator, int], Iterator[Array]]


def plus_plus(distances: Array, weights: Array, k: int, rng: np.random.Generator) -> Array:
    """k different points by greedy k-means++ (Arthur and Vassilvitskii, 2007) on distances.

    Each next point is the best of 2 + ln k, drawn in proportion to weight times squared distance
    to the nearest point so far. At least k points must be apart from one another.
    """
    trials = 2 + int(np.log(k))
    single = weights.astype(distances.dtype)
    chosen = np.empty(k, dtype=np.int64)
    chosen[0] = rng.choice(len(distances), p=weights / weights.sum())
    nearest = single * distances[chosen[0]] ** 2
    for number in range(1, k):
        cumulative = np.cumsum(nearest, dtype=float)
        drawn = np.searchsorted(cumulative, rng.random(trials) * cumulative[-1], side="right")
        drawn = np.minimum(drawn, np.flatnonzero(nearest)[-1])  # where the product rounds up
        after = np.minimum(nearest, single * distances[drawn] ** 2)
        best = after.sum(axis=1, dtype=float).argmin()
        chosen[number], nearest = drawn[best], after[best]
    return chosen


def alternate(
    distances: Array, weights: Array, k: int, rng: np.random.Generator, starts: int
) -> Iterator[Array]:
    """Park and Jun's algorithm from k-medoids++ starts: fast, and coarse from each start."""
    for _ in range(starts):
        yield alternate_from(distances, plus_plus(distances, weights, k, rng))


def alternate_from(distances: Array, start: Array) -> Array:
    """The medoids (k,) that alternating ends with: every point to its nearest medoid, then every
    medoid to the point of its cluster with the least sum of distances to the others.
    """
    medoids = start.copy()
    for _ in range(MAX_ITERATIONS):
        labels, before = distances[medoids].argmin(axis=0), medoids.copy()
        for cluster, medoid in enumerate(before):
            members = np.flatnonzero(labels == cluster)
            sums = distances[members, members[:, None]].sum(axis=1)
            if sums.min() < sums[np.searchsorted(members, medoid)]:
                medoids[cluster] = members[sums.argmin()]
        if (medoids == before).all():
            break
    return medoids


_importing = threading.Lock()


@cache
def _sklearn_extra() -> Any:
    """scikit-learn-extra's KMedoids; its import takes seconds."""
    with _importing, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it asks distutils for a version
        from sklearn_extra.cluster import KMedoids
    return KMedoids


def pam(
    distances: Array, weights: Array, k: int, rng: np.random.Generator, starts: int
) -> Iterator[Array]:
    """PAM from its own greedy start, once: nothing in it is drawn."""
    engine = _sklearn_extra()(
        k, metric="precomputed", method="pam", init="build", max_iter=MAX_ITERATIONS
    )
    yield engine.fit(distances).medoid_indices_


def fasterpam(
    distances: Array, weights: Array, k: int, rng: np.random.Generator, starts: int
) -> Iterator[Array]:
    """FasterPAM from k-medoids++ starts; needs the package kmedoids."""
    import kmedoids

    for _ in range(starts):
        seeds = plus_plus(distances, weights, k, rng)
        result = kmedoids.fasterpam(distances, seeds, MAX_ITERATIONS, n_cpu=1)
        yield result.medoids.astype(np.int64)


ENGINES: dict[str, Engine] = {"alternate": alternate, "pam": pam, "fasterpam": fasterpam}


_PACKAGES = {  # engine → module that it needs, and the package that brings it
    "pam": ("sklearn_extra", "scikit-learn-extra (which has wheels for Python 3.11 only)"),
    "fasterpam": ("kmedoids", "kmedoids (GPL-3)"),
}


def installed() -> tuple[str, ...]:
    """The engines whose packages are there."""
    return tuple(
        name
        for name in ENGINES
        if name not in _PACKAGES or importlib.util.find_spec(_PACKAGES[name][0]) is not None
    )


def check_engine(name: str) -> None:
    """ValueError where there is no such engine, or where its package is not installed."""
    if name not in ENGINES:
        raise ValueError(f"clustering = {name!r}: expected one of {', '.join(ENGINES)}.")
    if name not in installed():
        package = _PACKAGES[name][1]
        raise ValueError(
            f"clustering = {name!r}: the package {package} is not installed; "
            f"`pip install {package.split()[0]}` adds it, {' and '.join(installed())} can be had "
            "without it."
        )
