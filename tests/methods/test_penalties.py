"""What holds parameters: both Fisher estimates by a second computation, ARPER's λ by hand."""

import math

import pytest
import torch

from core.methods.base import Stage
from core.methods.ewc import EWCOptions
from core.methods.parts.penalty import Penalty, fisher_of_batch, fisher_of_examples, flat
from core.parser.batch import Batch
from core.stopping import Stopped
from core.training.assembly import Learner
from core.training.sequence import train
from tests.learners import fill_gradients, finished_first_task

WITH_FISHER = {"ewc": {}, "arper": {}, "total_recall": {"penalty": "ewc"}}


def single_passes(learner: Learner, i: int, rows: tuple[int, ...]) -> torch.Tensor:
    """The mean over rows of each row's squared gradient, one backward call after the other."""
    parser = learner.parser.eval()
    total = torch.zeros(sum(p.numel() for p in parser.parameters()))
    losses = [parser.row_losses(learner.train_batches[i])[row] for row in rows]
    for loss in losses:
        parser.zero_grad(set_to_none=True)
        loss.backward()
        grads = [p.new_zeros(p.shape) if p.grad is None else p.grad for p in parser.parameters()]
        total += flat(grads) ** 2
    parser.zero_grad(set_to_none=True)
    return total / len(rows)


@pytest.mark.parametrize("changes", [{}, {"input_feeding": True}, {"task_masking": True}], ids=str)
def test_example_fisher_is_the_mean_of_single_backward_passes_squared(toy_config, changes) -> None:
    learner = finished_first_task(toy_config.with_(dropout=0.5, **changes))
    memories = [learner.train_batches[0].take([0, 3, 4]), learner.train_batches[1].take([1, 2])]
    expected = single_passes(learner, 0, (0, 3, 4)) + single_passes(learner, 1, (1, 2))
    learner.parser.train()
    assert torch.allclose(fisher_of_examples(learner.parser, memories), expected, atol=1e-9)
    assert (expected > 0).any()


@pytest.mark.parametrize("fisher", [fisher_of_batch, fisher_of_examples])
def test_estimating_fisher_draws_nothing_and_leaves_the_parser_as_it_was(
    toy_config, fisher
) -> None:
    learner = finished_first_task(toy_config.with_(dropout=0.5))
    parser, rows = learner.parser.train(), [learner.train_batches[0].take([0, 3])]
    before = parser.rng.get_state()
    first = fisher(parser, rows)
    assert torch.equal(first, fisher(parser, rows))
    assert torch.equal(parser.rng.get_state(), before)
    assert parser.training
    assert parser.encoder.training
    assert all(p.grad is None for p in parser.parameters())
    parser.eval()
    fisher(parser, rows)
    assert not any(module.training for module in parser.modules())


@pytest.mark.parametrize(("fisher", "batches"), [(fisher_of_batch, 2), (fisher_of_examples, 5)])
def test_estimating_fisher_asks_before_every_pass_whether_to_stop(
    toy_config, fisher, batches
) -> None:
    learner = finished_first_task(toy_config)
    memories = [learner.train_batches[0].take([0, 3, 4]), learner.train_batches[1].take([1, 2])]
    for last in range(batches + 1):
        asked: list[int] = []

        def should_stop(asked: list[int] = asked, last: int = last) -> bool:
            asked.append(1)
            return len(asked) > last

        if last < batches:
            with pytest.raises(Stopped):
                fisher(learner.parser, memories, should_stop=should_stop)
        else:
            fisher(learner.parser, memories, should_stop=should_stop)
        assert len(asked) == min(last + 1, batches)


