"""Runs that another version of the program left in the store: said, and in nobody's way."""

import json
from dataclasses import replace

import pytest
from sqlalchemy import update

from core.__main__ import main
from core.events import StageTime
from core.runs.estimate import estimate
from core.runs.owner import new_owner
from core.runs.run import FAILED, FINISHED, Unreadable
from core.runs.store import Store
from core.runs.tables import runs
from tests.made_up import finished_run
from tests.pages.sessions import FILES, opened, texts, well


def changed(store: Store, id: int, **settings: object) -> int:
    """The run, with settings that this version does not have."""
    text = json.dumps(store.run(id).config.to_dict() | settings)
    with store.engine.begin() as connection:
        connection.execute(update(runs).where(runs.c.id == id).values(config=text))
    return id


SETTINGS = [{"warp": 9}, {"epochs": -1}, {"schedule": "cosine"}, {"method_options": 3}]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_others_are_listed_and_it_is_named(store, toy_config, capsys, settings) -> None:
    good, strange = store.create(toy_config), changed(store, store.create(toy_config), **settings)
    assert [run.id for run in store.runs()] == [good]
    (sentence,) = store.unreadable()
    assert sentence.startswith(f"Run {strange} can't be read: its settings are not of this version")
    with pytest.raises(Unreadable, match=f"Run {strange} "):
        store.run(strange)
    assert main(["runs"]) == 0
    assert capsys.readouterr().err.strip() == sentence
    assert main(["show", str(strange)]) != 0
    assert capsys.readouterr().err.strip().endswith(sentence)


def test_one_that_waits_fails_and_the_next_is_taken(store, toy_config) -> None:
    strange = changed(store, store.create(toy_config), warp=9)
    good = store.create(toy_config)
    with pytest.raises(Unreadable):
        store.claim(new_owner())
    with store.engine.connect() as connection:
        row = connection.execute(runs.select().where(runs.c.id == strange)).one()
    assert (row.status, "warp" in row.error) == (FAILED, True)
    assert store.claim(new_owner()).id == good


def test_it_can_be_deleted(store, toy_config, capsys) -> None:
    strange = changed(store, store.create(toy_config), warp=9)
    assert main(["delete", str(strange), "--yes"]) == 0
    assert store.unreadable() == []


def test_times_are_estimated_without_it(store, toy_config) -> None:
    took = StageTime(0, "training", 60.0, 600.0)
    for stage in (took, replace(took, seconds=6.0)):
        owner = new_owner()
        id = store.create(toy_config, claimed_by=owner)
        store.record(id, stage, owner)
        store.set_status(id, FINISHED)
    assert len(store.runs()) == 2
    both = estimate(store, toy_config)
    changed(store, id, warp=9)
    assert estimate(store, toy_config).seconds > both.seconds


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_page_lives_with_it(store, toy_config, file) -> None:
    strange = changed(store, finished_run(store, toy_config), warp=9)
    finished_run(store, toy_config)
    page = well(opened(file, run=str(strange)))
    assert ("warp" in texts(page.warning)) == (file.stem == "runs")
