"""Cluster figures carry the numbers of their tables."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import clusters as analysis
from core.charts import clusters as charts
from core.similarity.clusters import ClusterOptions
from tests.conftest import make_toy_tasks


@pytest.fixture
def cluster_map():
    return analysis.read_map(make_toy_tasks()[1].train, 2, 0, ClusterOptions())


@pytest.fixture
def table(cluster_map):
    return analysis.form_table(cluster_map)


def test_every_mark_of_the_map_bears_its_forms_number(table):
    marks, rings = charts.form_map(table, {"<b>x</b>": {1, 3}}).data
    assert list(marks.customdata) == list(table.form)
    assert marks.x == pytest.approx(table.x)
    assert list(rings.customdata) == [1, 3]
    assert list(rings.y) == list(table.y[[1, 3]])
    assert rings.name == "kept by &lt;b&gt;x&lt;/b&gt;"
    assert all(
        ring > marks.marker.size[form] for ring, form in zip(rings.marker.size, (1, 3), strict=True)
    )


def test_clusters_are_told_apart_by_colour_and_symbol_together():
    count = 49
    rows = {"form": range(count), "logical_form": "f", "rows": 1, "cluster": range(count)}
    figure = charts.form_map(pd.DataFrame(rows | {"x": 0.0, "y": 0.0}))
    marker = figure.data[0].marker
    assert len(set(zip(marker.color, marker.symbol, strict=True))) == count


def test_silhouettes_come_best_first(table):
    each = analysis.cluster_table(table)
    (bars,) = charts.silhouettes(each).data
    assert list(bars.y) == sorted(each.silhouette, reverse=True)


def test_the_distances_are_the_matrix(cluster_map):
    forms, matrix = analysis.inside(cluster_map, 0)
    (heat,) = charts.distances(forms, matrix).data
    assert np.array(heat.z) == pytest.approx(matrix, abs=1e-3)


def test_the_scatter_of_pairs_is_thinned_out():
    pairs = pd.DataFrame({"left": range(9000), "right": 0, "productions": 0.5, "smatch": 0.4})
    (marks,) = charts.similarity_comparison(pairs).data
    assert 2000 < len(marks.x) <= charts.MOST_PAIRS
