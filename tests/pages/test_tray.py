"""The run tray: chosen once, the same on every page and in every address; what lacks is said."""

import hypothesis
import pytest
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.config import RunConfig
from core.events import Accuracy, Progress
from core.runs.labels import archive
from core.runs.owner import new_owner
from core.runs.run import RUNNING
from core.runs.store import Store
from pages.shared.tray import following
from pages.shared.tray.slots import MOST, Slots, read_slots
from tests.made_up import finished_run, full_run, record_training
from tests.pages.sessions import figures, numbers, opened, texts, well, widget

TOY = RunConfig(dataset="toy", method="emr", sampler="random")
PAGES = (
    "accuracy",
    "forgetting",
    "drilldown",
    "error_curves",
    "playground",
    "memories",
    "clusters",
    "report",
)
ELSEWHERE = ("runs", "launch", "experiments", "results", "paper", "glossary")
SINGLE = {"forgetting", "drilldown"}
RUNS = st.lists(st.integers(1, 30), max_size=20)


@pytest.fixture
def two(store: Store) -> list[int]:
    """Two runs that have recorded all that pages show, the second named."""
    return [full_run(store, TOY), full_run(store, TOY.with_(memory_size=7), "mine", kept=0.6)]


def tray(page: AppTest) -> tuple[list[str], int | None]:
    """The names in the side bar, and the selected run."""
    (radio,) = page.sidebar.radio
    return [name.replace("\\", "") for name in radio.options], radio.value


def address(page: AppTest) -> dict[str, str]:
    return {name: numbers(value) for name, value in page.query_params.items()}


def looks(page: AppTest) -> dict[str, set[tuple[str, str]]]:
    """By a trace's name, its colours and symbols in the page's figures."""
    styles: dict[str, set[tuple[str, str]]] = {}
    for figure in figures(page):
        for trace in figure["data"]:
            marker = trace.get("marker", {})
            if trace.get("name") and isinstance(marker.get("symbol"), str):
                colour = trace.get("line", {}).get("color") or marker.get("color")
                styles.setdefault(trace["name"], set()).add((colour, marker["symbol"]))
    return styles


# --- what lies where --------------------------------------------------------------------------


@hypothesis.given(st.lists(RUNS, max_size=6))
def test_a_run_keeps_its_slot_for_as_long_as_it_lies_in_the_tray(choices):
    slots = Slots()
    for ids in choices:
        later = slots.holding(ids)
        assert set(later.ids) == set(list(dict.fromkeys(ids))[:MOST])
        assert len(later.ids) == len(set(later.ids))
        for slot, id in enumerate(slots.runs):
            if id is not None and id in later.ids:
                assert later.runs[slot] == id
        assert later.selected in (later.ids or [None])
        assert read_slots(later.write())[0].runs == later.runs
        slots = later


# --- one tray on all pages --------------------------------------------------------------------


def test_runs_are_chosen_once_and_found_with_their_looks_on_every_page(store, two):
    newest = full_run(store, TOY.with_(memory_size=9))
    page = well(opened("pages/accuracy.py", run="2,1"))
    chosen = tray(page)
    assert chosen == (["mine", "EMR, M 50"], 2)
    for name in (*PAGES[1:], *ELSEWHERE):
        page = well(page.switch_page(f"pages/{name}.py").run())
        assert tray(page) == chosen, name
        assert (address(page)["runs"], address(page)["run"]) == ("2,1", "2"), name
        if name in SINGLE | {"playground"}:
            assert address(page)["other"] == "1", name
    page = well(page.switch_page("app.py").run())
    assert tray(page) == chosen
    assert chosen[0] == [name for name in page.dataframe[0].value["Chosen as"] if name][:2]
    page = well(page.switch_page("pages/accuracy.py").run())
    (mine,) = looks(page)["mine"]
    (emr,) = looks(page)["EMR, M 50"]
    assert mine != emr
    widget(page.sidebar, "multiselect", "Runs to look at and to compare").set_value([1, newest])
    page = well(page.run())
    assert address(page)["runs"] == f"{newest},1"
    assert looks(page)["EMR, M 50"] == {emr}  # whatever else lies in the tray
    page = well(page.switch_page("pages/error_curves.py").run())
    assert {colour for colour, _ in looks(page)["EMR, M 50, test"]} == {emr[0]}


