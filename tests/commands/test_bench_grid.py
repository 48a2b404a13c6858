"""`bench grid`: the paper's grid in hours; what stands in the measurements is what it prints."""

import pytest

from core.__main__ import main
from core.commands.bench.grid import _of_paper, _scaled, _span
from core.paths import PROJECT


def test_the_measurements_have_what_it_prints(capsys) -> None:
    assert main(["bench", "grid"]) == 0
    stated = (PROJECT / "assets" / "measured.md").read_text(encoding="utf-8")
    for table in capsys.readouterr().out.strip().split("\n\n"):
        assert table in stated


def test_the_paper_has_eleven_methods_on_three_data_sets() -> None:
    paper = _of_paper()
    assert len(paper) == 33
    assert paper["overnight", "emr", ""] == pytest.approx(8 * 102.97)
    assert paper["overnight", "oracle", ""] == pytest.approx(712.43)


def test_what_is_not_known_takes_as_much_longer_as_the_rest() -> None:
    paper = {("a", "x", ""): 10.0, ("a", "y", ""): 20.0, ("b", "x", ""): 5.0}
    guessed = _scaled(paper, {("a", "x", ""): 30.0})
    assert guessed == {("a", "y", ""): 60.0, ("b", "x", ""): 15.0}


def test_runs_go_to_whoever_is_free_first() -> None:
    hour = {("a", "x", ""): 3600.0, ("a", "y", ""): 3600.0}
    assert [_span(hour, nodes) for nodes in (1, 3, 100)] == [20.0, 7.0, 1.0]
