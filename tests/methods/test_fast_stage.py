"""The fast stage and its ablations: when there is one, and what moves in it."""

import numpy as np
import pytest
import torch

from core.options import ConfigError
from core.registry import methods
from core.training.assembly import Learner
from core.training.checks import validate
from core.training.sequence import train
from tests.learners import Stages, finished_first_task, moved_rows, option_names

REPLAYING = [
    name for name, entry in methods.items() if entry.memory and "fast_epochs" in option_names(name)
]


def learner(toy_config, **options) -> Learner:
    return Learner(toy_config.with_(method="total_recall", method_options=options))


def names(toy_config, **options) -> list[list[str]]:
    method = learner(toy_config, **options).method
    return [[stage.name for stage in method.stages(k)] for k in range(3)]


BOTH, SLOW = ["fast", "slow"], ["slow"]


@pytest.mark.parametrize(
    ("options", "stages"),
    [
        ({}, [BOTH, BOTH, BOTH]),
        ({"fast": "none"}, [SLOW, SLOW, SLOW]),
        ({"fast_epochs": 0}, [SLOW, SLOW, SLOW]),
        ({"fast_epochs": 0, "fast": "all"}, [SLOW, SLOW, SLOW]),
        ({"fast": "task_specific"}, [SLOW, BOTH, BOTH]),
        ({"fast": "all"}, [BOTH, BOTH, BOTH]),
        ({"fast_tasks": "first"}, [BOTH, SLOW, SLOW]),
        ({"fast": "all", "fast_tasks": "first"}, [BOTH, SLOW, SLOW]),
    ],
)
def test_which_tasks_have_a_fast_stage(toy_config, options, stages) -> None:
    assert names(toy_config, **options) == stages


def test_no_fast_epochs_equal_no_fast_stage(toy_config) -> None:
    def end(**options) -> dict:
        config = toy_config.with_(method="total_recall", method_options=options)
        return train(config, lambda event: None).parser.state_dict()

    without_stage, without_epochs = end(fast="none"), end(fast_epochs=0)
    assert all(torch.equal(value, without_epochs[name]) for name, value in without_stage.items())


def run(toy_config, **options) -> Stages:
    return Stages(toy_config.with_(method="total_recall", method_options=options))


def moved(run: Stages, k: int) -> set[str]:
    """The parameters that moved in task k's fast stage."""
    before, after = run.before[k, "fast"], run.after[k, "fast"]
    return {name for name in before if not torch.equal(before[name], after[name])}


def test_the_lwf_variant_moves_the_tasks_own_rows_and_adapter(toy_config) -> None:
    stages = run(toy_config, fast="task_specific", adapters="full")
    assert (0, "fast") not in stages.before
    for k in (1, 2):
        expected = {f"adapter.change.{k}", f"adapter.gate.{k}", "action_embedding"}
        assert moved(stages, k) == expected
        rows = moved_rows(stages.before[k, "fast"], stages.after[k, "fast"])
        assert np.array_equal(rows, stages.learner.grammar.unseen(k))


def test_the_emar_variant_moves_all_but_past_tasks_own_parameters(toy_config) -> None:
    stages = run(toy_config, fast="all", adapters="full")
    for k in (1, 2):
        still = {f"adapter.{part}.{i}" for part in ("change", "gate") for i in range(3) if i != k}
        everything = set(stages.before[k, "fast"])
        assert moved(stages, k) == everything - still
        rows = moved_rows(stages.before[k, "fast"], stages.after[k, "fast"])
        past = stages.learner.grammar.specific_to(k)[:k].any(axis=0)
        assert not rows[past].any()
        assert rows[stages.learner.grammar.unseen(k)].all()


@pytest.mark.parametrize("fast", ["actions", "task_specific", "all"])
def test_a_fast_stage_has_neither_replay_nor_penalty(toy_config, fast) -> None:
    made = learner(toy_config, fast=fast, penalty="ewc")
    made.memory.indices = {0: (0, 1), 1: (1, 2)}
    stage = made.method.stages(2)[0]
    assert stage.name == "fast"
    assert all(step.n_current == len(step.batch) for step in made.method.steps(2, stage))
    made.parser.set_known_tasks(2)
    made.method.end_task(1)
    with torch.no_grad():
        made.parser.combine.weight.add_(1.0)
    assert made.method.penalty(2, stage) == 0
    assert made.method.penalty(2, made.method.stages(2)[1]) > 0


@pytest.mark.parametrize("name", REPLAYING)
def test_only_the_stage_behind_the_fast_one_replays(toy_config, name) -> None:
    config = toy_config.with_(method=name, method_options={"fast_epochs": 1})
    method = finished_first_task(config).method
    fast, main = method.stages(2)
    for stage, replays in ((fast, False), (main, True)):
        n_replayed = sum(len(step.batch) - step.n_current for step in method.steps(2, stage))
        assert (n_replayed > 0) == replays
    assert method.work(2, fast) < method.work(2, main)


@pytest.mark.parametrize("fast", ["none", "task_specific"])
def test_a_first_tasks_fast_stage_that_there_is_not_is_refused(toy_config, fast) -> None:
    options = {"fast": fast, "fast_tasks": "first"}
    config = toy_config.with_(method="total_recall", method_options=options)
    with pytest.raises(ConfigError, match=r"fast_tasks = 'first': with fast = '\w+' the first"):
        validate(config)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "Total Recall"),
        ({"penalty": "ewc"}, "Total Recall + EWC"),
        ({"adapters": "full", "penalty": "ewc"}, "Total Recall + DAR + EWC"),
        ({"adapters": "without_cross"}, "Total Recall + DAR without cross"),
        ({"fast": "task_specific"}, "Total Recall, fast/lwf"),
        ({"fast_tasks": "first"}, "Total Recall, fast stage on the first task only"),
    ],
)
def test_a_variant_has_its_name(toy_config, options, name) -> None:
    method = learner(toy_config, **options).method
    assert method.label(method.options) == name
