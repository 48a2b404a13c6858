"""`bench store` at toy scale: every page's tables and every command are read of made-up runs."""

import os

from core.__main__ import main
from core.commands.bench.synthetic import TASKS, fill
from core.runs.store import Store


def test_everything_is_timed_in_a_home_of_its_own(home, capsys) -> None:
    assert main(["bench", "store", "--runs", "12"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    pages = {line.split("|")[1].strip() for line in lines[2:]}
    assert {"Accuracy", "Forgetting", "Drill-down", "Error curves", "`results`"} <= pages
    assert all(float(line.split("|")[-2]) >= 0 for line in lines[2:])
    assert os.environ["TOTAL_RECALL_HOME"] == str(home)
    assert not home.exists() or not list(home.glob("*.sqlite"))


def test_made_up_runs_are_read_as_finished_ones(store: Store) -> None:
    fill(store, 7)
    runs = store.runs()
    assert [run.id for run in runs] == list(range(7, 0, -1))
    assert {run.status for run in runs} == {"finished"}
    assert runs[0].tasks == TASKS
    assert not store.unreadable()


def test_a_number_that_makes_no_sense_is_refused(capsys) -> None:
    assert main(["bench", "store", "--runs", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err
