"""The real benchmarks: every row, against counts that were measured apart from this code."""

import shutil
from pathlib import Path

import pytest

from core.data.base import DataError, DataMissing, FormReader, Task
from core.data.io.inventory import published_files
from core.language.derivation import actions_to_logical_form
from core.language.grammar import Grammar
from core.language.tree import read
from core.registry import datasets

NAMES = ["overnight", "nlmap_qt", "nlmap_city"]

ROWS = {  # task → train, dev, test
    "overnight": {
        "basketball": (1561, 0, 391),
        "blocks": (1596, 0, 399),
        "calendar": (669, 0, 168),
        "housing": (752, 0, 189),
        "publications": (640, 0, 161),
        "recipes": (864, 0, 216),
        "restaurants": (1325, 0, 332),
        "socialnetwork": (3535, 0, 884),
    },
    "nlmap_qt": {
        "count": (5464, 232, 462),
        "findkey": (3204, 306, 610),
        "latlong": (7452, 710, 1420),
        "least": (3772, 360, 718),
    },
    "nlmap_city": {
        "task0": (3656, 525, 1048),
        "task1": (3250, 466, 931),
        "task2": (1665, 240, 479),
        "task3": (1853, 267, 534),
        "task4": (1942, 280, 559),
        "task5": (3217, 463, 924),
        "task6": (1851, 267, 533),
        "task7": (2313, 333, 664),
    },
}
FORMS = {  # distinct forms of the training rows
    "overnight": {
        "basketball": 252,
        "blocks": 469,
        "calendar": 192,
        "housing": 230,
        "publications": 147,
        "recipes": 124,
        "restaurants": 339,
        "socialnetwork": 621,
    },
    "nlmap_qt": {"latlong": 5088},
    "nlmap_city": {"task0": 2524},
}
GRAMMARS = {  # actions, slots, mean and greatest length of the training derivations
    "overnight": (215, 42, 12.74, 22),
    "nlmap_qt": (5186, 52, 9.17, 18),
    "nlmap_city": (5229, 60, 9.24, 18),
}
CEILINGS = {  # % of the test rows that own training data, or all, make writable
    "overnight": (99.9, 99.9),
    "nlmap_qt": (77.7, 80.2),
    "nlmap_city": (73.0, 76.5),
}


def load(name: str) -> tuple[Task, ...]:
    entry = datasets[name]
    return entry.value(entry.options())


def rows_of(tasks: tuple[Task, ...]) -> list:
    return [row for task in tasks for row in (*task.train, *task.valid, *task.test)]


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
class TestRealRows:
    """What holds for every row of a benchmark."""

    def test_tasks_and_rows_are_as_published(self, real_data: Path, name: str) -> None:
        tasks = load(name)
        assert [task.name for task in tasks] == list(ROWS[name])
        for task in tasks:
            counts = (len(task.train), len(task.valid), len(task.test))
            assert counts == ROWS[name][task.name]
        for task, count in FORMS[name].items():
            assert len(next(t for t in tasks if t.name == task).forms) == count

    def test_rows_are_the_files_bytes(self, real_data: Path, name: str) -> None:
        folder = real_data / datasets[name].folder
        for task in load(name):
            for split, rows in (("train", task.train), ("dev", task.valid), ("test", task.test)):
                if rows:
                    text = "".join(f"{row.utterance}\t{row.logical_form}\n" for row in rows)
                    held = (folder / f"{task.name}_{split}.tsv").read_bytes()
                    assert text.encode() == held

    def test_every_form_survives_tree_and_actions(self, real_data: Path, name: str) -> None:
        notation = {"overnight": "s_expression"}.get(name, "functional")
        seen = {}
        for row in rows_of(load(name)):
            assert seen.setdefault(row.logical_form, row.derivation) is row.derivation
        for text, steps in seen.items():
            tree = read(text, notation)
            assert str(tree) == text
            assert actions_to_logical_form([step.action for step in steps]) == tree

    def test_actions_slots_and_lengths(self, real_data: Path, name: str) -> None:
        tasks = load(name)
        grammar = Grammar([[row.derivation for row in task.train] for task in tasks])
        lengths = [len(row.derivation) for task in tasks for row in task.train]
        actions, slots, mean, longest = GRAMMARS[name]
        assert (len(grammar.actions), len(grammar.slots)) == (actions, slots)
        assert sum(lengths) / len(lengths) == pytest.approx(mean, abs=0.005)
        assert max(lengths) == longest

    def test_the_share_of_test_rows_that_can_be_written(self, real_data: Path, name: str) -> None:
        tasks = load(name)
        by_task = [[row.derivation for row in task.train] for task in tasks]
        every = Grammar(by_task)
        by_task_alone = total = together = 0
        for task, rows in zip(tasks, by_task, strict=True):
            alone = Grammar([rows])
            total += len(task.test)
            by_task_alone += sum(alone.encode(row.derivation) is not None for row in task.test)
            together += sum(every.encode(row.derivation) is not None for row in task.test)
        expected = CEILINGS[name]
        assert (100 * by_task_alone / total, 100 * together / total) == pytest.approx(
            expected, abs=0.05
        )


