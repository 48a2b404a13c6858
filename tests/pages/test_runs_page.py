"""The table of runs: what varies, what is found, what is done with several, what is not there."""

import pytest

from core.charts.template import PALETTE, colour
from core.config import RunConfig
from core.runs.labels import MOST_TAGS, TAG_LENGTH, archive, describe, read_tags
from core.runs.owner import new_owner
from core.runs.run import STOPPED
from tests.made_up import finished_run, record_training, running_run
from tests.pages.sessions import (
    clicked,
    figures,
    frames,
    letters,
    numbers,
    opened,
    specs,
    texts,
    well,
    widget,
)

PAGE = "pages/runs.py"


def ticked(page, *rows: int):
    """The page once these rows of the table are ticked."""
    (table,) = [each for each in page.dataframe if "Progress" in each.value.columns]
    key = table.proto.id[table.proto.id.index("Runs/run/table") :]
    page.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    return well(page.run())


def test_settings_that_vary_are_columns_and_unfinished_values_say_so(store) -> None:
    finished_run(store, RunConfig(dataset="overnight", memory_size=10, task_masking=True))
    running_run(store, RunConfig(dataset="overnight", method="finetune"))
    store.create(RunConfig(dataset="overnight", memory_size=25, device="cuda:9"))
    table = frames(well(opened(PAGE)))[0]
    assert table["Memory: rows kept of each task"].tolist()[::2] == [25, 10]
    assert table["Task masking"].tolist() == ["off", "off", "on"]
    assert table["After"].fillna("").tolist() == ["", "1 of 3", "3 of 3"]
    assert not {"Epochs", "Tags", "Note", "Error rows"} & set(table.columns)


def test_runs_are_found_filtered_and_put_away(store) -> None:
    first = finished_run(store, RunConfig(), "alpha")
    second = finished_run(store, RunConfig(seed=1), "beta")
    running_run(store, RunConfig(seed=2), "gamma")
    describe(store, second, tags=["paper"], note="odd loss")

    def names(**address: str) -> list[str]:
        return frames(well(opened(PAGE, **address)))[0].Name.tolist()

    assert names() == ["gamma", "beta", "alpha"]
    assert names(find="ODD") == names(find="paper") == names(tag="paper") == ["beta"]
    assert names(find="seed 2") == names(status="running") == ["gamma"]
    archive(store, [first, second])
    assert names() == ["gamma"]
    assert names(archived="on") == ["beta", "alpha"]
    page = well(opened(PAGE, run=str(first)))  # an address opens what it says
    assert texts(page.subheader) == "alpha"
    assert "it was put away" in texts(page.caption)
    page = well(opened(PAGE, find="nothing like it"))
    assert "No run is like that" in texts(page.info)


def test_a_run_that_is_not_there_is_said_and_one_that_was_deleted_is_not(store) -> None:
    for seed in range(2):
        finished_run(store, RunConfig(seed=seed), f"run {seed}")
    page = well(opened(PAGE, run="99"))
    assert "a run that isn't there: 99" in letters(page.warning)
    assert texts(page.subheader) == ""
    page = well(opened(PAGE, run="2"))
    widget(page, "button", "Delete it").click().run()
    assert [run.id for run in store.runs()] == [1]
    assert "no run" not in letters([*well(page).warning, *page.toast, *page.error])
    assert texts(page.subheader) == "run 0"
    assert numbers(page.query_params["run"]) == "1"


def test_the_run_that_is_ticked_is_the_trays_selected_one_and_looks_as_there(store) -> None:
    for seed in range(3):
        finished_run(store, RunConfig(seed=seed), f"run {seed}")
    page = well(opened(PAGE, runs="1,2", run="1"))
    table = page.dataframe[0].value
    assert dict(zip(table.Run, table["Chosen as"], strict=True)) == {1: "run 0", 2: "run 1", 3: ""}
    page = ticked(page, 0, 2)
    assert texts(page.subheader) == "run 2"
    assert page.sidebar.radio[0].value == 3
    assert (numbers(page.query_params["runs"]), page.query_params["run"]) == ("1,2,3", "3")
    third = PALETTE[2]
    assert third in page.dataframe[0].proto.arrow_data.styler.styles
    drawn = [trace["line"]["color"] for figure in figures(page) for trace in figure["data"]]
    assert set(drawn) == {colour(2)}
    page = well(page.sidebar.radio[0].set_value(1).run())
    assert texts(page.subheader) == "run 0"


