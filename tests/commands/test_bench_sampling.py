import importlib

import numpy as np
import pytest

from core.__main__ import main
from core.commands import CommandParser
from core.commands.bench.sampling import grow, measure
from core.data.base import FormReader, Task
from core.similarity.base import distinct_forms


def test_growth_is_printed_a_line_a_size(capsys: pytest.CaptureFixture):
    words = ["bench", "sampling", "--no-targets", "--dataset", "toy", "--task", "zoo"]
    assert main([*words, "--memory-size", "3", "--sizes", "20", "30"]) == 0
    lines = capsys.readouterr().out.strip().splitlines()
    assert lines[0].startswith("zoo, forms resampled with fresh entities, M = 3")
    assert [line.split()[0] for line in lines[2:]] == ["20", "30"]
    heads, cells = lines[1].split(), lines[3].split()
    assert len(heads) == len(cells)
    assert "-" not in cells  # both routes ran


def test_missing_data_are_said_and_leave_out_their_part(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path
):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    words = ["bench", "sampling", "--dataset", "toy", "--task", "zoo", "--sizes", "10"]
    assert main([*words, "--memory-size", "2"]) == 0
    output = capsys.readouterr()
    assert output.err.count("Not measured: ") == 2
    assert output.out.strip().splitlines()[-1].split()[0] == "10"


def test_grown_forms_keep_their_shape_and_have_their_own_entities(toy_tasks: tuple[Task, ...]):
    rows = toy_tasks[0].train
    grown = grow(rows, 40)
    assert len(grown) == 40
    assert len(distinct_forms(grown)) > 20
    shapes = {tuple(step.slot for step in row.derivation) for row in rows}
    assert {tuple(step.slot for step in row.derivation) for row in grown} <= shapes
    functional = FormReader("functional").example(
        "q", "query ( keyval ( 'name' , 'Paris' ) , count ( x ) )"
    )
    assert "( 'name' , 'entity_" in grow([functional], 1)[0].logical_form
    assert grown == grow(rows, 40)


def test_cost_counts_the_memory_held_meanwhile():
    cost = measure(lambda: np.ones(30_000_000).sum())  # 240 MB
    assert cost.result == 30_000_000
    assert cost.seconds > 0
    assert cost.cpu > 0
    assert cost.gigabytes > 0.24


def numbers_of(bench: str) -> list[str]:
    """The options of a benchmark that take numbers."""
    parser = CommandParser()
    module = importlib.import_module(f"core.commands.bench.{bench}")
    module.add_parser(parser.add_subparsers())
    actions = parser._subparsers._group_actions[0].choices[bench]._actions
    return [action.option_strings[0] for action in actions if action.type not in (None, str)]


@pytest.mark.parametrize("bench", ["sampling", "parser", "methods", "workers", "store", "gpu"])
def test_a_size_below_1_is_refused_before_anything_is_done(bench: str, capsys) -> None:
    options = numbers_of(bench)
    assert options
    for option in options:
        for value in ("-1", "0", "-5000000000000000000000", "x", "nan"):
            try:
                code = main(["bench", bench, option, value])
            except SystemExit as end:
                code = end.code
            assert code == 2, option
            output = capsys.readouterr()
            assert not output.out
            assert output.err.count("\n") == 1
