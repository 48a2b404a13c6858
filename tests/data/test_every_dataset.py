"""Over the registry: what holds for every data set, whose data are here or not."""

from pathlib import Path

import pytest

from core.commands.line import flag
from core.config import RunConfig
from core.data.base import DataMissing, Task, load_tasks
from core.data.io.inventory import downloadable, published_files
from core.language.derivation import actions_to_logical_form
from core.options import ConfigError, specs
from core.registry import datasets
from tests.conftest import missing

NAMES = list(datasets)


def tasks_of(name: str) -> tuple[Task, ...]:
    """The data set's tasks; the test is skipped where its data are not here."""
    try:
        return load_tasks(RunConfig(dataset=name))
    except DataMissing as error:
        if name in downloadable():
            missing(str(error))
        pytest.skip(str(error))  # data of one's own: none are here in a fresh home


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_tasks_have_names_and_rows_to_learn_and_to_test(name: str) -> None:
    tasks = tasks_of(name)
    assert len(tasks) >= 2
    assert len({task.name for task in tasks}) == len(tasks)
    for task in tasks:
        assert task.name.strip()
        assert task.train
        assert task.test
        assert isinstance(task.train, tuple)
        rows = (*task.train, *task.valid, *task.test)
        assert all(row.words and row.derivation for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_forms_are_those_of_their_derivations(name: str) -> None:
    for task in tasks_of(name):
        by_form = {row.logical_form: row for row in (*task.train[:200], *task.test[:200])}
        for text, row in by_form.items():
            tree = actions_to_logical_form([step.action for step in row.derivation])
            assert str(tree) == text


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_same_options_give_the_same_tasks(name: str) -> None:
    assert tasks_of(name) == tasks_of(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_rows_can_be_held_out(name: str) -> None:
    for task, held in zip(
        tasks_of(name), load_tasks(RunConfig(dataset=name, evaluation="heldout")), strict=True
    ):
        assert held.test
        assert held.train
        assert not set(map(id, held.test)) & set(map(id, task.test))


@pytest.mark.parametrize("name", NAMES)
def test_data_that_are_not_here_are_named_with_the_way_to_get_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "nothing"))
    if name in downloadable():
        with pytest.raises(DataMissing, match=f"python -m core data get {name}"):
            load_tasks(RunConfig(dataset=name))
        return
    said = ""
    try:
        assert load_tasks(RunConfig(dataset=name))
    except DataMissing as error:  # data of one's own
        said = str(error)
    assert "data get" not in said  # nothing fetches them


@pytest.mark.parametrize("name", NAMES)
def test_what_can_be_fetched_has_files_a_source_and_terms(name: str) -> None:
    entry = datasets[name]
    assert (name in downloadable()) == bool(entry.folder)
    if entry.folder:
        assert published_files(name)
        assert entry.citation
        assert entry.licence


@pytest.mark.parametrize("name", NAMES)
def test_options_are_declared_and_others_refused(name: str) -> None:
    for spec in specs(datasets[name].options):
        assert spec.help
        assert flag(f"dataset.{spec.name}").startswith("--dataset.")
        assert spec.check(spec.default, "") == spec.default
    with pytest.raises(ConfigError, match=rf"{name}\.strange is not an option"):
        RunConfig(dataset=name, dataset_options={"strange": 1}).options("dataset")