@pytest.mark.data
@pytest.mark.slow
def test_all_rows_were_there(real_data: Path) -> None:
    assert sum(len(rows_of(load(name))) for name in NAMES) == 66_652


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "repeated", "in_both", "known_forms"),
    [("overnight", 125, 67, 0.99), ("nlmap_qt", None, 3, 0.30), ("nlmap_city", None, 1, 0.24)],
)
def test_rows_repeat_as_measured(
    real_data: Path, name: str, repeated: int | None, in_both: int, known_forms: float
) -> None:
    again = both = known = total = 0
    for task in load(name):
        train = [(row.utterance, row.logical_form) for row in task.train]
        again += len(train) - len(set(train))
        shown = set(train)
        both += sum((row.utterance, row.logical_form) in shown for row in task.test)
        forms = set(task.forms)
        known += sum(row.logical_form in forms for row in task.test)
        total += len(task.test)
    assert repeated in (None, again)
    assert both == in_both
    assert known / total == pytest.approx(known_forms, abs=0.01)


def write(folder: Path, dataset: str, text: str = "show x\t( f x )\n") -> list[Path]:
    """Made-up files in the place of the published ones."""
    paths = [folder / file.name for file in published_files(dataset)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return paths


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder; the published files keep their names."""
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_missing_data_say_how_to_get_them(data: Path, name: str) -> None:
    count = len(published_files(name))
    with pytest.raises(DataMissing, match=f"{count} of {count} files are missing") as got:
        load(name)
    assert f"python -m core data get {name}" in str(got.value)
    assert "TOTAL_RECALL_DATA" in str(got.value)


@pytest.mark.parametrize("name", NAMES)
def test_the_files_that_are_loaded_are_the_published_ones(data: Path, name: str) -> None:
    form = "( f x )" if name == "overnight" else "f ( x )"
    write(data, name, f"show x\t{form}\n")
    assert len(rows_of(load(name))) == len(published_files(name))


def test_one_missing_file_is_named(data: Path) -> None:
    paths = write(data, "overnight")
    paths[3].unlink()
    with pytest.raises(DataMissing, match=f"1 of 16 files .*{paths[3].name}"):
        load("overnight")


def test_a_bad_row_names_its_file(data: Path) -> None:
    paths = write(data, "overnight")
    paths[5].write_text("show x\t( f x )\nshow y ( f y )\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"{paths[5].name}, line 2, column 15: expected 2 columns"):
        load("overnight")


def test_files_are_read_once_until_one_changes(data: Path) -> None:
    paths = write(data, "overnight")
    first = load("overnight")
    assert load("overnight") is first
    paths[0].write_text("show other things\t( f y )\n", encoding="utf-8")
    again = load("overnight")
    assert again is not first
    assert {row.logical_form for row in rows_of(again)} == {"( f x )", "( f y )"}


def test_another_folder_is_other_data(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(data / "one", "overnight")
    shutil.copytree(data / "one", data / "two")
    write(data / "two", "overnight", "show y\t( f y )\n")
    forms = []
    for folder in ("one", "two"):
        monkeypatch.setenv("TOTAL_RECALL_DATA", str(data / folder))
        forms.append({row.logical_form for row in rows_of(load("overnight"))})
    assert forms == [{"( f x )"}, {"( f y )"}]


@pytest.mark.parametrize("name", NAMES)
def test_source_and_terms_are_stated(name: str) -> None:
    entry = datasets[name]
    assert entry.summary
    assert "20" in entry.citation
    assert "publishers" in entry.licence


def test_a_row_is_read_with_the_steps_of_its_form(data: Path) -> None:
    write(data, "overnight", "a\t( f ( g x ) y )\nb\t( f ( g x ) y )\n")
    rows = rows_of(load("overnight"))
    assert rows[0].derivation is rows[-1].derivation
    assert rows[0] == FormReader().example("a", "( f ( g x ) y )")
