"""The home page: the recorded demo at once, the same trained here, what a second press asks."""

import pytest

from core.config import RunConfig
from core.runs.manager import Manager
from core.runs.recordings import MARK
from core.validation.presets import demo_configs
from tests.made_up import DEMO, finished_run
from tests.pages.sessions import clicked, figures, letters, numbers, opened, texts, well


@pytest.fixture
def queue_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is submitted waits: no worker has this device."""

    def submit(self: Manager, config: RunConfig, name: str = "") -> int:
        return self.store.create(config.with_(device="cuda:9"), name)

    monkeypatch.setattr(Manager, "submit", submit)


def test_the_recorded_demo_is_there_at_once_and_leads_to_forgetting(store) -> None:
    page = well(opened("app.py"))
    assert [figure["data"][0]["type"] for figure in figures(page)] == ["heatmap", "heatmap"]
    assert all(len(figure["data"][1]["text"]) == 21 for figure in figures(page))
    assert "After 6 tasks: " in texts(page.markdown)
    assert "Recorded on" in texts(page.caption)
    assert not store.runs()
    for _ in range(2):  # put into the store once
        page = well(clicked(well(opened("app.py")), "See which actions"))
        runs = store.runs()
        assert [MARK in run.versions for run in runs] == [True, True]
    assert texts(page.title) == "Forgetting"
    page = well(opened("app.py"))
    assert "Recorded on" in texts(page.caption)  # those in the store were not trained here


@pytest.mark.usefixtures("queue_only")
def test_it_is_trained_here_and_a_second_press_shows_what_is_there_and_asks(store) -> None:
    page = clicked(well(opened("app.py")), "Run it here")
    del page.query_params["demo"]  # as where a rerun comes between, whose request had no address
    page = well(page.run())
    assert numbers(page.query_params["demo"]) == "here"
    plain = [run.config.with_(device="auto") for run in store.runs()]
    assert tuple(plain[::-1]) == demo_configs()
    assert "it waits for a free worker" in letters(page.markdown)
    assert figures(page) == []  # nothing is known of a run that waits
    page = clicked(page, "Run it here")
    assert "run 1 (queued, 0%) and run 2 (queued, 0%)" in letters(page.info)
    assert len(store.runs()) == 2
    page = clicked(page, "Cancel")
    page = clicked(clicked(page, "Run it here"), "Run both again")
    assert len(store.runs()) == 4
    assert "run 3 queued" in letters(page.markdown)


def test_the_demo_makes_way_for_runs_of_another_kind(store) -> None:
    (config, _) = demo_configs()
    finished_run(store, config)
    page = well(opened("app.py", demo="here"))
    assert [heading.value for heading in page.subheader][:2] == [
        "What is forgotten, and what a small memory keeps",
        "Latest runs",
    ]
    finished_run(store, DEMO)
    headings = [heading.value for heading in well(page.run()).subheader]
    assert headings[0] == "Latest runs"
