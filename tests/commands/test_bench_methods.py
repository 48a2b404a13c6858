"""`bench methods` at toy scale: a row for each registered method, and what its numbers count."""

import re

import pytest
import torch

from core.__main__ import main
from core.commands.bench import methods as bench
from core.commands.bench.costs import costs_at
from core.config import RunConfig
from core.methods.parts.penalty import flat
from core.registry import methods
from core.training.assembly import Learner


def config(method: str, **options: object) -> RunConfig:
    return RunConfig(
        dataset="toy",
        method=method,
        method_options=options,
        sampler="random",
        memory_size=3,
        batch_size=2,
        word_size=12,
        hidden_size=16,
        action_size=8,
        device="cpu",
    )


@pytest.mark.slow
def test_the_table_has_a_row_for_each_method_and_says_what_total_recall_costs(capsys) -> None:
    words = ["bench", "methods", "--dataset", "toy", "--places", "1", "3", "--steps", "1"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    head, rows = table[0], table[2:]
    assert head[:3] == ["Method", "Step, task 1", "Step, task 3"]
    assert all(len(row) == len(head) for row in rows)
    named = [row[0] for row in rows]
    assert len(set(named)) == len(methods) + len(bench.MORE)
    for name in methods:
        label = bench.label(config(name))
        assert label in named
        row = rows[named.index(label)]
        assert "×" in row[2]
        assert ("×" in row[1]) == bool(Learner(config(name)).method.stages(0))
    assert lines[-1].startswith("A step of Total Recall + EWC with `sample` replay at task 3 costs")


def test_variants_have_different_labels() -> None:
    labels = [bench.label(config(name, **options)) for name, options in bench.MORE]
    assert labels == ["EMR, replay joint", "Total Recall + EWC"]


def test_what_a_method_holds_is_counted_in_bytes() -> None:
    base = Learner(config("finetune"))
    parameters = len(flat(list(base.parser.parameters())))
    costs = dict(costs_at(config("ewc"), base, [1, 2], 1))
    assert [costs[position].held for position in (1, 2)] == [0, 2 * 4 * parameters]
    plain = dict(costs_at(config("finetune"), base, [2], 1))
    assert plain[2].held == 0


def test_an_epoch_counts_each_kind_of_step_as_often_as_it_has_them(monkeypatch) -> None:
    seconds = {"": 1.0, "episode": 10.0}
    now = [0.0]
    monkeypatch.setattr("core.commands.bench.costs.clock_of", lambda learner: lambda: now[0])

    def take(descent: object, step: object) -> dict[str, float]:
        now[0] += seconds[step.kind]
        return {}

    monkeypatch.setattr("core.training.stage_optimizer.StageOptimizer.step", take)
    base = Learner(config("finetune"))
    protoparser = config("protoparser").with_(method_options={"episodes": "extra"})
    cost = dict(costs_at(protoparser, base, [1], 2))[1]
    steps = -(-len(base.tasks[0].train) // 2)
    assert cost.epoch == pytest.approx(11 * steps)
    assert cost.epoch_ratio == pytest.approx(11)
    assert cost.step == cost.ratio == pytest.approx(5.5)


def test_all_parameters_can_move_again_afterwards() -> None:
    base = Learner(config("finetune"))
    dict(costs_at(config("total_recall"), base, [2], 1))
    assert all(p.requires_grad for p in base.parser.parameters())
    assert torch.isfinite(flat(list(base.parser.parameters()))).all()


@pytest.mark.parametrize("words", [["--steps", "0"], ["--places", "0"], ["--places"]])
def test_numbers_that_make_no_sense_are_refused(capsys, words) -> None:
    try:
        status = main(["bench", "methods", "--dataset", "toy", *words])
    except SystemExit as end:  # by argparse, where a number is wrong by itself
        status = end.code
    assert status == 2
    assert re.search(
        "expected (a whole number from|whole numbers of at least) 1", capsys.readouterr().err
    )