@pytest.mark.parametrize("name", PAGES)
def test_an_address_opens_the_same_view_after_newer_runs_exist(store, two, name):
    page = well(opened(f"pages/{name}.py"))
    assert tray(page)[0] == [
        "EMR, M 50",
        "mine",
    ]  # chosen by nobody: the newest, and what it goes with
    before, said = address(page), figures(page)
    assert (before["runs"], before["run"]) == ("1,2", "2")
    full_run(store, TOY.with_(memory_size=9))
    again = well(opened(f"pages/{name}.py", **before))
    assert (address(again), figures(again), tray(again)) == (before, said, tray(page))
    assert "3" in numbers(opened(f"pages/{name}.py").query_params["runs"])  # what it would be now


@pytest.mark.parametrize(
    ("former", "runs", "run"),
    [
        ({"run": "2"}, "2", "2"),
        ({"run": "2,1"}, "2,1", "2"),
        ({"run": "2", "other": "1"}, "2,1", "2"),
    ],
)
def test_addresses_from_before_there_was_a_tray_open(store, two, former, runs, run):
    for name in ("accuracy", "forgetting"):
        page = well(opened(f"pages/{name}.py", **former))
        assert (address(page)["runs"], address(page)["run"]) == (runs, run)
        assert not page.warning


# --- what isn't there -------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_unknown_runs_in_an_address_are_said_and_not_replaced(store, two, name):
    page = well(opened(f"pages/{name}.py", run="77"))
    (warning,) = page.warning
    assert "77" in warning.value
    assert not page.sidebar.radio
    assert not figures(page)
    page = well(opened(f"pages/{name}.py", runs="1,<b>,78", run="1"))
    (warning,) = [each for each in page.warning if "78" in each.value]
    assert "<b>" not in warning.value
    assert tray(page)[1] == 1


def test_a_selected_run_without_recordings_is_named_and_the_others_are_offered(store, two):
    poor = finished_run(store, TOY.with_(seed=5), "<poor> *one*")
    page = well(opened("pages/forgetting.py", runs=f"1,{poor}", run=str(poor)))
    assert "recorded no probabilities of actions" in texts(page.info)
    assert "<poor>" not in texts(page.info)
    assert not figures(page)
    page = well(page.button(key="offer/1").click().run())
    assert address(page)["run"] == "1"
    assert figures(page)
    page = well(opened("pages/error_curves.py", runs=f"1,{poor}", run=str(poor)))
    assert "recorded no error curves" in texts(page.caption)
    assert figures(page)


def test_a_tray_that_nobody_has_chosen_takes_what_the_page_can_show(store, two):
    finished_run(store, TOY.with_(seed=5), "newest, without actions")
    assert tray(well(opened("pages/accuracy.py")))[1] == 3
    page = well(opened("pages/forgetting.py"))
    assert address(page)["run"] == "2"
    assert figures(page)


def test_an_archived_run_is_shown_where_an_address_names_it_and_not_offered(store, two):
    archive(store, [two[1]])
    (choice,) = well(opened("pages/accuracy.py")).sidebar.multiselect
    assert choice.options == [f"{two[0]} · {store.name(two[0])}"]
    page = well(opened("pages/accuracy.py", runs=str(two[1])))
    assert tray(page)[1] == two[1]


def test_an_emptied_tray_stays_empty_and_says_what_to_do(store, two):
    page = well(opened("pages/accuracy.py"))
    widget(page.sidebar, "multiselect", "Runs to look at and to compare").set_value([])
    page = well(page.run())
    assert address(page)["runs"] == "none"
    assert "No run is chosen" in texts(page.info)
    again = well(opened("pages/accuracy.py", runs="none"))
    assert not figures(again)


# --- runs that train --------------------------------------------------------------------------


def test_a_page_follows_a_run_that_trains(store, monkeypatch):
    owner = new_owner()
    id = store.create(TOY, claimed_by=owner)
    record_training(store, id, until=1, owner=owner)
    page = well(opened("pages/accuracy.py", run=str(id)))
    assert "Follows a run" in texts(page.caption)
    (before,) = [f for f in figures(page) if f["data"][0]["type"] == "scatter"][:1]
    run = store.run(id)
    assert run.status == RUNNING
    seen = following._position((id,), "task")
    store.record(id, Accuracy(1, 0, 1, 40), owner)
    store.record(id, Accuracy(1, 1, 1, 60), owner)
    assert following._position((id,), "task") == seen
    store.record(id, Progress(1.0, 2.0, 2, "slow", 1, 4, 0.1), owner)
    assert following._position((id,), "task") != seen
    (after,) = [f for f in figures(well(page.run())) if f["data"][0]["type"] == "scatter"][:1]
    assert after["data"][0]["x"] != before["data"][0]["x"]
    for kept in ("xaxis", "yaxis", "uirevision"):  # zoom stays, and the axis doesn't jitter
        assert after["layout"][kept] == before["layout"][kept]
