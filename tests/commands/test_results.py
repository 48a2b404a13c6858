"""`results`: the table, and that it is the same from an exported file."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.events import Accuracy
from core.paths import PROJECT
from core.runs.owner import new_owner
from core.runs.run import FINISHED
from core.runs.store import Store
from tests.commands.exports import CONFIG, export
from tests.made_up import ROWS, finished_run, matrix, running_run, started


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The lines that `results` prints with these words."""
    assert main(["results", *words]) == 0
    return capsys.readouterr().out.splitlines()


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    """The table that `results` prints, a line a dictionary."""
    head, _, *rows = printed(capsys)
    return [dict(zip(cells(head), cells(row), strict=True)) for row in rows]


@pytest.fixture
def store(store: Store) -> Store:
    """Two seeds of EMR, one with task masking, one of another data set, one still running."""
    for seed in (0, 1):
        finished_run(store, CONFIG.with_(seed=seed), seed=seed)
    finished_run(store, CONFIG.with_(task_masking=True))
    finished_run(store, CONFIG.with_(dataset="nlmap_qt"))
    running_run(store, CONFIG.with_(method="finetune"))
    return store


def test_seeds_share_a_line_with_their_mean_and_deviation(store, capsys) -> None:
    first, masked = lines(capsys)
    ends = [matrix(0.7, seed=seed)[-1] for seed in (0, 1)]
    whole = [100 * sum(end) / sum(ROWS) for end in ends]
    avg = [100 * np.mean(np.array(end) / ROWS) for end in ends]
    spread = [f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}" for values in (whole, avg)]
    assert first == first | {
        "Method": "EMR",
        "Sampler": "random",
        "Task masking": "off",
        "n": "2",
        "ACC_whole / ACC_avg": " / ".join(spread),
    }
    assert (masked["Task masking"], masked["n"]) == ("on", "1")


def test_a_methods_variants_stand_together_masking_off_before_on(capsys) -> None:
    store, held = Store(), {"penalty": "ewc"}
    for masking in (True, False):
        for options in ({}, held):
            config = CONFIG.with_(method="total_recall", method_options=options)
            finished_run(store, config.with_(task_masking=masking))
    rows = [(line["Method"], line["Task masking"]) for line in lines(capsys)]
    named = ("Total Recall", "Total Recall + EWC")
    assert rows == [(name, masking) for name in named for masking in ("off", "on")]


def test_the_papers_values_stand_beside_runs_over_all_its_tasks(capsys) -> None:
    tasks = [f"task {k}" for k in range(8)]
    finished_run(Store(), CONFIG, tasks=tasks, rows=[50] * 8)
    assert "45.29 / 46.01" in printed(capsys)[-1]


def test_a_table_from_a_file_is_that_of_the_store(store, capsys, tmp_path: Path) -> None:
    path, direct = export(tmp_path / "results.json"), printed(capsys)
    assert len(json.loads(path.read_text(encoding="utf-8"))["runs"]) == 4
    for run in store.runs(statuses=["finished"]):
        store.delete(run.id)
    assert printed(capsys) == ["No run on overnight has finished."]
    assert printed(capsys, "--from", str(path)) == direct
    assert len(printed(capsys, "--from", str(path), "--dataset", "nlmap_qt")) == 3


def test_the_same_configuration_again_replaces_whatever_it_recorded(capsys, tmp_path) -> None:
    paths = [tmp_path / "first.json", tmp_path / "second.json"]
    for kept, error_rows, path in zip((0.2, 0.9), (32, 0), paths, strict=True):
        store = Store()
        id = finished_run(store, CONFIG.with_(error_rows=error_rows), kept=kept)
        export(path, id)
    both = printed(capsys, "--from", *map(str, paths))
    assert both == printed(capsys, "--from", str(paths[1]))
    assert both != printed(capsys, "--from", str(paths[0]))


def test_an_export_is_the_same_bytes_in_whatever_order_runs_are_given(store, tmp_path) -> None:
    first = export(tmp_path / "one.json", 1, 2, 3)
    second = export(tmp_path / "other.json", 3, 1, 2)
    assert first.read_bytes() == second.read_bytes()
    assert len(first.read_text(encoding="utf-8").splitlines()) == 3 + 2  # a run a line


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "can't be read"),
        ("runs", "is not a file of results"),
        ("[]", "is not a file of results of format 2"),
        ('{"format": 3, "runs": []}', "is not a file of results of format 2"),
        ('{"format": true, "runs": []}', "is not a file of results of format 2"),
        ('{"format": 1, "runs": [{}]}', "a run in it can't be read: 'config'"),
        ('{"format": 1, "runs": [{"config": {"speed": 1}}]}', "speed is not an option of a run"),
    ],
)
def test_a_file_that_is_none_is_said_in_a_sentence(capsys, tmp_path, content, said) -> None:
    path = tmp_path / "results.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["results", "--from", str(path)]) == 2
    err = capsys.readouterr().err
    assert str(path) in err
    assert said in err
    assert len(err.splitlines()) == 1


def test_numbers_of_the_store_do_not_go_with_a_file(store, capsys, tmp_path) -> None:
    path = export(tmp_path / "results.json")
    assert main(["results", "1", "--from", str(path)]) == 2
    assert "can't both be given" in capsys.readouterr().err


def test_counts_of_a_task_without_a_name_are_refused(store, capsys, tmp_path) -> None:
    path = export(tmp_path / "results.json", 1)
    path.write_text(path.read_text(encoding="utf-8").replace('"calendar", ', ""), encoding="utf-8")
    assert main(["results", "--from", str(path)]) == 2
    assert "tasks that it does not name" in capsys.readouterr().err


def test_a_method_without_memories_has_no_sampler(capsys) -> None:
    store = Store()
    owner = new_owner()
    id = store.create(CONFIG.with_(method="finetune"), claimed_by=owner)
    store.record(id, started(), owner)
    store.record(id, Accuracy(0, 0, 10, 40), owner)
    store.set_status(id, FINISHED)
    assert cells(printed(capsys)[-1])[:2] == ["Fine-tune", "–"]


_STATED = [
    (page, line)
    for page in ("README.md", "assets/measured.md")
    for line in re.findall(
        r"^python -m core ((?:results|experiment table) .*--from .+)$",
        (PROJECT / page).read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
]


def test_pages_state_the_commands_of_their_tables() -> None:
    assert {page for page, _ in _STATED} == {"README.md", "assets/measured.md"}


@pytest.mark.parametrize(("page", "line"), _STATED)
def test_a_table_is_what_the_command_beside_it_prints(capsys, monkeypatch, page, line) -> None:
    monkeypatch.chdir(PROJECT)
    assert main(shlex.split(line)) == 0
    table = capsys.readouterr().out.strip()
    assert table.count("\n") > 5
    assert table in (PROJECT / page).read_text(encoding="utf-8")
