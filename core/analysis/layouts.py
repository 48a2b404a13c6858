"""Points on a plane from their distances: classical scaling, t-SNE, UMAP.

Classical multidimensional scaling (Torgerson, 1952) takes the leading eigenvectors of
B = −½ J D² J, with D the distances and J = I − 11ᵀ/n. t-SNE is van der Maaten and Hinton's (2008),
UMAP McInnes, Healy and Melville's (2018), where the package umap-learn is installed.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse.linalg import LinearOperator, eigsh

Array = npt.NDArray[Any]
DENSE = 200  # points up to which all eigenvectors are computed
NEIGHBOURS = 15  # of a point that UMAP keeps near it, the package's default
LAYOUTS = {"scaling": "classical scaling", "tsne": "t-SNE", "umap": "UMAP"}
PERPLEXITY = 30.0  # of t-SNE, scikit-learn's default; less where forms are few


def classical_scaling(distances: Array) -> tuple[Array, float]:
    """Two coordinates of each point, (n, 2) float64, and the share of the sum of squares shown.

    `distances` is (n, n), symmetric, zero on the diagonal; it is used up: its memory holds D²
    afterwards. The same input gives the same map: the start is fixed, and so is each axis's
    sign (its largest coordinate is positive).
    """
    n = len(distances)
    squared = np.square(distances, out=distances)
    total = float(squared.sum(dtype=np.float64)) / (2 * n)  # the trace of B
    if n <= DENSE:
        centred = squared.astype(float) - squared.mean(axis=0, dtype=float)
        centred -= centred.mean(axis=1, keepdims=True)
        values, vectors = np.linalg.eigh(-centred / 2)
        values, vectors = values[-2:], vectors[:, -2:]
    else:

        def multiply(vector: Array) -> Array:
            flat = vector.reshape(-1)
            product = squared @ (flat - flat.mean()).astype(squared.dtype)
            centred: Array = -(product.astype(float) - product.mean(dtype=float)) / 2
            return centred

        operator = LinearOperator((n, n), matvec=multiply, dtype=float)
        start = np.random.default_rng(0).standard_normal(n)
        values, vectors = eigsh(operator, k=2, which="LA", v0=start, tol=1e-5)
    order = np.argsort(-values)
    values, vectors = np.maximum(values[order], 0), vectors[:, order]
    coordinates = vectors * np.sqrt(values)
    largest = np.take_along_axis(coordinates, np.abs(coordinates).argmax(axis=0)[None], axis=0)
    coordinates = coordinates * np.where(largest < 0, -1, 1)
    if n == 1:
        coordinates = np.zeros((1, 2))
    return coordinates, min(1.0, float(values.sum()) / total) if total > 0 else 1.0


def umap_layout(distances: Array, start: Array, seed: int) -> Array:
    """Two coordinates of each point from `start`, (n, 2): near points stay near, and distances
    between far ones mean little. `distances` is (n, n); three points and fewer stay where they are.
    """
    n = len(distances)
    if n < 4:
        return start
    import umap  # half a minute the first time

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what can't be undone with distances given
        engine = umap.UMAP(
            metric="precomputed",
            n_neighbors=min(NEIGHBOURS, n - 1),
            init=start,
            random_state=seed,
            n_jobs=1,
        )
        return np.asarray(engine.fit_transform(distances), dtype=float)


def tsne_layout(distances: Array, start: Array, seed: int) -> Array:
    """Two coordinates of each point from `start`, (n, 2), by t-SNE (van der Maaten and Hinton,
    2008): near points stay near, and distances between far ones mean little.
    """
    n = len(distances)
    if n < 4:
        return start
    from sklearn.manifold import TSNE  # an import of seconds that few need

    scale = float(start[:, 0].std())
    engine = TSNE(
        metric="precomputed",
        perplexity=min(PERPLEXITY, (n - 1) / 3),
        random_state=seed,
        init=(start / scale * 1e-4 if scale else start).astype(np.float32),
    )
    return np.asarray(engine.fit_transform(np.maximum(distances, 0)), dtype=float)
