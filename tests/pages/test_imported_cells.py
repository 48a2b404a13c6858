"""Cells of a file on pages: imported by a click, said to be so wherever less is known of them."""

import pytest

from core.analysis import exported_runs, imported_runs
from core.experiments import catalog
from core.paths import PROJECT
from core.runs.run import FINISHED
from core.runs.store import Store
from tests.pages.sessions import clicked, letters, opened, specs, well

RESULTS = (PROJECT / "assets" / "results.json").read_bytes()


def uploaded(name: str, content: bytes):
    page = well(opened("pages/experiments.py", view="new", start="file"))
    page.file_uploader[0].upload(name, content, "application/json")
    return well(page.run())


def test_a_file_is_imported_by_a_click_and_experiments_count_it(store: Store) -> None:
    n = len(exported_runs.read(RESULTS.decode(), "results"))
    page = uploaded("results.json", RESULTS)
    assert f"{n} finished runs in it" in letters(page.markdown)
    page = well(clicked(page, "Import them"))
    assert f"{n} finished runs imported" in letters(page.toast)
    assert [run.status for run in store.runs()] == [FINISHED] * n


def test_a_file_that_is_none_is_said(store: Store) -> None:
    for content in (b"{", b"\xff\xfe", b'{"format": 1, "runs": [{}]}'):
        page = uploaded("results.json", content)
        assert len(page.error) == 1
        assert not any(button.label == "Import them" for button in page.button)


@pytest.fixture
def imported(store: Store) -> Store:
    from core.experiments.presets import presets

    records = exported_runs.read(RESULTS.decode(), "results")
    imported_runs.put_in(store, records)
    catalog.create(store, presets["main-overnight"].value())
    return store


@pytest.mark.parametrize("page", ["experiments", "results"])
def test_experiments_say_which_cells_come_from_a_file(imported: Store, page: str) -> None:
    shown = well(opened(f"pages/{page}.py", experiment="main-overnight"))
    assert "60 of 60 finished cells come from a file" in letters(shown.caption)


def test_an_imported_run_has_no_empty_figure(imported: Store) -> None:
    page = well(opened("pages/runs.py", run="1"))
    assert "Imported: its accuracies are all that is known" in letters(page.info)
    assert len(specs(page)) == 1


@pytest.mark.parametrize("name", ["forgetting", "drilldown", "error_curves", "playground"])
def test_pages_that_need_more_say_so_instead_of_an_empty_figure(imported: Store, name: str) -> None:
    page = well(opened(f"pages/{name}.py", run="1"))
    assert "No run has" in letters(page.info)
    assert specs(page) == []
