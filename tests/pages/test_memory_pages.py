"""The memories page filled: samplers side by side, what runs stored, each view by its address."""

import re

import numpy as np
import pytest

from core.config import RunConfig
from core.data.deriving import derive
from core.events import MemoryStored, RunStarted
from core.language.derivation import Action
from core.registry import datasets
from core.runs.owner import new_owner
from core.similarity.base import distinct_forms
from core.similarity.smatch import SmatchSimilarity
from pages.shared.access import aligning
from tests.conftest import make_toy_tasks
from tests.made_up import stored_run
from tests.pages.sessions import clicked, frames, letters, opened, specs, texts, well, widget

PAGE = "pages/memories.py"
LIMITS = "can't be; expected a whole number from 1 to 100,000."
SAMPLED = {"dataset": "toy", "task": "zoo", "memory_size": "3", "seeds": "0-1"}
NASTY = "<b>x</b> :red[y] *z*"


def test_nothing_is_computed_before_a_click_and_results_open_at_once_afterwards():
    page = well(opened(PAGE, **SAMPLED))
    assert not specs(page)
    page = clicked(page, "Choose the 6 memories")
    assert len(specs(page)) == 3  # entropies, coverage, overlap
    again = well(opened(PAGE, **SAMPLED))
    assert specs(again) == specs(page)


def test_the_numbers_are_of_the_samplers_chosen():
    page = opened(PAGE, **SAMPLED | {"samplers": "prior_as_released,balance"})
    table = frames(clicked(page, "Choose the 4 memories"))[0]
    assert list(table.label) == ["Balance", "Prior, as released"] or list(table.label) == [
        "Prior, as released",
        "Balance",
    ]
    assert list(table.jaccard) == [1, 1]  # nothing is drawn


@pytest.mark.parametrize("view", ["compare", "actions", "search", "rows"])
def test_every_view_has_its_address(view):
    clicked(opened(PAGE, **SAMPLED), "Choose")
    page = well(opened(PAGE, view=view, **SAMPLED))
    assert specs(page) or view == "rows"
    if view == "rows":
        (rows,) = frames(page)
        assert len(rows) == 3
        search = well(opened(PAGE, view=view, find="KEEPER", **SAMPLED))
        shown = frames(search)[0]
        assert all("keeper" in form for form in shown.logical_form)


def test_a_view_of_no_search_says_which_samplers_make_one():
    settings = SAMPLED | {"samplers": "random", "view": "search"}
    page = clicked(opened(PAGE, **settings), "Choose")
    assert "DLFS and Balance" in texts(page.info)


def test_model_based_samplers_ask_for_a_run(store):
    page = well(opened(PAGE, **SAMPLED | {"samplers": "fss"}))
    assert "no run has learned this task" in texts(page.info)
    assert [link.proto.page for link in page.get("page_link")]


@pytest.mark.slow
def test_model_based_samplers_take_the_parser_of_a_run(store, toy_config):
    from core.runs.execution import execute

    owner = new_owner()
    id = store.create(toy_config.with_(method="emr", sampler="prior"), claimed_by=owner)
    run = execute(store, store.run(id), owner)
    assert run.status == "finished"
    for task, name in enumerate(run.tasks):
        settings = SAMPLED | {"samplers": "prior", "seeds": "0", "task": name, "view": "rows"}
        page = clicked(opened(PAGE, **settings), "Choose")
        shown = opened(PAGE, source="runs", run=str(id), task=name, view="rows")
        assert list(frames(page)[0].row) == list(frames(well(shown))[0].row)  # the run's own choice
        assert task < 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seeds": "--"}, "seeds"),
        ({"memory_size": "0"}, f": 0 {LIMITS}"),
        ({"memory_size": "-5"}, f": −5 {LIMITS}"),  # the same limits
        ({"memory_size": "-1"}, "expected a whole number"),
        ({"seeds": "0-60"}, "At most 60 memories"),
        ({"samplers": "none_such"}, "Choose a sampler"),
    ],
)
def test_what_is_not_allowed_is_said(given, said):
    page = well(opened(PAGE, **SAMPLED | given))
    (sentence,) = [*page.error, *page.info]
    assert said in letters([sentence])
    assert not specs(page)


def test_data_that_are_not_here_are_pointed_to(monkeypatch, tmp_path):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    page = well(opened(PAGE, dataset="overnight"))
    assert "not on this machine" in texts(page.warning)


# --- stored by runs ---------------------------------------------------------------------------


def test_no_stored_memory_says_what_to_do(store):
    assert "No run yet" in texts(well(opened(PAGE, source="runs")).info)
    store.create(RunConfig(device="cuda:9"))
    page = well(opened(PAGE, source="runs"))
    assert "No run has stored a memory yet" in texts(page.info)
    assert len(page.get("page_link")) >= 2


def test_the_stored_memory_is_shown_with_its_rows(store):
    id = stored_run(store)
    page = well(opened(PAGE, source="runs", run=str(id), task="port", view="rows"))
    (rows,) = frames(page)
    port = datasets["toy"].value(None)[1]
    assert list(rows.row) == [1, 2, 3]
    assert list(rows.utterance) == [port.train[row].utterance for row in (1, 2, 3)]


