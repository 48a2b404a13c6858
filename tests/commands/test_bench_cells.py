"""`bench cells` at toy scale: everything is read of an experiment of made-up cells."""

from core.__main__ import main
from core.commands.bench.cells import ARMS, NAME, fill, reads
from core.experiments import catalog
from core.experiments.status import status
from core.runs.run import FINISHED
from core.runs.store import Store


def test_pages_and_commands_are_timed(home, capsys) -> None:
    assert main(["bench", "cells", "--cells", "20"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    pages = {line.split("|")[1].strip() for line in lines[2:]}
    assert {"Experiments", "Results", "`experiment status`"} <= pages
    assert not home.exists() or not list(home.glob("*.sqlite"))


def test_made_up_cells_are_found_and_some_of_them_have_failed(store: Store) -> None:
    fill(store, 20)
    now = status(store, catalog.load(store, NAME).id)
    assert (len(now.arms), now.cells) == (ARMS, 200)
    assert now.counts["failed"] == 1
    assert now.counts[FINISHED] > 170 > now.counts["absent"] > 0
    assert len([call() for _, _, call in reads(store)]) == 8


def test_a_number_that_makes_no_sense_is_refused(capsys) -> None:
    assert main(["bench", "cells", "--cells", "5"]) == 2
    assert "expected 10 to 10,000" in capsys.readouterr().err
