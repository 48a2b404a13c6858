"""Each method by its mechanism: what moves, what is held, what a step's loss is."""

from collections import Counter

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.data.base import load_tasks
from core.evaluation import correct
from core.events import MemoryStored
from core.methods.base import Stage
from core.methods.ewc import EWCOptions
from core.methods.parts.penalty import Penalty, fisher_of_batch, flat
from core.registry import methods
from core.training.assembly import Learner
from core.training.sequence import train
from core.training.stage_optimizer import StageOptimizer
from tests.learners import Stages, fill_gradients, finished_first_task, moved_rows

RECALL = {"method": "total_recall"}


def test_fast_stage_moves_only_unseen_rows_and_exactly_those(toy_config) -> None:
    run = Stages(toy_config.with_(**RECALL))
    for k in (1, 2):
        before, after = run.before[k, "fast"], run.after[k, "fast"]
        assert np.array_equal(moved_rows(before, after), run.learner.grammar.unseen(k))
        for name in before:
            if name != "action_embedding":
                assert torch.equal(before[name], after[name]), name


def test_the_first_tasks_fast_stage_moves_its_rows_and_nothing_else(toy_config) -> None:
    config = toy_config.with_(**RECALL)
    before, run = Learner(config).parser.state_dict(), Stages(config)
    after, grammar = run.after[0, "fast"], run.learner.grammar
    moved, fills = moved_rows(before, after), grammar.first_task == 0
    rivals = fills[fills.sum(axis=1) > 1].any(axis=0)  # alone in its slot an action has P = 1
    assert moved[rivals].all()
    assert not moved[~grammar.known(0)].any()
    unmoved = before.keys() - {"action_embedding"}
    assert all(torch.equal(before[name], after[name]) for name in unmoved)


def test_slow_stage_leaves_past_tasks_own_rows_where_they_were(toy_config) -> None:
    run = Stages(toy_config.with_(**RECALL))
    grammar = run.learner.grammar
    for k in (1, 2):
        before, after = run.before[k, "slow"], run.after[k, "slow"]
        specific = grammar.specific_to(k)
        assert not moved_rows(before, after)[specific[:k].any(axis=0)].any()
        shared = (grammar.counts[: k + 1] > 0).sum(axis=0) > 1
        assert moved_rows(before, after)[shared].all()
        assert moved_rows(before, after)[specific[k]].all()
        assert not torch.equal(before["combine.weight"], after["combine.weight"])


@pytest.mark.parametrize("method", ["emr", "finetune"])
def test_without_fast_slow_learning_past_rows_move(toy_config, method) -> None:
    run = Stages(toy_config.with_(method=method))
    stage = (1, "train")
    moved = moved_rows(run.before[stage], run.after[stage])
    assert moved[run.learner.grammar.known(1)].all()
    assert not moved[~run.learner.grammar.known(1)].any()


@pytest.mark.parametrize("method", ["emr", "total_recall"])
def test_joint_replay_adds_the_mean_loss_of_every_memory(toy_config, method) -> None:
    config = toy_config.with_(method=method, method_options={"replay": "joint"}, dropout=0.0)
    learner = finished_first_task(config)
    parser = learner.parser
    memories = sum(
        parser.loss(learner.train_batches[i].take(learner.memory.indices[i])) for i in range(2)
    )
    stage = Stage("slow", 1)
    for step in learner.method.steps(2, stage):
        current = parser.loss(step.batch.take(np.arange(step.n_current)))
        whole = (parser.row_losses(step.batch) * step.weights).sum()
        assert float(whole.detach()) == pytest.approx(
            float((current + memories).detach()), rel=1e-5
        )


def test_sampled_replay_has_the_expectation_of_joint_replay(toy_config) -> None:
    options = {"replay": "sample", "replay_rows": 2}
    config = toy_config.with_(method="emr", method_options=options, batch_size=1)
    learner = finished_first_task(config)
    totals, n_draws = np.zeros(5), 0
    names = [(i, row) for i in range(2) for row in learner.memory.indices[i]]
    for _ in range(300):
        for step in learner.method.steps(2, Stage("train", 1)):
            assert len(step.batch) == step.n_current + 2
            assert len(set(step.memory_indices.tolist())) == 2  # each example at most once
            replayed = step.batch.take(np.arange(step.n_current, len(step.batch)))
            for position in range(2):
                row = replayed.words[position, : int(replayed.lengths[position])]
                task = int(replayed.tasks[position])
                for number, (i, memory_row) in enumerate(names):
                    source = learner.train_batches[i]
                    same = source.words[memory_row, : int(source.lengths[memory_row])]
                    if i == task and torch.equal(same, row):
                        totals[number] += float(step.weights[step.n_current + position])
            n_draws += 1
    assert totals / n_draws == pytest.approx([1 / 3] * 3 + [1 / 2] * 2, rel=0.15)


