"""`runs`: how many are listed, and that nothing in a name reaches the terminal as a command."""

import sqlite3

import pytest

from core.__main__ import main
from core.config import RunConfig
from core.events import RunStarted
from core.runs.owner import new_owner


@pytest.mark.parametrize("limit", ["-5", "0", "1.5", "x", "", "٣"])
def test_a_limit_that_is_no_count_is_refused(store, capsys, limit: str) -> None:
    store.create(RunConfig())
    with pytest.raises(SystemExit) as end:
        main(["runs", "--limit", limit])
    out, err = capsys.readouterr()
    assert (end.value.code, out) == (2, "")
    assert "expected a whole number from 1" in err


@pytest.mark.parametrize("limit", ["1", "9" * 30, "9" * 5000])
def test_a_limit_of_any_size_is_one(store, capsys, limit: str) -> None:
    for seed in range(2):
        store.create(RunConfig(seed=seed))
    assert main(["runs", "--limit", limit]) == 0
    assert len(capsys.readouterr().out.splitlines()) == (2 if limit == "1" else 3)


@pytest.mark.parametrize("command", ["show", "delete", "stop", "resume", "results"])
@pytest.mark.parametrize("number", ["0", "-1", str(2**31), str(2**63), "9" * 30])
def test_a_number_beyond_the_store_names_no_run(store, capsys, command: str, number: str) -> None:
    assert main([command, "--", number]) == 1
    assert capsys.readouterr().err == f"There is no run {number}.\n"
    with pytest.raises(SystemExit) as end:  # more digits than Python reads
        main([command, "--", number * 5000])
    assert end.value.code == 2
    assert len(capsys.readouterr().err) < 600


def test_names_from_an_earlier_store_move_no_cursor(store, home, capsys) -> None:
    owner = new_owner()
    id = store.create(RunConfig(), claimed_by=owner)
    store.record(id, RunStarted(("a\x1b[2J\n",), (1,), (1,), ((1,),), 1, 1, 1, "cpu"), owner)
    with sqlite3.connect(home / "runs.sqlite") as connection:
        connection.execute("UPDATE runs SET name = ?", ("one\ntwo\x1b[2J" + "x" * 100_000,))
    connection.close()
    for words in (["runs"], ["show", str(id)]):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert "one two [2J" in out
        assert "\x1b" not in out
        assert len(out) < 3000
