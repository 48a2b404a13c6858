"""Clusters of a task's logical forms: a map of them, how well they hold together, Smatch.

Silhouettes are Rousseeuw's (1987).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.analysis.choosing import sampler_rng
from core.analysis.layouts import classical_scaling, tsne_layout, umap_layout
from core.data.base import Example
from core.language.tree import Node
from core.similarity.base import Forms, Similarity, all_pairs, distinct_forms
from core.similarity.clusters import (
    SIMILARITIES,
    Clustering,
    ClusterOptions,
    check_memory,
    k_medoids,
)

Array = npt.NDArray[Any]


def node_table(form: Node) -> pd.DataFrame:
    """The form's nodes depth-first: node (from 0), parent (missing for the root), depth, label."""
    rows: list[tuple[int, int | None, int, str]] = []
    rest: list[tuple[Node, int | None, int]] = [(form, None, 0)]
    while rest:
        node, parent, depth = rest.pop()
        rest += [(child, len(rows), depth + 1) for child in reversed(node.children or ())]
        rows.append((len(rows), parent, depth, node.label))
    table = pd.DataFrame(rows, columns=["node", "parent", "depth", "label"])
    return table.astype({"parent": "Int64"})


@dataclass(frozen=True, eq=False)
class FormMap:
    """A task's distinct forms in clusters and on a plane, without their matrix of distances."""

    forms: Forms
    similarity: Similarity
    clustering: Clustering
    coordinates: Array  # (forms, 2)
    explained: float | None  # share of the squared distances on the plane; None: not scaling
    silhouettes: Array  # (forms,) −1 … 1
    to_medoid: Array  # (forms,) distance to its cluster's medoid

    @property
    def has_scale(self) -> bool:
        """Whether lengths on the plane stand for distances, as only scaling's do."""
        return self.explained is not None


def read_map(
    examples: Sequence[Example],
    k: int,
    seed: int,
    options: ClusterOptions,
    layout: str = "scaling",
) -> FormMap:
    """The forms of these rows in min(k, forms) clusters: those that LFS and DLFS draw with the
    same seed and options (DLFS over all actions), in a run's first task.

    MemoryError, before anything is built, where the distances don't fit or pass `matrix_mb`.
    """
    forms = distinct_forms(examples)
    n = len(forms)
    if 4 * n * n > options.matrix_mb * 10**6:
        raise MemoryError(
            f"A map of {n:,} forms needs a matrix of {4 * n * n / 1e6:,.0f} MB; matrix_mb allows "
            f"{options.matrix_mb:,}."
        )
    check_memory(n)
    similarity = SIMILARITIES[options.similarity](forms.trees)
    distances = all_pairs(similarity)
    np.subtract(1, distances, out=distances)
    weights = forms.multiplicities if options.weighted else None
    clustering = k_medoids(distances, k, sampler_rng(seed), options.clustering, weights)
    scores = silhouettes(distances, clustering.labels)
    to_medoid = distances[np.arange(n), clustering.medoids[clustering.labels]]
    explained: float | None
    coordinates, explained = classical_scaling(distances)
    if layout == "umap":
        np.sqrt(distances, out=distances)  # scaling has left their squares
        coordinates, explained = umap_layout(distances, coordinates, seed), None
    elif layout == "tsne":
        np.sqrt(distances, out=distances)
        coordinates, explained = tsne_layout(distances, coordinates, seed), None
    return FormMap(forms, similarity, clustering, coordinates, explained, scores, to_medoid)


def silhouettes(distances: Array, labels: Array) -> Array:
    """(b − a) / max(a, b) of each point: a is its mean distance to the others of its cluster, b
    that to the nearest other cluster; 0 for a point alone in its cluster. (n,) float64.
    """
    from sklearn.metrics import silhouette_samples  # an import of seconds that few need

    if not 1 < len(np.unique(labels)) < len(labels):
        return np.zeros(len(labels))
    scores = silhouette_samples(distances, labels, metric="precomputed")
    return np.nan_to_num(np.asarray(scores, dtype=float))


def form_table(form_map: FormMap) -> pd.DataFrame:
    """A row for each form: form (its number), logical_form, rows, cluster, medoid (whether it is),
    to_medoid, silhouette, x, y.
    """
    medoid = np.zeros(len(form_map.forms), dtype=bool)
    medoid[form_map.clustering.medoids] = True
    return pd.DataFrame(
        {
            "form": np.arange(len(form_map.forms)),
            "logical_form": form_map.forms.texts,
            "rows": form_map.forms.multiplicities,
            "cluster": form_map.clustering.labels,
            "medoid": medoid,
            "to_medoid": form_map.to_medoid.astype(float),
            "silhouette": form_map.silhouettes,
            "x": form_map.coordinates[:, 0],
            "y": form_map.coordinates[:, 1],
        }
    )


def cluster_table(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each cluster of `form_table`: cluster, forms, rows, silhouette and to_medoid (means
    over its forms), medoid (its form's text).
    """
    groups = table.groupby("cluster", sort=True)
    medoids = table[table.medoid].set_index("cluster").logical_form
    columns = {
        "forms": groups.size(),
        "rows": groups["rows"].sum(),
        "silhouette": groups.silhouette.mean(),
        "to_medoid": groups.to_medoid.mean(),
        "medoid": medoids,
    }
    return pd.DataFrame(columns).reset_index(names="cluster")


def inside(form_map: FormMap, cluster: int, most: int = 60) -> tuple[Array, Array]:
    """The forms of a cluster, nearest to its medoid first and at most so many, and their distances
    from one another: (m,), (m, m).
    """
    members = np.flatnonzero(form_map.clustering.labels == cluster)
    shown = members[np.argsort(form_map.to_medoid[members], kind="stable")][:most]
    return shown, 1 - form_map.similarity.between(shown, shown)