def test_sweep_replays_each_memory_once_an_epoch_after_the_task(toy_config) -> None:
    config = toy_config.with_(method="emr", method_options={"replay": "sweep"})
    learner = finished_first_task(config)
    steps = list(learner.method.steps(2, Stage("train", 1)))
    assert [set(step.batch.tasks.tolist()) for step in steps[-2:]] == [{0}, {1}]
    assert all(step.n_current == len(step.batch) for step in steps[:-2])
    assert sum(step.n_current for step in steps) == len(learner.tasks[2].train)
    for step in steps:
        assert float(step.weights.sum()) == pytest.approx(1)


def test_the_first_task_has_nothing_to_replay(toy_config) -> None:
    learner = Learner(toy_config.with_(method="emr"))
    assert all(len(s.batch) == s.n_current for s in learner.method.steps(0, Stage("train", 1)))


def consolidated(config: RunConfig, weight: float = 3.0) -> tuple[Learner, Penalty]:
    learner = finished_first_task(config)
    penalty = Penalty(learner.parser, EWCOptions(ewc_weight=weight))
    penalty.consolidate(
        [learner.train_batches[0].take([0, 3, 4]), learner.train_batches[1].take([1])]
    )
    return learner, penalty


def test_the_penalty_is_zero_at_its_anchor(toy_config) -> None:
    learner, penalty = consolidated(toy_config)
    fill_gradients(learner)
    assert penalty.add_gradient() == 0
    assert all(not p.grad.any() for p in learner.parser.parameters())


def test_the_penaltys_gradient_agrees_with_finite_differences(toy_config) -> None:
    learner, penalty = consolidated(toy_config)
    parser = learner.parser.double()
    penalty.fisher, penalty.anchor = penalty.fisher.double(), penalty.anchor.double()
    rng = np.random.default_rng(0)
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.add_(torch.from_numpy(rng.normal(size=parameter.shape)))
    fill_gradients(learner)
    penalty.add_gradient()
    analytic = flat([p.grad for p in parser.parameters()])
    assert (penalty.fisher > 0).any()
    flat_indices = np.argsort(-penalty.fisher.numpy())[:20]
    for index in flat_indices:
        values = []
        for step in (1e-4, -1e-4):
            start = 0
            for parameter in parser.parameters():
                if start <= index < start + parameter.numel():
                    with torch.no_grad():
                        parameter.view(-1)[index - start] += step
                    values.append(float(penalty.add_gradient()))
                    with torch.no_grad():
                        parameter.view(-1)[index - start] -= step
                start += parameter.numel()
        assert float(analytic[index]) == pytest.approx((values[0] - values[1]) / 2e-4, rel=1e-4)


def test_fisher_is_the_sum_of_squared_gradients_of_each_memorys_mean_loss(toy_config) -> None:
    learner = finished_first_task(toy_config)
    memories = [learner.train_batches[0].take([0, 3]), learner.train_batches[1].take([2])]
    expected = 0
    learner.parser.eval()
    for rows in memories:
        learner.parser.zero_grad(set_to_none=False)
        learner.parser.loss(rows).backward()
        expected = (
            expected
            + flat(
                [
                    torch.zeros_like(p) if p.grad is None else p.grad
                    for p in learner.parser.parameters()
                ]
            ).square()
        )
        for p in learner.parser.parameters():
            p.grad = None
    assert torch.allclose(fisher_of_batch(learner.parser, memories), expected)


def test_a_penalty_holds_parameters_nearer_to_their_anchor(toy_config) -> None:
    def away(weight: float) -> float:
        config = toy_config.with_(
            method="ewc", method_options={"ewc_weight": weight}, task_order=("zoo", "port")
        )
        run = Stages(config)
        anchor, end = run.before[1, "train"], run.after[1, "train"]
        fisher_heavy = "combine.weight"
        return float((anchor[fisher_heavy] - end[fisher_heavy]).norm())

    assert away(1e5) < 0.8 * away(0.0)