def test_example_fisher_is_nowhere_smaller_and_equal_where_rows_are_the_same(toy_config) -> None:
    learner = finished_first_task(toy_config)
    rows = learner.train_batches[0].take([0, 1, 2, 3])
    batch, example = (f(learner.parser, [rows]) for f in (fisher_of_batch, fisher_of_examples))
    assert (example >= batch * (1 - 1e-4)).all()
    assert 1.1 * batch.sum() < example.sum()
    same = learner.train_batches[0].take([2, 2, 2])
    batch, example = (f(learner.parser, [same]) for f in (fisher_of_batch, fisher_of_examples))
    assert torch.allclose(batch, example, rtol=1e-4, atol=1e-10)


@pytest.mark.parametrize("fisher", ["batch", "example"])
@pytest.mark.parametrize("name", WITH_FISHER)
def test_methods_hold_parameters_by_the_fisher_that_is_asked_for(toy_config, name, fisher) -> None:
    options = {**WITH_FISHER[name], "fisher": fisher, "anchors": "last"}
    learner = train(toy_config.with_(method=name, method_options=options), lambda event: None)
    held, parser = learner.method.consolidation, learner.parser
    memories = [learner.train_batches[i].take(learner.memory.indices[i]) for i in range(3)]
    estimate = {"batch": fisher_of_batch, "example": fisher_of_examples}[fisher]
    assert torch.equal(held.anchor, flat(list(parser.parameters())))
    assert torch.allclose(held.fisher, estimate(parser, memories))
    assert not torch.allclose(held.fisher, sum_of_the_other(fisher)(parser, memories))


def sum_of_the_other(fisher: str):
    return fisher_of_examples if fisher == "batch" else fisher_of_batch


@pytest.mark.parametrize("anchors", ["each", "last"])
def test_what_is_held_does_not_grow_with_the_number_of_tasks(toy_config, anchors) -> None:
    states: list[dict] = []
    config = toy_config.with_(method="ewc", epochs=1, method_options={"anchors": anchors})
    train(config, lambda event: None, save=lambda state: states.append(dict(state["method"])))
    size = sum(p.numel() for p in Learner(config).parser.parameters())
    ends = [state for state in states if state]
    assert {(len(state["fisher"]), len(state["anchor"])) for state in ends} == {(size, size)}
    assert {state.keys() - {"fisher", "anchor"} == {"constant"} for state in ends} == {True}


def test_an_earlier_versions_state_has_no_constant_and_is_zero_at_its_anchor(toy_config) -> None:
    learner = finished_first_task(toy_config)
    held = Penalty(learner.parser, EWCOptions(ewc_weight=3.0))
    held.consolidate([learner.train_batches[0].take([0, 3, 4])])
    restored = Penalty(learner.parser, EWCOptions(ewc_weight=3.0))
    restored.restore({name: held.state()[name] for name in ("fisher", "anchor")})
    assert restored.add_gradient() == 0
    with torch.no_grad():
        learner.parser.combine.weight.add_(0.1)
    assert restored.add_gradient() == held.add_gradient() > 0


def test_arper_weighs_its_penalty_by_the_root_of_known_over_new_actions(toy_config) -> None:
    learner = Learner(toy_config.with_(method="arper", method_options={"ewc_weight": 3.0}))
    shown = [
        {str(step.action) for row in task.train for step in row.derivation}
        for task in learner.tasks
    ]
    for k in (1, 2):
        old = set().union(*shown[:k])
        by_hand = 3.0 * math.sqrt(len(old) / len(shown[k] - old))
        assert learner.method.weight(k) == pytest.approx(by_hand)
        assert by_hand > 3.1


def test_arper_counts_a_task_without_new_actions_as_adding_one(toy_config, monkeypatch) -> None:
    learner = Learner(toy_config.with_(method="arper", method_options={"ewc_weight": 3.0}))
    grammar = learner.parser.grammar
    known = int(grammar.known(0).sum())
    monkeypatch.setattr(grammar, "unseen", lambda k: grammar.known(k) & False)
    assert learner.method.weight(1) == pytest.approx(3.0 * math.sqrt(known))