def test_runs_that_differ_in_their_seed_share_a_label(store):
    ids = [stored_run(store, (rows,), seed=s) for s, rows in enumerate([(0, 1), (1, 2)])]
    page = well(opened(PAGE, source="runs", run=",".join(map(str, ids))))
    (table, *_) = frames(page)
    assert list(table.seeds) == [2]
    assert table.jaccard[0] == pytest.approx(1 / 3)


def test_data_that_changed_since_are_said_and_not_shown(store):
    tasks = ("zoo", "port", "farm")
    owner = new_owner()
    id = store.create(RunConfig(dataset="toy"), NASTY, claimed_by=owner)
    store.record(id, RunStarted(tasks, (7, 7, 7), (1, 1, 1), (), 9, 9, 9, "cpu"), owner)
    store.record(id, MemoryStored(0, (99,), {}), owner)
    page = well(opened(PAGE, source="runs"))
    assert "learned other rows" in texts(page.warning)
    assert not specs(page)


def test_a_choice_stands_in_the_address(store):
    page = well(opened(PAGE, **SAMPLED))
    widget(page, "text_input", "Seeds").set_value("3").run()
    assert page.query_params["seeds"] in ("3", ["3"])


# --- larger idioms, Smatch ----------------------------------------------------------------------


def test_a_run_with_larger_idioms_shows_its_own_actions(store):
    ids = [stored_run(store, idioms=idioms) for idioms in (4, 0)]
    page = well(opened(PAGE, source="runs", run=str(ids[0]), task="port", view="rows"))
    (rows,) = frames(page)
    port = derive(make_toy_tasks(), 4)[1]
    shown = ["  ".join(str(step.action) for step in port.train[row].derivation) for row in rows.row]
    assert list(rows.actions) == shown
    assert list(rows.actions) != ["  ".join(map(str, actions_of(row))) for row in rows.row]
    assert "larger idioms" in texts(page.caption)
    both = {"source": "runs", "run": ",".join(map(str, ids)), "task": "port"}
    page = well(opened(PAGE, **both))
    assert not page.warning  # the rows are the same, whatever the actions
    assert "those of TR, idioms 4" in texts(page.caption).replace("\\", "")
    page = well(opened(PAGE, **both | {"run": str(ids[1])}))
    assert "larger idioms" not in texts(page.caption)


def actions_of(row: int) -> list[Action]:
    return [step.action for step in make_toy_tasks()[1].train[row].derivation]


@pytest.mark.slow
def test_smatch_is_aligned_on_a_click_and_known_afterwards():
    by_smatch = SAMPLED | {"samplers": "dlfs,lfs", "dlfs__similarity": "smatch", "seeds": "0"}
    page = well(opened(PAGE, **by_smatch))
    assert "5 distinct forms have 10 pairs" in texts(page.caption)
    trees = distinct_forms(make_toy_tasks()[0].train).trees
    every = np.arange(5)
    assert SmatchSimilarity(trees).missing(every, every) == 10
    page = clicked(page, "Choose the 2 memories")
    assert SmatchSimilarity(trees).missing(every, every) == 0
    assert len(specs(page)) == 3
    assert specs(well(opened(PAGE, **by_smatch))) == specs(page)
    assert "pairs" not in texts(well(opened(PAGE, **by_smatch)).caption)


def test_more_forms_than_smatch_can_align_on_a_page_are_refused(monkeypatch):
    monkeypatch.setattr(aligning, "MOST_FORMS", 4)
    settings = SAMPLED | {"samplers": "lfs", "lfs__similarity": "smatch"}
    page = well(opened(PAGE, **settings))
    said = letters(page.error)
    assert "5 distinct forms have 10 pairs" in said
    assert re.search(r"at \d+ ms a pair as measured", said)
    assert "Expected: productions" in said
    assert not [b for b in page.button if b.label.startswith("Choose")]


@pytest.mark.slow
def test_a_cancelled_alignment_keeps_what_it_has():
    trees = distinct_forms([row for task in make_toy_tasks() for row in task.train]).trees
    every, reports = np.arange(len(trees)), []

    def cancel(share: float, words: str) -> None:
        reports.append((share, words))
        if len(reports) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        aligning.align(trees, cancel)
    left = SmatchSimilarity(trees).missing(every, every)
    assert 0 < left < aligning.pairs_of(len(trees))
    reports.clear()
    aligning.align(trees, lambda *now: reports.append(now))
    assert reports[-1] == (1.0, f"{left} of {left} pairs aligned by Smatch …")


def test_how_long_an_alignment_takes_is_said_in_fitting_units():
    basis = "on one core, at 127 ms a pair as measured on a few of them"
    assert aligning.duration_of(5, 0.127) == f"about 1.3 seconds {basis}"
    assert aligning.duration_of(192, 0.127) == f"about 39 minutes {basis}"
    assert "hours" in aligning.duration_of(700, 0.127)
    assert "days" in aligning.duration_of(5088, 0.127)
    assert "not known" in aligning.duration_of(5, None)
