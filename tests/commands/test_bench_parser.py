"""`bench`: without a name it measures the parser; every figure that is promised is printed."""

import re
from types import SimpleNamespace

import pytest
import torch

from core.commands.bench import parser as bench
from core.commands.bench.ways import plain
from core.commands.entry import BAD_USAGE, main
from core.data.base import DataMissing
from core.parser.applicable import ApplicableActions
from tests.learners import make
from tests.parser.tiny_bert import SIZE, write_tiny_bert


def figures(out: str) -> dict[str, list[float]]:
    """The first word of each line → its numbers."""
    return {
        line.split()[0]: [float(n) for n in re.findall(r"(?<![\w³])\d+(?:\.\d+)?", line)]
        for line in out.splitlines()
    }


def test_speeds_shares_and_memory_are_printed(capsys, monkeypatch) -> None:
    rates = iter([2e9, 4e9])
    monkeypatch.setattr(bench, "product_rate", lambda device: next(rates))
    assert main(["bench", "parser", "--dataset", "toy", "--device", "cpu"]) == 0
    out = capsys.readouterr().out
    printed = figures(out)
    for kind in ("training", "decoding"):
        examples, share = printed[kind][:2]
        assert examples > 0
        assert share > 0
        assert re.search(rf"{kind} .*examples/s .*% of the product", out)
    assert printed["product"][0] == 3.0  # the mean of before and after
    assert 50 < printed["memory"][0] < 100_000
    drawn, by_length = printed["padding"][:2]
    assert 0 <= by_length <= drawn < 100
    assert min(printed["plain"][0], *printed["alone"][:2]) > 0
    assert "task zoo: 10 training rows, 5 test rows" in out


def test_a_fixed_transformer_is_set_beside_word_vectors(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(bench, "product_rate", lambda device: 2e9)
    model = str(write_tiny_bert(tmp_path / "bert"))
    words = ["--dataset", "toy", "--device", "cpu", "--encoder-model", model]
    assert main(["bench", "parser", *words]) == 0
    fixed = figures(capsys.readouterr().out)["fixed"]
    assert min(fixed[0], fixed[2]) > 0
    assert fixed[1] == 200
    assert fixed[3] == SIZE


def test_the_plain_way_computes_the_same(toy_config) -> None:
    learner = make(toy_config)
    rows, before = learner.train_batches[1], ApplicableActions.by_slot_pays
    short = learner.parser.row_losses(rows)
    with plain():
        assert not learner.parser.applicable.by_slot_pays(rows.slots.flatten())
        torch.testing.assert_close(learner.parser.row_losses(rows), short)
    assert ApplicableActions.by_slot_pays is before


def test_the_rate_is_that_of_counted_products(monkeypatch) -> None:
    times = iter([0.0, *(0.1 * n for n in range(1, 100))])
    monkeypatch.setattr(bench, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    # products begin at 0.1, 0.2, 0.3 and 0.4; the clock is read at 0.5, and at 0.6 for the rate
    assert bench.product_rate(torch.device("cpu"), size=8) == pytest.approx(4 * 2 * 8**3 / 0.6)


def test_the_demo_is_measured_where_the_data_are_missing(capsys, monkeypatch) -> None:
    asked = []

    def measure(config, task) -> int:
        asked.append((config.dataset, task))
        if config.dataset != "demo":
            raise DataMissing("Overnight is not on this machine.")
        return 0

    monkeypatch.setattr(bench, "_measure", measure)
    assert main(["bench"]) == 0  # without a name it is the parser's
    assert main(["bench", "parser", "--task", "calendar"]) == 0
    assert asked == [("overnight", ""), ("demo", ""), ("overnight", "calendar"), ("demo", "")]
    assert "Measuring the demo instead" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--task", "moon"], "'moon' is not a task"),
        (["--threads", "0"], "--threads: expected a whole number from 1"),
        (["--batch-size", "0"], "--batch-size: expected a whole number from 1"),
        (["--device", "tpu"], "device = 'tpu'"),
    ],
)
def test_what_can_not_be_measured_is_said(capsys, words: list[str], said: str) -> None:
    try:
        code = main(["bench", "parser", "--dataset", "toy", *words])
    except SystemExit as end:  # by argparse
        code = end.code
    assert code == BAD_USAGE
    assert said in capsys.readouterr().err
