"""Cluster tables against second computations: scikit-learn, scipy, distances of real points."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from core.analysis import clusters, layouts, similarity_comparison
from core.config import RunConfig
from core.data.base import load_tasks
from core.language.tree import read
from core.similarity import clusters as form_clusters
from core.similarity.base import all_pairs
from core.similarity.clusters import ClusterOptions, k_medoids
from core.stopping import Stopped

K = 8


@pytest.fixture(scope="module")
def examples():
    return load_tasks(RunConfig(task_order=("library",)))[0].train


@pytest.fixture(scope="module")
def cluster_map(examples):
    return clusters.read_map(examples, K, 0, ClusterOptions())


@pytest.fixture(scope="module")
def distances(cluster_map):
    return 1 - all_pairs(cluster_map.similarity)


def euclidean(count: int, seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(count, 2)) * (3, 1)
    return squareform(pdist(points)).astype(np.float32)


@pytest.mark.parametrize("count", [2, 3, 30, layouts.DENSE + 1, 600])
def test_scaling_gives_points_of_a_plane_their_distances_back(count):
    given = euclidean(count)
    points, explained = layouts.classical_scaling(given.copy())
    assert squareform(pdist(points)) == pytest.approx(given, abs=2e-3)
    assert explained == pytest.approx(1, abs=1e-4)


def test_scaling_is_the_same_twice_and_by_both_ways(monkeypatch):
    given = squareform(pdist(np.random.default_rng(1).normal(size=(300, 5)) * (5, 3, 1, 1, 1)))
    given = given.astype(np.float32)
    points, _ = layouts.classical_scaling(given.copy())
    again, _ = layouts.classical_scaling(given.copy())
    assert (points == again).all()
    monkeypatch.setattr(layouts, "DENSE", 1000)
    whole, share = layouts.classical_scaling(given.copy())
    assert points == pytest.approx(whole, abs=2e-3)
    assert share < 0.98


@pytest.mark.parametrize("count", [1, 2, 5])
def test_scaling_stands_few_and_equal_points(count):
    points, explained = layouts.classical_scaling(np.zeros((count, count), dtype=np.float32))
    assert points.shape == (count, 2)
    assert not points.any()
    assert explained == 1


def test_silhouettes_are_rousseeuws(cluster_map, distances):
    labels = cluster_map.clustering.labels
    for i in range(len(labels)):
        means = [distances[i, labels == c].astype(float).sum() for c in range(K)]
        sizes = np.bincount(labels, minlength=K) - (np.arange(K) == labels[i])
        if sizes[labels[i]]:
            means = np.array(means) / np.maximum(sizes, 1)
            a, b = means[labels[i]], np.delete(means, labels[i]).min()
            assert cluster_map.silhouettes[i] == pytest.approx((b - a) / max(a, b), abs=1e-5)
        else:
            assert cluster_map.silhouettes[i] == 0
    assert not clusters.silhouettes(euclidean(4), np.zeros(4, int)).any()
    assert not clusters.silhouettes(euclidean(4), np.arange(4)).any()


def test_the_tables_count_forms_rows_and_distances_by_hand(examples, cluster_map, distances):
    table = clusters.form_table(cluster_map)
    by_form = {}
    for example in examples:
        by_form[example.logical_form] = by_form.get(example.logical_form, 0) + 1
    assert dict(zip(table.logical_form, table["rows"], strict=True)) == by_form
    each = clusters.cluster_table(table)
    assert each["rows"].sum() == len(examples)
    for row in each.itertuples():
        members = np.flatnonzero(cluster_map.clustering.labels == row.cluster)
        medoid = cluster_map.clustering.medoids[row.cluster]
        assert row.medoid == cluster_map.forms.texts[medoid]
        assert row.forms == len(members)
        assert row.to_medoid == pytest.approx(distances[members, medoid].mean(), abs=1e-6)
        assert row.silhouette == pytest.approx(cluster_map.silhouettes[members].mean())


def test_a_forms_nodes_stand_depth_first_below_their_parents():
    table = clusters.node_table(
        read("( list ( count ship ) ( at ( port ghent ) ) )", "s_expression")
    )
    assert list(table.label) == ["list", "count", "ship", "at", "port", "ghent"]
    assert list(table.node) == [0, 1, 2, 3, 4, 5]
    assert list(table.depth) == [0, 1, 2, 1, 2, 3]
    assert table.parent.isna().tolist() == [True, *[False] * 5]
    assert list(table.parent[1:]) == [0, 1, 0, 3, 4]


def test_a_form_stands_at_its_coordinates_on_the_map(cluster_map):
    table = clusters.form_table(cluster_map)
    assert np.array_equal(table[["x", "y"]].to_numpy(), cluster_map.coordinates)


def test_inside_a_cluster_the_medoid_comes_first(cluster_map, distances):
    for cluster in range(K):
        forms, matrix = clusters.inside(cluster_map, cluster, most=4)
        assert forms[0] == cluster_map.clustering.medoids[cluster]
        assert len(forms) <= 4
        assert matrix == pytest.approx(distances[np.ix_(forms, forms)])
        assert (np.diff(matrix[0]) >= 0).all()


def test_a_matrix_beyond_its_limit_is_refused_before_it_is_built(examples):
    many = [examples[row] for row in range(len(examples))] * 2
    with pytest.raises(MemoryError, match="matrix_mb"):
        clusters.read_map(many, K, 0, _tiny())


def test_a_matrix_that_does_not_fit_is_refused_before_it_is_built(examples, monkeypatch):
    monkeypatch.setattr(form_clusters, "available_bytes", lambda: 10_000)
    monkeypatch.setattr(clusters, "all_pairs", lambda similarity: pytest.fail("it was built"))
    with pytest.raises(MemoryError, match="are free"):
        clusters.read_map(examples, K, 0, ClusterOptions())


def _tiny() -> ClusterOptions:
    options = ClusterOptions()
    object.__setattr__(options, "matrix_mb", 0)
    return options


def test_agreement_is_that_of_scipy_and_scikit_learn(distances):
    noise = np.random.default_rng(0).normal(scale=0.1, size=distances.shape)
    productions = 1 - distances
    smatch = np.clip(productions + noise + noise.T, 0, 1).astype(np.float32)
    np.fill_diagonal(smatch, 1)
    forms = np.arange(len(productions)) * 3
    comparison = similarity_comparison.compare_matrices(forms, productions, smatch, K, 0)
    upper = np.triu_indices(len(productions), 1)
    expected = stats.spearmanr(productions[upper], smatch[upper]).statistic
    assert comparison.rank_correlation == pytest.approx(expected)
    labels = [k_medoids(1 - m, K, np.random.default_rng(0)).labels for m in (productions, smatch)]
    assert comparison.adjusted_rand == pytest.approx(adjusted_rand_score(*labels))
    for pair in comparison.pairs.head(50).itertuples():
        assert pair.productions == productions[pair.left // 3, pair.right // 3]
        assert pair.smatch == smatch[pair.left // 3, pair.right // 3]
    same = similarity_comparison.compare_matrices(forms, productions, productions, K, 0)
    assert same.rank_correlation == pytest.approx(1)
    assert same.adjusted_rand == 1


def test_agreement_of_constant_similarities_has_no_correlation():
    constant = np.ones((3, 3), dtype=np.float32)
    assert np.isnan(
        similarity_comparison.compare_matrices(
            np.arange(3), constant, constant, 2, 0
        ).rank_correlation
    )


def test_a_sample_of_forms_is_even_and_seeded():
    assert list(similarity_comparison.sample_forms(4, 10, 0)) == [0, 1, 2, 3]
    drawn = similarity_comparison.sample_forms(1000, 50, 3)
    assert len(set(drawn)) == 50
    assert (drawn == similarity_comparison.sample_forms(1000, 50, 3)).all()
    assert (drawn != similarity_comparison.sample_forms(1000, 50, 4)).any()


def test_comparing_tells_its_progress_and_can_be_stopped(cluster_map):
    trees, forms = cluster_map.forms.trees[:4], np.arange(4)
    with pytest.raises(Stopped):
        similarity_comparison.compare(trees, forms, 2, 0, should_stop=lambda: True)
    reports = []
    result = similarity_comparison.compare(
        trees, forms, 2, 0, progress=lambda *now: reports.append(now)
    )
    assert reports[-1] == (6, 6)
    assert result.pairs.smatch.between(0, 1).all()


@pytest.mark.data
@pytest.mark.slow
def test_the_largest_task_is_mapped_in_small_messages(real_data):
    from core.charts.clusters import form_map

    rows = load_tasks(RunConfig(dataset="nlmap_qt", task_order=("latlong",)))[0].train
    table = clusters.form_table(clusters.read_map(rows, 50, 0, ClusterOptions()))
    assert len(table) == 5088
    assert len(form_map(table, {"all": table.form}).to_json()) < 5_000_000