def test_a_run_that_trains_is_watched_where_nobody_has_chosen(store) -> None:
    training = running_run(store, RunConfig())
    finished_run(store, RunConfig(seed=1), "newer")
    page = well(opened(PAGE))
    assert page.sidebar.radio[0].value == training
    assert "is being carried out" not in texts(page.subheader)
    assert "running" in texts(page.markdown)


def test_several_are_stopped_resumed_tagged_put_away_and_deleted_with_one_question(store) -> None:
    for seed in range(2):
        running_run(store, RunConfig(seed=seed, device="cuda:9"))
    finished_run(store, RunConfig(seed=2))
    page = ticked(well(opened(PAGE)), 0, 1, 2)
    (link,) = [e.proto for e in page.get("page_link") if "run=3%2C2%2C1" in e.proto.query_string]
    assert link.label == "Compare"
    clicked(page, "Stop 2")
    assert [store.run(id).stop_requested for id in (1, 2)] == [True, True]
    for id in (1, 2):
        store.set_status(id, STOPPED)
    page = clicked(well(page.run()), "Resume 2")
    assert [store.run(id).status for id in (1, 2)] == ["queued", "queued"]
    widget(page, "text_input", "Tags to add").set_value("a, b, a")
    page = clicked(page, "Add")
    assert [run.tags for run in store.runs()] == [("a", "b")] * 3
    page.button(key="several/archive").click().run()
    assert all(run.archived for run in store.runs())
    page = ticked(well(opened(PAGE, archived="on")), 0, 2)
    clicked(page, "Delete them")
    assert [run.id for run in store.runs()] == [2]


def test_name_tags_and_note_are_saved_and_their_popover_closes(store) -> None:
    id = finished_run(store, RunConfig(), "mine")
    page = well(opened(PAGE))
    before = page.session_state["Runs/describe/1/closed"]
    widget(page, "text_input", "Tags").set_value("x, <b>y</b>,, x")
    widget(page, "text_area", "Note").set_value("see http://a.b\n*and* more")
    widget(page, "button", "Save").click().run()
    run = store.run(id)
    assert (run.tags, run.note) == (("x", "<b>y</b>"), "see http://a.b *and* more")
    assert "see http://a.b *and* more" in letters(well(page).markdown)
    assert page.session_state["Runs/describe/1/closed"] == before + 1


def test_a_run_that_waits_or_has_just_begun_has_no_figures(store, monkeypatch) -> None:
    store.create(RunConfig(device="cuda:9"))
    page = well(opened(PAGE))
    assert specs(page) == []
    assert "Waiting for a worker" in page.get("progress")[0].proto.text
    monkeypatch.setenv("TOTAL_RECALL_WORKERS", "0")
    page = well(opened(PAGE))
    assert "Waiting for a worker elsewhere" in page.get("progress")[0].proto.text
    owner = new_owner()
    record_training(store, store.create(RunConfig(), claimed_by=owner), until=0, owner=owner)
    assert len(specs(well(opened(PAGE)))) == 2


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("", ()),
        (" , ,", ()),
        ("a,b , a", ("a", "b")),
        ("x\ny\u202e", ("x y",)),
        ("t" * 99, ("t" * (TAG_LENGTH - 1) + "…",)),
        (",".join(map(str, range(99))), tuple(map(str, range(MOST_TAGS)))),
    ],
)
def test_tags_are_read(text: str, tags: tuple[str, ...]) -> None:
    assert read_tags(text) == tags
