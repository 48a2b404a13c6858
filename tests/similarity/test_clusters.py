import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.data.base import FormReader
from core.similarity.base import distinct_forms
from core.similarity.clusters import Clustering, ClusterOptions, cluster_forms, k_medoids


def on_a_line(points: list[float]) -> np.ndarray:
    places = np.array(points, dtype=np.float32)
    return np.abs(places[:, None] - places)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def check(clustering: Clustering, n: int, k: int) -> None:
    """Exactly k clusters, none empty, each with its own medoid in it."""
    assert clustering.labels.shape == (n,)
    assert clustering.medoids.shape == (k,)
    assert set(clustering.labels.tolist()) == set(range(k))
    assert clustering.labels[clustering.medoids].tolist() == list(range(k))


def test_groups_far_apart_are_found():
    groups = [0, 0.1, 0.2, 10, 10.1, 10.2, 20, 20.1, 20.2]
    found = k_medoids(on_a_line(groups), 3, generator())
    check(found, 9, 3)
    assert sorted(found.medoids.tolist()) == [1, 4, 7]
    assert found.loss == pytest.approx(0.6, rel=1e-5)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_loss_is_the_least_there_is_on_small_cases(k: int):
    distances = on_a_line(generator(3).uniform(size=9).tolist())
    least = min(distances[list(m)].min(axis=0).sum() for m in combinations(range(9), k))
    found = k_medoids(distances, k, generator(), starts=50)
    assert found.loss == pytest.approx(least, rel=1e-5)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=14), st.integers(1, 16), st.integers(0, 9))
def test_points_that_repeat_leave_no_cluster_empty(places: list[int], k: int, seed: int):
    check(k_medoids(on_a_line(places), k, generator(seed)), len(places), min(k, len(places)))


def test_points_all_alike_give_the_heaviest_a_cluster():
    found = k_medoids(np.zeros((5, 5), np.float32), 3, generator(), weights=[1, 5, 1, 7, 1])
    check(found, 5, 3)
    assert sorted(found.medoids.tolist()) == [0, 1, 3]
    assert found.loss == 0


def test_as_many_clusters_as_points_are_the_points():
    found = k_medoids(on_a_line([3, 1, 2]), 5, generator())
    assert found.labels.tolist() == found.medoids.tolist() == [0, 1, 2]


def test_weights_pull_the_medoid_and_count_in_the_loss():
    found = k_medoids(on_a_line([0, 1, 10]), 1, generator(), weights=[1, 1, 9])
    assert found.medoids.tolist() == [2]
    assert found.loss == pytest.approx(19)


def test_more_starts_never_do_worse():
    distances = on_a_line(generator(1).uniform(size=60).tolist())
    losses = [k_medoids(distances, 8, generator(), starts=s).loss for s in (1, 3, 30)]
    assert losses == sorted(losses, reverse=True)


def test_same_seed_same_clusters_and_no_global_randomness():
    distances = on_a_line(generator(1).uniform(size=80).tolist())
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - is it left?
    one, two = (k_medoids(distances, 9, generator(5)) for _ in range(2))
    assert (one.labels == two.labels).all()
    assert (one.medoids == two.medoids).all()
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


def test_distances_are_left_as_they_are():
    distances = on_a_line(generator(1).uniform(size=30).tolist())
    copy = distances.copy()
    k_medoids(distances, 4, generator())
    assert (distances == copy).all()


def test_wrong_engine_or_k_is_named():
    with pytest.raises(ValueError, match="clustering = 'best': expected one of alternate"):
        k_medoids(on_a_line([1, 2]), 1, generator(), engine="best")
    with pytest.raises(ValueError, match="k = 0"):
        k_medoids(on_a_line([1, 2]), 0, generator())


def test_forms_of_one_shape_share_a_cluster():
    read = FormReader().example
    shapes = ["( count ( all ( type T ) ) )", "( list ( filter ( all ( type T ) ) ( size big ) ) )"]
    rows = [read("", shape.replace("T", name)) for name in "abcd" for shape in shapes]
    found = cluster_forms(distinct_forms(rows), 2, ClusterOptions(), generator())
    check(found, 8, 2)
    assert len(set(found.labels[::2].tolist())) == len(set(found.labels[1::2].tolist())) == 1
