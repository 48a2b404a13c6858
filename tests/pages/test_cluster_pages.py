"""The clusters page filled: map, clusters, trees, Smatch, each view by its address."""

import json
import sys

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.analysis import choosing, clusters
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.store import Store
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.smatch import SmatchSimilarity
from pages.shared.clusters.comparison import comparisons
from tests.conftest import make_toy_tasks
from tests.made_up import stored_run
from tests.pages.sessions import (
    clicked,
    frames,
    letters,
    numbers,
    opened,
    specs,
    texts,
    well,
    widget,
)

PAGE = "pages/clusters.py"
LIMITS = "can't be; expected a whole number from 1 to 100,000."
TOY = {"dataset": "toy", "task": "port", "memory_size": "3"}
UMAP = """
given = []

class UMAP:
    def __init__(self, **settings):
        given.append(settings)

    def fit_transform(self, distances):
        return distances[:, :2]
"""


def drawn(**address: str) -> AppTest:
    """The page at this address with its map drawn."""
    page = well(opened(PAGE, **TOY | address))
    buttons = [b for b in page.button if b.label == "Draw the map"]
    return well(buttons[0].click().run()) if buttons else page


def test_nothing_is_drawn_before_a_click_and_the_map_opens_at_once_afterwards():
    page = well(opened(PAGE, **TOY))
    assert not specs(page)
    page = clicked(page, "Draw the map")
    assert len(specs(page)) == 2  # map, tree
    assert specs(well(opened(PAGE, **TOY))) == specs(page)


def test_forms_chosen_by_the_address_are_those_in_the_table():
    assert len(frames(drawn())[0]) == 5
    page = drawn(forms="4,1,99")
    assert sorted(frames(page)[0].form) == [1, 4]
    page = drawn(form="2")
    assert "Form 2" in texts(page.subheader)


def test_the_data_are_those_of_the_selected_run_until_others_are_chosen(store):
    run = stored_run(store)
    page = well(opened(PAGE, run=str(run)))
    assert numbers(page.query_params["dataset"]) == store.run(run).config.dataset == "toy"
    page = well(opened(PAGE, run=str(run), dataset="demo"))
    assert numbers(page.query_params["dataset"]) == "demo"


def test_a_lasso_chooses_forms_and_stands_in_the_address():
    page = drawn()
    id = page.get("plotly_chart")[0].proto.id
    key = id[id.index("map/") :]
    points = [{"customdata": 3}, {"customdata": 0}, {"customdata": [3]}]
    page.session_state[key] = {"selection": {"points": points}}
    page = well(page.run())
    assert sorted(frames(page)[0].form) == [0, 3]
    assert page.query_params["forms"] in ("0,3", ["0,3"])


def test_memories_are_ringed():
    page = drawn(samplers="prior_as_released")
    (kept,) = [trace for trace in json.loads(specs(page)[0])["data"] if trace.get("name")]
    assert "Prior, as released" in kept["name"]
    table = frames(page)[0]
    assert list(table.form[table.kept != ""]) == [0, 1, 2]


def test_the_memory_that_a_run_stored_is_ringed():
    store = Store()
    id = stored_run(store)
    page = drawn(run=str(id), samplers="")
    table = frames(page)[0]
    assert list(table.form[table.kept == "TR"]) == [1, 2, 3]
    store.close()


def test_lfs_and_dlfs_keep_one_form_of_each_cluster_on_the_map():
    table = frames(drawn(samplers="lfs,dlfs", seed="7"))[0]
    for name in ("LFS", "DLFS"):
        held = table[[name in kept.split(", ") for kept in table.kept]]
        assert sorted(held.cluster) == [0, 1, 2]
    medoids = table[[("LFS" in kept.split(", ")) for kept in table.kept]].medoid
    assert medoids.all()


def test_samplers_that_take_a_parser_ask_for_a_run():
    page = well(opened(PAGE, **TOY | {"samplers": "prior"}))
    assert "no run has learned this task" in texts(page.info)
    assert not [b for b in page.button if b.label == "Draw the map"]


@pytest.mark.slow
def test_samplers_that_take_a_parser_are_ringed_by_a_runs(toy_config):
    store, owner = Store(), new_owner()
    id = store.create(toy_config.with_(method="emr", sampler="prior"), claimed_by=owner)
    run = execute(store, store.run(id), owner)
    kept = choosing.stored(store, run, 1, "").rows
    table = frames(drawn(samplers="prior", stored="none"))[0]
    forms = distinct_forms(make_toy_tasks()[1].train).of_row
    assert list(table.form[table.kept == "Prior"]) == sorted({forms[row] for row in kept})
    store.close()


def test_umap_is_no_choice_where_it_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    page = drawn(layout="umap")
    assert "pip install umap-learn" in texts(page.caption)
    assert "classical scaling, which shows" in texts(page.markdown)
    options = widget(page, "selectbox", "Layout of the map").options
    assert not [option for option in options if "UMAP" in option]