@pytest.mark.parametrize("k", [1, 2])
def test_arpers_penalty_is_its_weight_times_the_distance_that_fisher_weighs(toy_config, k) -> None:
    learner = finished_first_task(toy_config.with_(method="arper"))
    method, parser = learner.method, learner.parser
    assert method.penalty(0, Stage("train", 1)) == 0
    method.consolidation.consolidate([learner.train_batches[0].take([0, 3, 4])])
    with torch.no_grad():
        parser.combine.weight.add_(0.1)
    fill_gradients(learner)
    penalty = method.penalty(k, Stage("train", 1))
    held = method.consolidation
    away = flat(list(parser.parameters())) - held.anchor
    by_hand = method.weight(k) * float((held.fisher * away**2).sum())
    assert penalty == pytest.approx(by_hand, rel=1e-4)
    gradient = flat([p.grad for p in parser.parameters()])
    assert torch.allclose(gradient, 2 * method.weight(k) * held.fisher * away, rtol=1e-4)


@pytest.mark.parametrize("fisher", ["batch", "example"])
def test_two_vectors_hold_every_task_at_its_own_anchor(toy_config, fisher) -> None:
    """Σ_i F_i (θ − θ*_i)² and its gradient, summed over three anchors one by one."""
    learner = finished_first_task(toy_config)
    parser, rng = learner.parser, torch.Generator().manual_seed(0)
    options = EWCOptions(ewc_weight=3.0, fisher=fisher, anchors="each")
    penalty, single = Penalty(parser, options), []
    memories: list[Batch] = []
    for i in range(3):
        with torch.no_grad():
            for parameter in parser.parameters():
                parameter.add_(0.05 * torch.randn(parameter.shape, generator=rng))
        memories.append(learner.train_batches[i].take([0, 3]))
        parser.set_known_tasks(i)
        penalty.consolidate(memories)
        estimate = {"batch": fisher_of_batch, "example": fisher_of_examples}[fisher]
        parameters = flat(list(parser.parameters()))
        single.append((estimate(parser, memories[i:]).double(), parameters.double()))
    with torch.no_grad():
        parser.combine.weight.add_(0.1)
    theta = flat(list(parser.parameters())).double()
    fill_gradients(learner)
    value = penalty.add_gradient()
    assert value == pytest.approx(3 * sum(float((f * (theta - a) ** 2).sum()) for f, a in single))
    gradient = flat([p.grad for p in parser.parameters()]).double()
    expected = 2 * 3 * sum(f * (theta - a) for f, a in single)
    assert torch.allclose(gradient, expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", WITH_FISHER)
def test_what_holds_a_task_is_not_worn_off_by_later_ones(toy_config, name) -> None:
    """F after two tasks is that of each as it was right after it, however often it is replayed."""
    options = {**WITH_FISHER[name], "anchors": "each"}
    config = toy_config.with_(method=name, method_options=options, task_order=("zoo", "port"))
    ends: list[dict] = []
    learner = train(config, lambda event: None, save=ends.append)
    first = next(state["method"]["fisher"] for state in ends if state["position"] == [1, 0, 0])
    second = learner.train_batches[1].take(learner.memory.indices[1])
    expected = first + fisher_of_batch(learner.parser, [second])
    assert first.sum() > 0
    assert torch.allclose(learner.method.consolidation.fisher, expected)


def test_fisher_with_dropout_draws_from_the_runs_own_stream(toy_config) -> None:
    learner = finished_first_task(toy_config.with_(dropout=0.5))
    parser, memory = learner.parser.eval(), [learner.train_batches[0].take([0, 3])]
    before = parser.rng.get_state()
    first = fisher_of_batch(parser, memory, dropout=True)
    assert not torch.equal(first, fisher_of_batch(parser, memory, dropout=True))
    parser.rng.set_state(before)
    assert torch.equal(first, fisher_of_batch(parser, memory, dropout=True))
    assert not parser.training
