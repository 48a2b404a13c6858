"""`bench recording` at toy scale: every worker writes; a store that holds runs is left alone."""

from core.__main__ import main
from core.config import RunConfig
from core.runs.store import Store


def test_workers_record_in_a_store_of_their_own(home, capsys) -> None:
    assert main(["bench", "recording", "--workers", "2", "--seconds", "2", "--minutes", "1"]) == 0
    (line,) = [row for row in capsys.readouterr().out.splitlines() if row.startswith("| 2 ")]
    assert all(float(cell.replace(",", "")) >= 0 for cell in line.strip("|").split("|"))
    assert float(line.split("|")[3]) > 0
    assert not home.exists() or not list(home.glob("*.sqlite"))


def test_a_database_that_holds_runs_is_left_alone(store: Store, capsys) -> None:
    store.create(RunConfig())
    assert main(["bench", "recording", "--database", store.url]) == 1
    assert "expected an empty database" in capsys.readouterr().err
    assert len(store.runs()) == 1