def test_tsne_lays_the_map_out_and_the_same_way_again():
    page = drawn(layout="tsne")
    assert "by t-SNE" in texts(page.markdown)
    marks = json.loads(specs(page)[0])["data"][0]
    assert len(marks["customdata"]) == 5
    assert specs(well(opened(PAGE, **TOY, layout="tsne"))) == specs(page)
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 0.1, (20, 3)), rng.normal(4, 0.1, (20, 3))])
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    laid, again = (clusters.tsne_layout(distances, points[:, :2], 0) for _ in range(2))
    assert np.array_equal(laid, again)
    spacing = np.linalg.norm(laid[:, None] - laid[None], axis=2)
    np.fill_diagonal(spacing, np.inf)
    assert [at // 20 for at in spacing.argmin(axis=1)] == [0] * 20 + [1] * 20  # neighbours stay


def test_umap_is_imported_with_the_click_that_draws_by_it(monkeypatch, tmp_path):
    (tmp_path / "umap.py").write_text(UMAP)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "umap", raising=False)
    page = well(opened(PAGE, **TOY))
    widget(page, "selectbox", "Layout of the map").set_value("umap").run()
    assert "umap" not in sys.modules
    page = clicked(page, "Draw the map")
    assert "by UMAP" in texts(page.markdown)
    (given,) = sys.modules["umap"].given
    assert given["metric"] == "precomputed"
    assert given["n_neighbors"] == 4  # of five forms
    assert given["init"].shape == (5, 2)
    marks = json.loads(specs(page)[0])["data"][0]
    assert page.query_params["layout"] in ("umap", ["umap"])
    assert frames(page)[0].form.tolist() == marks["customdata"]
    monkeypatch.delitem(sys.modules, "umap")


@pytest.mark.slow
def test_the_map_can_be_by_smatch():
    by_smatch = {"cluster__similarity": "smatch", "samplers": "dlfs", "view": "clusters"}
    page = well(opened(PAGE, **TOY | by_smatch))
    assert "5 distinct forms have 10 pairs" in texts(page.caption)
    page = clicked(page, "Draw the map")
    assert "similarity by Smatch" in texts(page.markdown)
    page = well(opened(PAGE, **TOY | by_smatch | {"view": "map"}))
    assert "similarity by Smatch" in texts(page.markdown)
    trees = distinct_forms(make_toy_tasks()[1].train).trees
    distances = 1 - all_pairs(SmatchSimilarity(trees))
    table = frames(page)[0]
    medoid = {row.cluster: row.form for row in table.itertuples() if row.medoid}
    for row in table.itertuples():
        assert row.to_medoid == pytest.approx(distances[row.form, medoid[row.cluster]], abs=1e-6)


@pytest.mark.parametrize("view", ["clusters", "smatch"])
def test_every_view_has_its_address(view):
    drawn()
    page = well(opened(PAGE, view=view, **TOY))
    if view == "clusters":
        assert len(specs(page)) == 3  # silhouettes, distances, tree
        assert frames(page)[0].forms.sum() == 5
        for cluster in range(3):
            page = well(opened(PAGE, view=view, cluster=str(cluster), **TOY))
            assert set(frames(page)[1].cluster) == {cluster}
    else:
        assert widget(page, "number_input", "Forms to compare").value == 5


@pytest.mark.slow
def test_productions_are_compared_with_smatch_on_a_click():
    page = drawn(view="smatch", compared="4")
    before = set(comparisons())
    page = clicked(page, "Compare")
    (what,) = set(comparisons()) - before
    assert comparisons()[what].wait(120)
    page = well(page.run())
    assert {metric.label.split(" of")[0] for metric in page.metric} == {
        "Rank correlation",
        "Agreement",
    }
    assert len(specs(page)) == 1
    assert comparisons()[what].result.pairs.shape == (6, 4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"memory_size": "0"}, f"memory size): 0 {LIMITS}"),
        ({"memory_size": "-5"}, f"memory size): −5 {LIMITS}"),  # the same limits
        ({"seed": "-1"}, "expected a whole number"),
        ({"cluster.clustering": "none_such"}, ""),
        ({"samplers": "fss,none_such"}, ""),
        ({"forms": "x", "form": "-4", "view": "nothing"}, ""),
    ],
)
def test_what_is_not_allowed_is_said(given, said):
    page = well(opened(PAGE, **TOY | given))
    assert said in letters(page.error)
    assert len(page.error) <= 1


def test_too_many_forms_for_the_matrix_are_said():
    page = drawn(cluster__matrix_mb="0")
    assert "matrix" in texts(page.error)
    assert not specs(page)


def test_fields_below_a_fault_come_back_with_their_values_in_the_browser_too():
    """A browser forgets what a page that ends early does not draw; the server does not."""
    page = well(opened(PAGE, dataset="demo", memory_size="3"))
    page = widget(page, "number_input", "Data seed").set_value(-1).run()
    assert page.error
    assert len(page.number_input) == 1
    page = well(widget(page, "number_input", "Data seed").set_value(0).run())
    size = widget(page, "number_input", "Clusters (memory size)").proto
    assert (size.set_value, size.value) == (True, 3)
    page = well(page.run())
    assert not widget(page, "number_input", "Clusters (memory size)").proto.set_value
