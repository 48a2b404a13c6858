"""The rows nearest to the centres of k-means: what FSS and GSS share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.samplers.base import Selection
from core.samplers.parts.filling import fill_at_random

STARTS = 3


def nearest_to_centres(points: NDArray[Any], size: int, rng: np.random.Generator) -> Selection:
    """For each of `size` centres the row nearest to it, the first among equals.

    `points` is (rows, dimensions). With fewer different points than `size` each has its row, and
    the rest is drawn evenly. The trace's `row_clusters` names the centre of each row.
    """
    from sklearn.cluster import KMeans  # an import of two seconds that few need
    from threadpoolctl import threadpool_limits

    different, first_rows, of_row, counts = np.unique(
        points, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    of_row = of_row.reshape(-1)
    if len(different) <= size:
        rows, labels = first_rows.tolist(), of_row
    else:
        seed = int(rng.integers(2**31))
        engine = KMeans(size, n_init=STARTS, random_state=seed)
        with threadpool_limits(1, "openmp"):  # threads would add up in any order
            distances = engine.fit(different, sample_weight=counts).transform(different)
        rows = first_rows[_nearest(distances)].tolist()
        labels = engine.labels_[of_row]
    trace = {"row_clusters": labels.tolist()}
    return Selection(fill_at_random(rows, size, len(points), rng), trace)


def _nearest(distances: NDArray[Any]) -> Sequence[int]:
    """For each centre (column) the nearest point that no centre before it has taken."""
    distances = distances.copy()
    taken = []
    for centre in range(distances.shape[1]):
        taken.append(int(distances[:, centre].argmin()))
        distances[taken[-1]] = np.inf
    return taken
