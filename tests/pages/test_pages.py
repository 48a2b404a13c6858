"""Every page by itself: empty, with runs, with what people may write into names and addresses."""

import json

import pandas as pd
import pytest
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from core.config import RunConfig
from core.paths import PROJECT
from core.runs import checkpoints
from core.runs.checkpoints import CheckpointError
from core.runs.owner import new_owner
from core.runs.run import FAILED, STOPPED
from pages.shared.ui.exports import as_percent
from pages.shared.ui.opening import pages
from pages.shared.ui.text import escape
from tests.made_up import TASKS, finished_run, record_errors, record_training, running_run
from tests.pages.sessions import (
    FILES,
    MOVED,
    SCRIPTS,
    STORELESS,
    figures,
    letters,
    numbers,
    opened,
    specs,
    texts,
    well,
    widget,
)

NASTY = "<b>x</b> :red[y] *z* $a$ [q](http://x) `c` :smile: | &lt;"

OF_RUNS = [file for file in FILES if file.stem not in STORELESS]


# --- all pages --------------------------------------------------------------------------------


def test_the_navigation_is_the_files_there_are():
    listed = pages(tuple((file, 0) for file in FILES))
    assert {page.file for page in listed} == {f.relative_to(PROJECT).as_posix() for f in FILES}
    assert [page.order for page in listed] == sorted(page.order for page in listed)
    assert len({page.title for page in listed}) == len(FILES)
    assert listed[0].file == "app.py"