def test_gradients_are_clipped_last_with_the_penalty_and_without_frozen_rows(toy_config) -> None:
    """What Adam is given has the norm `clip_norm` exactly, where there is more than that."""
    options = {"penalty": "ewc", "ewc_weight": 1e6}
    config = toy_config.with_(**RECALL, method_options=options, clip_norm=0.01)
    learner = finished_first_task(config)
    method, parser = learner.method, learner.parser
    method.consolidation.consolidate(method.memories(2))
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.add_(0.01)  # away from the anchor
    _, slow = method.stages(2)
    optimizer = StageOptimizer(method, 2, slow)
    parts = optimizer.step(next(iter(method.steps(2, slow))))
    assert parts["penalty"] > 0
    assert not parser.action_embedding.grad[optimizer.frozen].any()
    norm = torch.cat([p.grad.flatten() for p in parser.parameters() if p.grad is not None]).norm()
    assert float(norm) == pytest.approx(0.01, rel=1e-3)
    free = optimizer.parser.action_embedding.grad.any(dim=1)
    assert len(optimizer.frozen)
    assert free.any()


@pytest.mark.parametrize("penalty", ["none", "ewc"])
def test_total_recall_with_a_zero_weight_equals_it_without_a_penalty(toy_config, penalty) -> None:
    options = {"penalty": penalty, "ewc_weight": 0.0}
    run = Stages(toy_config.with_(method="total_recall", method_options=options))
    plain = Stages(toy_config.with_(**RECALL))
    ends = zip(run.learner.parser.parameters(), plain.learner.parser.parameters(), strict=True)
    assert all(torch.equal(a, b) for a, b in ends)


def test_the_oracle_trains_on_all_tasks_at_once(toy_config) -> None:
    learner = Learner(toy_config.with_(method="oracle"))
    assert [bool(learner.method.stages(k)) for k in range(3)] == [False, False, True]
    learner.parser.set_known_tasks(2)
    rows = sum(len(s.batch) for s in learner.method.steps(2, learner.method.stages(2)[-1]))
    assert rows == sum(len(task.train) for task in learner.tasks)
    every = Learner(toy_config.with_(method="oracle", method_options={"retrain": "every"}))
    assert all(every.method.stages(k) for k in range(3))


@pytest.mark.parametrize("retrain", ["last", "every"])
def test_the_oracle_trains_the_embedding_of_every_action_that_it_may_choose(
    toy_config, retrain
) -> None:
    """Nothing but the actions of later tasks is frozen, in the fast stage and after it."""
    options = {"retrain": retrain, "fast_epochs": 2}
    run = Stages(toy_config.with_(method="oracle", method_options=options))
    derivations = [{rule for e in t.train for rule in e.derivation} for t in run.learner.tasks]
    ids = run.learner.grammar.action_ids
    for k in range(3):
        rules = set().union(*derivations[: k + 1])
        known = {ids[rule.action] for rule in rules}
        for stage in run.learner.method.stages(k):
            frozen = run.learner.method.frozen_actions(k, stage)
            assert set(np.flatnonzero(~frozen)) == known
        if (k, "train") in run.after:
            n_fills = Counter(rule.slot for rule in rules)  # alone in its slot an action has P = 1
            rivals = {ids[rule.action] for rule in rules if n_fills[rule.slot] > 1}
            moved = moved_rows(run.before[k, "train"], run.after[k, "train"])
            assert rivals <= set(np.flatnonzero(moved)) <= known
    assert (2, "train") in run.after


def test_an_oracle_that_trains_every_time_starts_from_scratch(toy_config) -> None:
    options = {"retrain": "every", "fast_epochs": 0}
    run = Stages(toy_config.with_(method="oracle", method_options=options, epochs=1))
    first, second = run.after[0, "train"], run.after[1, "train"]
    away = (first["to_keys.weight"] - second["to_keys.weight"]).abs().mean()
    assert float(away) > 0.05  # far more than one epoch moves a weight that large


@pytest.mark.parametrize("name", list(methods))
def test_every_method_learns_its_first_task(toy_config, name) -> None:
    config = toy_config.with_(
        method=name,
        epochs=100,
        dropout=0.0,
        task_order=("zoo",),
        method_options={},
        memory_size=10,  # all rows: EMAR predicts what the memory shows
        hidden_size=64,  # HAT: what its term asks of a unit falls with their number
    )
    learner = train(config, lambda event: None)
    zoo = load_tasks(config)[0]
    right = correct(learner.parser, zoo.test, learner.test_batches[0], learner.writer)
    assert right.all()


@pytest.mark.parametrize("name", [n for n in methods if methods[n].memory])
def test_methods_with_a_memory_keep_one_of_every_task(toy_config, name) -> None:
    events: list = []
    train(toy_config.with_(method=name), events.append)
    kept = [event for event in events if isinstance(event, MemoryStored)]
    assert [event.task for event in kept] == [0, 1, 2]
    assert all(len(set(event.indices)) == toy_config.memory_size for event in kept)
