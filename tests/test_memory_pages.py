"""The memories page filled: samplers side by side, what runs stored, each view by its address."""

import pytest
from streamlit.testing.v1 import AppTest

from core.config import RunConfig
from core.events import MemoryStored, RunStarted
from core.registry import datasets
from core.runs.owner import new_owner
from core.runs.store import Store
from tests.conftest import make_toy_tasks
from tests.test_pages import opened, specs, texts, well, widget

PAGE = "pages/memories.py"
SAMPLED = {"dataset": "toy", "task": "zoo", "memory_size": "3", "seeds": "0-1"}
NASTY = "<b>x</b> :red[y] *z*"


@pytest.fixture
def store():
    store = Store()
    yield store
    store.close()


def clicked(page: AppTest, start: str) -> AppTest:
    (button,) = [b for b in page.button if b.label.startswith(start)]
    return well(button.click().run())


def stored_run(store: Store, rows=((0, 4, 2), (1, 2, 3)), name: str = "", **settings) -> int:
    """A run on the toy tasks that has stored a memory after its first tasks."""
    tasks = make_toy_tasks()
    counts = tuple(len(task.train) for task in tasks)
    facts = RunStarted(tuple(t.name for t in tasks), counts, counts, (), 9, 9, 9, "cpu")
    id = store.create(RunConfig(dataset="toy", **settings), name, claimed_by=new_owner())
    store.record(id, facts)
    for task, kept in enumerate(rows):
        store.record(id, MemoryStored(task, kept, {}))
    return id


def frames(page: AppTest):
    return [frame.value for frame in page.dataframe]


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
        found = well(opened(PAGE, view=view, find="KEEPER", **SAMPLED))
        shown = frames(found)[0]
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
    for task, name in enumerate(run.facts["tasks"]):
        settings = SAMPLED | {"samplers": "prior", "seeds": "0", "task": name, "view": "rows"}
        page = clicked(opened(PAGE, **settings), "Choose")
        shown = opened(PAGE, source="runs", run=str(id), task=name, view="rows")
        assert list(frames(page)[0].row) == list(frames(well(shown))[0].row)  # the run's own choice
        assert task < 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seeds": "--"}, "seeds"),
        ({"memory_size": "0"}, "expected at least 1 row"),
        ({"memory_size": "-1"}, "expected a whole number"),
        ({"seeds": "0-60"}, "At most 60 memories"),
        ({"samplers": "none_such"}, "Choose a sampler"),
    ],
)
def test_what_is_not_allowed_is_said(given, said):
    page = well(opened(PAGE, **SAMPLED | given))
    assert said in texts([*page.error, *page.info]).replace("\\", "").replace("\u2060", "")
    assert not specs(page)


def test_data_that_are_not_here_are_pointed_to(monkeypatch, tmp_path):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    page = well(opened(PAGE, dataset="overnight"))
    assert "not on this machine" in texts(page.warning)


# --- stored by runs ---------------------------------------------------------------------------


def test_no_stored_memory_says_what_to_do():
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
    id = store.create(RunConfig(dataset="toy"), NASTY, claimed_by=new_owner())
    store.record(id, RunStarted(tasks, (7, 7, 7), (1, 1, 1), (), 9, 9, 9, "cpu"))
    store.record(id, MemoryStored(0, (99,), {}))
    page = well(opened(PAGE, source="runs"))
    assert "learned other rows" in texts(page.warning)
    assert not specs(page)


def test_a_choice_stands_in_the_address(store):
    page = well(opened(PAGE, **SAMPLED))
    widget(page, "text_input", "Seeds").set_value("3").run()
    assert page.query_params["seeds"] in ("3", ["3"])
