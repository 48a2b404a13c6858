import random
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.config import RunConfig
from core.data.base import FormReader, load_tasks
from core.free_ram import available_bytes
from core.options import ConfigError, specs
from core.similarity import clusters, engines
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.clusters import (
    Clustering,
    ClusterOptions,
    clara,
    cluster_forms,
    k_medoids,
)
from core.similarity.productions import ProductionSimilarity

ENGINES = list(engines.installed())


def on_a_line(positions: list[float]) -> np.ndarray:
    line = np.array(positions, dtype=np.float32)
    return np.abs(line[:, None] - line)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def check(clustering: Clustering, n: int, k: int) -> None:
    """Exactly k clusters, none empty, each with its own medoid in it."""
    assert clustering.labels.shape == (n,)
    assert clustering.medoids.shape == (k,)
    assert set(clustering.labels.tolist()) == set(range(k))
    assert clustering.labels[clustering.medoids].tolist() == list(range(k))


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_far_apart_are_found(engine: str):
    groups = [0, 0.1, 0.2, 10, 10.1, 10.2, 20, 20.1, 20.2]
    clustering = k_medoids(on_a_line(groups), 3, generator(), engine)
    check(clustering, 9, 3)
    assert sorted(clustering.medoids.tolist()) == [1, 4, 7]
    assert clustering.loss == pytest.approx(0.6, rel=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_loss_is_the_least_there_is_on_small_cases(engine: str, k: int):
    distances = on_a_line(generator(3).uniform(size=9).tolist())
    least = min(distances[list(m)].min(axis=0).sum() for m in combinations(range(9), k))
    clustering = k_medoids(distances, k, generator(), engine, starts=50)
    assert clustering.engine == engine
    assert clustering.loss == pytest.approx(least, rel=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
@settings(deadline=None, max_examples=40)
@given(points=st.lists(st.integers(0, 6), min_size=1, max_size=14), k=st.integers(1, 16))
def test_points_that_repeat_leave_no_cluster_empty(engine: str, points: list[int], k: int):
    clustering = k_medoids(on_a_line(points), k, generator(), engine)
    check(clustering, len(points), min(k, len(points)))


@pytest.mark.parametrize("engine", ENGINES)
def test_loss_is_that_of_its_labels(engine: str):
    distances = on_a_line(generator(2).uniform(size=40).tolist())
    weights = generator(3).integers(1, 5, 40)
    clustering = k_medoids(distances, 6, generator(), engine, weights)
    to_medoid = distances[np.arange(40), clustering.medoids[clustering.labels]]
    assert clustering.loss == pytest.approx((to_medoid * weights).sum(), rel=1e-5)
    assert (to_medoid <= distances[:, clustering.medoids].min(axis=1)).all()


@pytest.mark.skipif("fasterpam" not in ENGINES, reason="the package kmedoids is not installed")
def test_swapping_engines_do_not_lose_to_alternate():
    distances = on_a_line(generator(5).uniform(size=120).tolist())
    losses = {engine: k_medoids(distances, 10, generator(), engine).loss for engine in ENGINES}
    assert losses["pam"] <= losses["alternate"] * 1.02
    assert losses["fasterpam"] <= losses["alternate"] + 1e-6


@pytest.mark.parametrize(
    ("engine", "module", "package"),
    [
        ("fasterpam", "kmedoids", r"kmedoids \(GPL-3\)"),
        ("pam", "sklearn_extra", r"scikit-learn-extra \(which has wheels for Python 3\.11 only\)"),
    ],
)
def test_an_engine_without_its_package_is_not_offered_and_named_before_a_run_starts(
    engine: str, module: str, package: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, module, None)
    spec = next(spec for spec in specs(ClusterOptions) if spec.name == "clustering")
    assert engine in spec.choices
    assert engine not in spec.offered
    assert "alternate" in spec.offered
    with pytest.raises(ConfigError, match=rf"'{engine}': the package {package} is not installed"):
        ClusterOptions(clustering=engine)


@pytest.mark.skipif("pam" not in ENGINES, reason="scikit-learn-extra is not installed")
@pytest.mark.parametrize("kind", ["line", "forms"])
def test_alternate_chooses_the_medoids_of_scikit_learn_extra(kind: str):
    from sklearn_extra.cluster import KMedoids

    class Started(KMedoids):
        def _initialize_medoids(self, *args: object) -> np.ndarray:
            return self.init.copy()

    if kind == "line":
        distances = on_a_line(generator(4).uniform(size=300).tolist())
    else:  # many equal distances
        task = load_tasks(RunConfig(task_order=("library",)))[0]
        distances = 1 - all_pairs(ProductionSimilarity(distinct_forms(task.train).trees))
        distances = distances[np.ix_(*[np.unique(distances, axis=0, return_index=True)[1]] * 2)]
    for seed, k in [(seed, k) for seed in range(10) for k in (2, 5, 20)]:
        start = engines.plus_plus(distances, np.ones(len(distances)), k, generator(seed))
        theirs = Started(k, metric="precomputed", method="alternate", init=start, max_iter=10_000)
        ours = engines.alternate_from(distances, start)
        assert ours.tolist() == theirs.fit(distances).medoid_indices_.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_alternate_ends_where_no_step_is_left(seed: int):
    distances = on_a_line(generator(seed).uniform(size=80).tolist())
    start = engines.plus_plus(distances, np.ones(80), 7, generator(seed))
    kept = start.copy()
    medoids = engines.alternate_from(distances, start)
    assert (start == kept).all()
    labels = distances[medoids].argmin(axis=0)
    for cluster, medoid in enumerate(medoids):
        members = np.flatnonzero(labels == cluster)
        sums = {int(m): distances[m, members].astype(float).sum() for m in members}
        assert sums[int(medoid)] == pytest.approx(min(sums.values()), rel=1e-5)
    before, after = (distances[m].min(axis=0).sum() for m in (start, medoids))
    assert after <= before


def test_points_all_alike_give_the_heaviest_a_cluster():
    clustering = k_medoids(np.zeros((5, 5), np.float32), 3, generator(), weights=[1, 5, 1, 7, 1])
    check(clustering, 5, 3)
    assert sorted(clustering.medoids.tolist()) == [0, 1, 3]
    assert clustering.loss == 0


def test_as_many_clusters_as_points_are_the_points():
    clustering = k_medoids(on_a_line([3, 1, 2]), 5, generator())
    assert clustering.labels.tolist() == clustering.medoids.tolist() == [0, 1, 2]


def test_weights_pull_the_medoid_and_count_in_the_loss():
    clustering = k_medoids(on_a_line([0, 1, 10]), 1, generator(), weights=[1, 1, 9])
    assert clustering.medoids.tolist() == [2]
    assert clustering.loss == pytest.approx(19)


def test_more_starts_never_do_worse():
    distances = on_a_line(generator(1).uniform(size=60).tolist())
    losses = [k_medoids(distances, 8, generator(), starts=s).loss for s in (1, 3, 30)]
    assert losses == sorted(losses, reverse=True)


def test_same_seed_same_clusters_and_no_global_randomness():
    distances = on_a_line(generator(1).uniform(size=80).tolist())
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002 - is it left?
    first, second = (k_medoids(distances, 9, generator(5)) for _ in range(2))
    assert (first.labels == second.labels).all()
    assert (first.medoids == second.medoids).all()
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


class OnALine:
    """A similarity of points instead of forms; it keeps how many pairs it was asked for."""

    def __init__(self, points: np.ndarray) -> None:
        self.points, self.asked = points, 0

    def __len__(self) -> int:
        return len(self.points)

    def between(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        self.asked += len(rows) * len(columns)
        return (1 - np.abs(self.points[rows][:, None] - self.points[columns])).astype(np.float32)


def test_samples_come_near_the_loss_of_all_points_without_their_matrix():
    points = generator(1).uniform(size=4000)
    line = OnALine(points)
    sampled = clara(line, 10, generator(), sample_size=400)
    check(sampled, 4000, 10)
    assert sampled.engine == "clara/alternate"
    assert line.asked < 5 * (410**2 + 10 * 4000) + 1
    to_medoid = np.abs(points - points[sampled.medoids[sampled.labels]])
    assert sampled.loss == pytest.approx(to_medoid.sum(), rel=1e-4)
    whole = k_medoids(on_a_line(points[:1500].tolist()), 10, generator())
    assert sampled.loss / 4000 < 1.15 * whole.loss / 1500


def test_sample_of_all_points_is_as_good_as_k_medoids():
    points = generator(1).uniform(size=60)
    sampled = clara(OnALine(points), 5, generator())
    assert sampled.loss <= k_medoids(on_a_line(points.tolist()), 5, generator()).loss + 1e-5


def test_samples_of_points_all_alike_leave_no_cluster_empty():
    check(clara(OnALine(np.zeros(30)), 4, generator(), sample_size=10), 30, 4)
    check(clara(OnALine(np.zeros(3)), 4, generator()), 3, 3)


def test_matrix_beyond_its_limit_gives_way_to_samples():
    read = FormReader().example
    rows = [read("", f"( f ( g x{n % 40} ) y{n} )") for n in range(600)]  # 1.4 MB
    forms = distinct_forms(rows)
    clustering = cluster_forms(forms, 6, ClusterOptions(matrix_mb=1), generator())
    assert clustering.engine == "clara/alternate"
    check(clustering, 600, 6)
    assert cluster_forms(forms, 6, ClusterOptions(matrix_mb=2), generator()).engine == "alternate"
    just = distinct_forms(rows[:500])  # 1 MB
    assert cluster_forms(just, 6, ClusterOptions(matrix_mb=1), generator()).engine == "alternate"


@pytest.mark.parametrize("k", [5, 6])
def test_forms_that_all_have_a_cluster_need_no_distances(monkeypatch: pytest.MonkeyPatch, k: int):
    monkeypatch.setattr(clusters, "SIMILARITIES", {})
    read = FormReader().example
    forms = distinct_forms([read("", f"( f x{n} )") for n in range(5)])
    clustering = cluster_forms(forms, k, ClusterOptions(), generator())
    check(clustering, 5, 5)
    assert clustering.labels.tolist() == list(range(5))


def test_matrix_that_does_not_fit_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(clusters, "available_bytes", lambda: 10_000)
    read = FormReader().example
    forms = distinct_forms([read("", f"( f x{n} )") for n in range(50)])
    with pytest.raises(MemoryError, match=r"50 logical forms need 0\.0 GB"):
        cluster_forms(forms, 3, ClusterOptions(), generator())


def test_free_memory_is_known_here():
    assert available_bytes() > 10**7


def test_forms_of_one_shape_share_a_cluster():
    read = FormReader().example
    shapes = ["( count ( all ( type T ) ) )", "( list ( filter ( all ( type T ) ) ( size big ) ) )"]
    rows = [read("", shape.replace("T", name)) for name in "abcd" for shape in shapes]
    clustering = cluster_forms(distinct_forms(rows), 2, ClusterOptions(), generator())
    check(clustering, 8, 2)
    assert (
        len(set(clustering.labels[::2].tolist())) == len(set(clustering.labels[1::2].tolist())) == 1
    )


def test_rows_of_a_form_count_where_they_are_asked_to():
    read = FormReader().example
    shapes = ["( f ( g a ) b )", "( f ( g a ) c )", "( h ( k a ) ( k b ) ( k c ) )"]
    rows = [read("", shapes[0]), read("", shapes[1]), *[read("", shapes[2])] * 50]
    forms = distinct_forms(rows)
    plain = cluster_forms(forms, 1, ClusterOptions(), generator())
    weighted = cluster_forms(forms, 1, ClusterOptions(weighted=True), generator())
    assert forms.texts[plain.medoids[0]] in shapes[:2]
    assert forms.texts[weighted.medoids[0]] == shapes[2]


def greedy_plus_plus(
    distances: np.ndarray, weights: np.ndarray, k: int, rng: np.random.Generator
) -> list[int]:
    """Greedy k-means++ as it is defined, point by point, in plain numbers."""
    n, trials = len(distances), 2 + int(np.log(k))
    potential = lambda medoids: [  # noqa: E731
        float(weights[i]) * min(float(distances[m, i]) for m in medoids) ** 2 for i in range(n)
    ]
    medoids = [int(rng.choice(n, p=weights / weights.sum()))]
    while len(medoids) < k:
        mass = potential(medoids)
        candidates = []
        for share in rng.random(trials):
            left, point = share * sum(mass), 0
            while left >= mass[point]:
                left, point = left - mass[point], point + 1
            candidates.append(point)
        medoids.append(min(candidates, key=lambda point: sum(potential([*medoids, point]))))
    return medoids


@pytest.mark.parametrize("seed", range(20))
def test_starts_are_those_of_greedy_k_means_plus_plus(seed: int):
    rng = generator(seed)
    distances = on_a_line(rng.uniform(size=40).tolist()).astype(float)
    weights = rng.integers(1, 6, 40).astype(float)
    chosen = engines.plus_plus(distances, weights, 6, generator(seed))
    assert chosen.tolist() == greedy_plus_plus(distances, weights, 6, generator(seed))
