"""K-medoids algorithms: from the distances of points to medoids, several sets to choose from.

`alternate` (Park and Jun, 2009, which the paper cites) and `pam` (Kaufman and Rousseeuw, 1990) are
scikit-learn-extra's, `fasterpam` (Schubert and Rousseeuw, 2021) is the kmedoids package's, which is
GPL-3 and therefore never required. Of 1,500 points in 50 clusters they take 0.03 s, 8 to 30 s and
0.2 s; pam and fasterpam find a loss that is about a seventh lower.
"""

import importlib.util
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

MAX_ITERATIONS = 10_000  # never reached: each iteration lowers the loss

Engine = Callable[[np.ndarray, np.ndarray, int, np.random.Generator, int], Iterator[np.ndarray]]


def plus_plus(
    distances: np.ndarray, weights: np.ndarray, k: int, rng: np.random.Generator
) -> np.ndarray:
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


_importing = threading.Lock()


@cache
def _sklearn_extra() -> type:
    """scikit-learn-extra's KMedoids that starts from given points; its import takes seconds.

    The package's own k-medoids++ warns, loses precision in float32 and draws from a RandomState.
    """
    with _importing, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it asks distutils for a version
        from sklearn_extra.cluster import KMedoids

    class StartedKMedoids(KMedoids):
        """KMedoids whose `init` may hold point numbers; the package's looks for equal rows."""

        def _initialize_medoids(self, *args: object) -> np.ndarray:
            given = not isinstance(self.init, str)
            return self.init.copy() if given else super()._initialize_medoids(*args)

    return StartedKMedoids


def _fit(distances: np.ndarray, k: int, method: str, init: np.ndarray | str) -> np.ndarray:
    engine = _sklearn_extra()(
        n_clusters=k, metric="precomputed", method=method, init=init, max_iter=MAX_ITERATIONS
    )
    return engine.fit(distances).medoid_indices_


def alternate(
    distances: np.ndarray, weights: np.ndarray, k: int, rng: np.random.Generator, starts: int
) -> Iterator[np.ndarray]:
    """Park and Jun's algorithm from k-medoids++ starts: fast, and coarse from each start."""
    for _ in range(starts):
        yield _fit(distances, k, "alternate", plus_plus(distances, weights, k, rng))


def pam(
    distances: np.ndarray, weights: np.ndarray, k: int, rng: np.random.Generator, starts: int
) -> Iterator[np.ndarray]:
    """PAM from its own greedy start, once: nothing in it is drawn."""
    yield _fit(distances, k, "pam", "build")


def fasterpam(
    distances: np.ndarray, weights: np.ndarray, k: int, rng: np.random.Generator, starts: int
) -> Iterator[np.ndarray]:
    """FasterPAM from k-medoids++ starts; needs the package kmedoids."""
    import kmedoids

    for _ in range(starts):
        seeds = plus_plus(distances, weights, k, rng)
        found = kmedoids.fasterpam(distances, seeds, MAX_ITERATIONS, n_cpu=1)
        yield found.medoids.astype(np.int64)


ENGINES: dict[str, Engine] = {"alternate": alternate, "pam": pam, "fasterpam": fasterpam}


def check_engine(name: str) -> None:
    """ValueError where there is no such engine, or where its package is not installed."""
    if name not in ENGINES:
        raise ValueError(f"clustering = {name!r}: expected one of {', '.join(ENGINES)}.")
    if name == "fasterpam" and importlib.util.find_spec("kmedoids") is None:
        raise ValueError(
            "clustering = 'fasterpam': the package kmedoids (GPL-3) is not installed; "
            "`pip install kmedoids` adds it, alternate and pam go without it."
        )