def test_a_file_that_does_not_open_as_a_page_is_named(tmp_path):
    stray = tmp_path / "stray.py"
    stray.write_text("import streamlit\n")
    with pytest.raises(ValueError, match=r"stray\.py is no page"):
        pages(((stray, 0),))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_page_opens_on_an_empty_store(file):
    page = well(opened(file))
    assert page.title


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_page_opens_with_runs_in_every_state(file, store):
    finished_run(store, RunConfig(), NASTY)
    running_run(store, RunConfig(seed=1))
    store.create(RunConfig(device="cuda:9"))
    for status, error in ((FAILED, NASTY), (STOPPED, "")):
        id = store.create(RunConfig(), claimed_by=new_owner())
        store.set_status(id, status, error=error)
    well(opened(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_nonsensical_address_is_no_accident(file, store):
    finished_run(store, RunConfig())
    nonsense = {"run": "x,99,,1", "measure": "nothing", "matrix": "77", "clone": "x"}
    nonsense |= {"method": "none_such", "epochs": "many", "seeds": "--", "task_order": "no,such"}
    well(opened(file, **nonsense))


@pytest.mark.parametrize("file", OF_RUNS, ids=lambda file: file.stem)
def test_a_store_that_cannot_be_opened_is_said(file, monkeypatch):
    monkeypatch.setenv("TOTAL_RECALL_DATABASE_URL", "nonsense://here")
    page = well(opened(file))
    assert "The run store" in texts(page.error)


# --- names and messages stay text -------------------------------------------------------------


def test_markup_in_names_and_errors_is_escaped(store):
    id = store.create(RunConfig(), NASTY, claimed_by=new_owner())
    store.set_status(id, FAILED, error=NASTY)
    page = well(opened("pages/runs.py"))
    for shown in (texts(page.subheader), texts(page.error)):
        assert "\\<b\\>x\\<\\/b\\>" in shown
        assert "\\*z\\*" in shown
        assert ":red[" not in shown
        assert ":smile:" not in shown


# --- runs -------------------------------------------------------------------------------------


def test_runs_shows_the_run_that_the_address_names(store):
    finished_run(store, RunConfig(), "the first")
    finished_run(store, RunConfig(seed=1), "the second")
    page = well(opened("pages/runs.py", run="1"))
    assert texts(page.subheader) == "the first"
    page = well(opened("pages/runs.py"))
    assert texts(page.subheader) == "the second"
    assert numbers(page.query_params["run"]) == "2"


def test_a_running_run_is_preferred_and_told_in_words(store):
    running_run(store, RunConfig(), "busy")
    finished_run(store, RunConfig(seed=1), "done")
    page = well(opened("pages/runs.py"))
    assert texts(page.subheader) == "busy"
    (bar,) = page.get("progress")
    assert f"task 2 of 3, {TASKS[1]} · slow stage" in bar.proto.text


def test_a_run_that_waits_for_room_on_the_disk_says_so(store, monkeypatch):
    running_run(store, RunConfig(), "busy")
    assert "is full" not in texts(well(opened("pages/runs.py")).warning)
    monkeypatch.setattr("core.runs.room.LEAST_FREE", 10**18)
    (warning,) = well(opened("pages/runs.py")).warning
    assert "is full" in letters([warning])
    assert "go on by themselves" in letters([warning])


def test_a_run_leads_to_the_memories_that_it_has_stored(store):
    id = finished_run(store, RunConfig())
    links = [link.proto for link in well(opened("pages/runs.py")).get("page_link")]
    (link,) = [each for each in links if each.label == "Memories" and each.query_string]
    assert set(link.query_string.split("&")) == {"source=runs", f"run={id}"}
    store.create(RunConfig(device="cuda:9"))
    links = [link.proto for link in well(opened("pages/runs.py", run="2")).get("page_link")]
    assert not [each for each in links if each.label == "Memories" and each.query_string]


def test_stop_resume_rename_delete(store):
    id = running_run(store, RunConfig(device="cuda:9"), "mine")
    page = well(opened("pages/runs.py"))
    widget(page, "button", "Stop").click().run()
    assert store.run(id).stop_requested
    store.set_status(id, STOPPED)
    well(page.run())
    widget(page, "button", "Resume").click().run()
    assert store.run(id).status == "queued"
    widget(page, "text_input", "Name").set_value("yours")
    widget(page, "button", "Save").click().run()
    assert store.run(id).name == "yours"
    widget(page, "button", "Delete it").click().run()
    assert store.runs() == []
    assert "No run yet" in texts(well(page).info)


def test_what_cannot_be_done_is_said_in_passing(store, monkeypatch):
    finished_run(store, RunConfig(), "mine")
    page = well(opened("pages/runs.py"))
    widget(page, "text_input", "Name").set_value("  ")
    widget(page, "button", "Save").click().run()
    assert "can't be empty" in texts(well(page).toast).replace("\\'", "'")

    def unwritable(id: int) -> None:
        raise CheckpointError("The folder can't be removed: Permission denied.")

    monkeypatch.setattr(checkpoints, "delete", unwritable)
    widget(page, "button", "Delete it").click().run()
    assert "Permission denied" in texts(well(page).toast)


def test_a_run_leads_to_those_that_were_made_to_be_compared_with_it(store):
    for seed in range(2):
        finished_run(store, RunConfig(seed=seed))
    finished_run(store, RunConfig(dataset="overnight"))
    links = [link.proto for link in well(opened("pages/runs.py", run="1")).get("page_link")]
    (link,) = [each for each in links if each.label == "Compare"]
    assert link.query_string == "run=1%2C2"
    links = [link.proto for link in well(opened("pages/runs.py", run="3")).get("page_link")]
    assert not [each for each in links if each.label == "Compare"]


def test_a_running_run_is_not_offered_for_deletion(store):
    running_run(store, RunConfig())
    page = well(opened("pages/runs.py"))
    assert "Delete it" not in [button.label for button in page.button]
    assert "stop it first" in texts(page.markdown)


# --- accuracy ---------------------------------------------------------------------------------


def test_accuracy_averages_seeds_and_holds_the_paper_against_them(store):
    names = [f"t{k}" for k in range(8)]
    for seed in range(2):
        config = RunConfig(dataset="overnight", seed=seed)
        finished_run(store, config, tasks=names, rows=(20,) * 8, seed=seed)
    page = well(opened("pages/accuracy.py", run="1,2", measure="avg"))
    matrix, curves = specs(page)
    assert "n = 2" in curves
    assert "ACC_avg (%)" in curves
    assert "without DAR" in curves
    assert "52.84" in curves
    assert "correct" in matrix
    page = well(opened("pages/accuracy.py", run="1,2", paper="off", ceiling="off"))
    assert "without DAR" not in specs(page)[1]
    assert "upper bound: forms" not in specs(page)[1]


def test_what_is_chosen_stands_in_the_address_and_comes_back_from_it(store):
    for seed in range(3):
        finished_run(store, RunConfig(seed=seed), f"run {seed}")
    page = well(opened("pages/accuracy.py", run="3,1"))
    tray = widget(page.sidebar, "multiselect", "Runs to look at and to compare")
    assert tray.value == [3, 1]
    tray.set_value([2]).run()
    assert numbers(page.query_params["runs"]) == "2"
    again = well(opened("pages/accuracy.py", run="2"))
    assert specs(again) == specs(page)


def test_accuracy_without_a_learned_task_says_what_to_do(store):
    owner = new_owner()
    id = store.create(RunConfig(), claimed_by=owner)
    record_training(store, id, until=0, owner=owner)
    page = well(opened("pages/accuracy.py"))
    assert "No run has learned a task yet" in texts(page.info)
    assert len(page.get("page_link")) >= 2


# --- former addresses, and a store that comes and goes ------------------------------------------


def test_a_former_address_leads_on_with_its_query(store):
    assert {f.relative_to(PROJECT).as_posix() for f in SCRIPTS} >= set(MOVED)
    id = finished_run(store, RunConfig())
    record_errors(store, id)
    for former, file in MOVED.items():
        page, direct = (well(opened(name, run=str(id), measure="nll")) for name in (former, file))
        assert texts(page.title) == texts(direct.title)
        assert specs(page) == specs(direct) != []
        assert numbers(page.query_params["measure"]) == "nll"


@pytest.mark.parametrize("file", OF_RUNS, ids=lambda file: file.stem)
def test_a_store_that_goes_away_is_said_in_a_sentence_until_it_is_back(file, store, monkeypatch):
    finished_run(store, RunConfig())

    def away(*given: object, **more: object) -> None:
        raise OperationalError("SELECT secrets", {}, Exception("the server closed"))

    page = well(opened(file))
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "connect", away)
        (fault,) = well(page.run()).error
        assert fault.value == escape("The run store can't be read: the server closed.")
    assert not well(page.run()).error


def test_accuracy_begins_with_the_matrices_and_their_difference(store):
    names = [f"t{k}" for k in range(3)]
    for seed, method in enumerate(("finetune", "total_recall")):
        config = RunConfig(dataset="overnight", method=method)
        finished_run(store, config, tasks=names, kept=0.4 + 0.5 * seed, seed=seed)
    page = well(opened("pages/accuracy.py", run="1,2"))
    first, second, curves = (json.loads(spec) for spec in specs(page)[:3])
    assert [f["data"][0]["type"] for f in (first, second)] == ["heatmap", "heatmap"]
    assert curves["data"][0]["type"] == "scatter"
    page = well(opened("pages/accuracy.py", run="1,2", matrix="minus", a="1", b="0"))
    minus = json.loads(specs(page)[0])
    for text, a, b in zip(
        minus["data"][1]["hovertext"],
        second["data"][1]["hovertext"],
        first["data"][1]["hovertext"],
        strict=True,
    ):
        left, right = (
            int(t.split(": ")[1].split(" of ")[0]) / int(t.split(" of ")[1].split()[0])
            for t in (a, b)
        )
        assert f"{100 * (left - right):+.1f} points" in text


def test_runs_in_different_orders_have_a_matrix_by_position_and_one_each(store):
    config = RunConfig(dataset="overnight")
    for seed, tasks in enumerate((("t0", "t1", "t2"), ("t2", "t1", "t0"))):
        recorded = {"tasks": tasks, "rows": (20, 20, 20), "seed": seed, "kept": 0.4 + 0.5 * seed}
        finished_run(store, config.with_(seed=seed, order_seed=seed), **recorded)
    page = well(opened("pages/accuracy.py", run="1,2"))
    (matrix,) = (each for each in figures(page) if each["data"][0]["type"] == "heatmap")
    assert matrix["layout"]["xaxis"]["ticktext"] == ["task 1", "task 2", "task 3"]
    assert not any("correct" in text for text in matrix["data"][1]["hovertext"])
    assert "Mean over 2 runs, each in its own order" in texts(page.markdown)
    page = well(widget(page, "toggle", "Each run apart").set_value(True).run())
    assert page.query_params["apart"] == "on"
    first, second = (each for each in figures(page) if each["data"][0]["type"] == "heatmap")
    assert first["layout"]["xaxis"]["ticktext"][0] == "1 · t0"
    assert second["layout"]["xaxis"]["ticktext"][0] == "1 · t2"
    page = well(opened("pages/accuracy.py", run="1,2", apart="on", matrix="minus"))
    minus = figures(page)[0]
    assert len(minus["data"][1]["hovertext"]) == 6
    assert "Each learns in its own order" in texts(page.markdown)


def test_files_have_percent_as_the_page_has_and_say_so():
    table = pd.DataFrame({"Runs": ["a"], "ACC_whole": [12.5], "match": [0.25], "less": [-3.0]})
    file = as_percent(table, shares=["match"], percent=["ACC_whole"], points=["less"])
    assert list(file.columns) == ["Runs", "ACC_whole (%)", "match (%)", "less (points)"]
    assert file.iloc[0].tolist() == ["a", 12.5, 25.0, -3.0]
