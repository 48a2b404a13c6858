"""The output layer slot by slot against all actions at once, and against its definition."""

import pytest
import torch

from core.parser.applicable import MASKED, ApplicableActions
from core.parser.output import Rows, Steps, gold_log_probs, likeliest, scored_gold
from tests.learners import choices, make

N_SLOTS, N_ACTIONS, N_TASKS, SIZE = 5, 40, 3, 6


def problem(by_task: bool, offset: bool, seed: int = 0):
    """Random steps; slot 4 has no actions, and some gold actions are outside A_t."""
    rng = torch.Generator().manual_seed(seed)
    outside = torch.rand(N_SLOTS, N_ACTIONS, generator=rng) > 0.6
    outside[4] = True
    foreign = torch.rand(N_TASKS, N_ACTIONS, generator=rng) > 0.7 if by_task else None
    draw = lambda high: torch.randint(0, high, (60,), generator=rng)  # noqa: E731
    steps = Steps(draw(N_SLOTS), draw(N_TASKS), draw(N_ACTIONS))
    states = torch.randn(60, SIZE, generator=rng, requires_grad=True)
    table = torch.randn(N_ACTIONS, SIZE, generator=rng, requires_grad=True)
    added = torch.randn(N_ACTIONS, generator=rng) if offset else None
    return states, Rows(table, added), steps, ApplicableActions(outside, foreign)


@pytest.fixture(params=[True, False], ids=["by slot", "dense"])
def way(request, monkeypatch) -> bool:
    monkeypatch.setattr(ApplicableActions, "by_slot_pays", lambda self, slots: request.param)
    monkeypatch.setattr("core.parser.output._FEW", 0)
    return request.param


def by_hand(states, rows, steps, applicable, smoothing: float) -> torch.Tensor:
    """Step by step, differentiable."""
    values = []
    for s, slot, task, gold in zip(states, *(t.tolist() for t in steps), strict=True):
        allowed = applicable.slot_bias[slot] == 0
        if applicable.task_bias is not None:
            allowed &= applicable.task_bias[task] == 0
        if not allowed[gold]:
            values.append(torch.tensor(MASKED))
            continue
        scores = rows.table @ s + (0 if rows.offset is None else rows.offset)
        logs = scores - scores[allowed].logsumexp(0)
        values.append((1 - smoothing) * logs[gold] + smoothing * logs[allowed].mean())
    return torch.stack(values)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("by_task", [False, True])
def test_values_and_gradients_are_those_of_the_definition(way, by_task, offset, smoothing) -> None:
    states, rows, steps, applicable = problem(by_task, offset)
    values = gold_log_probs(states, rows, steps, applicable, smoothing)
    expected = by_hand(states, rows, steps, applicable, smoothing)
    inside = expected > MASKED / 2
    assert 8 < int(inside.sum()) < len(inside) or by_task
    assert torch.equal(values > MASKED / 2, inside)
    torch.testing.assert_close(values[inside], expected[inside], rtol=1e-5, atol=1e-6)
    weights = torch.linspace(0.5, 2, len(values))[inside]
    sought = (states, rows.table)
    gradients = torch.autograd.grad((values[inside] * weights).sum(), sought)
    for mine, theirs in zip(
        gradients, torch.autograd.grad((expected[inside] * weights).sum(), sought), strict=True
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("width", [1, 4, 50])
@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("by_task", [False, True])
def test_the_likeliest_actions_are_those_of_the_definition(way, by_task, offset, width) -> None:
    states, rows, steps, applicable = problem(by_task, offset, seed=2)
    with torch.no_grad():
        values, actions = likeliest(states, rows, steps, applicable, width)
    everything = torch.arange(N_ACTIONS)
    for t, (slot, task) in enumerate(zip(steps.slots.tolist(), steps.tasks.tolist(), strict=True)):
        at = Steps(*(torch.full((N_ACTIONS,), number) for number in (slot, task)), everything)
        logs = by_hand(states[[t]].expand(N_ACTIONS, -1), rows, at, applicable, 0.0).detach()
        order = logs.argsort(descending=True, stable=True)[: int((logs > MASKED / 2).sum())][:width]
        inside = values[t] > MASKED / 2
        assert actions[t][inside].tolist() == order.tolist()
        torch.testing.assert_close(values[t][inside], logs[order], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("by_task", [False, True])
def test_the_likeliest_action_is_told(way, by_task) -> None:
    states, rows, steps, applicable = problem(by_task, False, seed=1)
    bias = applicable.bias(steps.slots, steps.tasks)
    scores = (bias + states @ rows.table.t()).detach()
    steps = steps._replace(
        gold=torch.where(torch.arange(60) % 2 == 0, scores.argmax(1), steps.gold)
    )
    values, likeliest = scored_gold(states, rows, steps, applicable)
    torch.testing.assert_close(values, gold_log_probs(states, rows, steps, applicable).detach())
    best = (scores.argmax(dim=1) == steps.gold) & (values > MASKED / 2)
    assert torch.equal(likeliest & (values > MASKED / 2), best)
    assert 10 < int(best.sum()) < 60


@pytest.mark.parametrize(
    ("name", "options"),
    [("total_recall", {"adapters": "full", "penalty": "ewc"}), ("hat", {}), *choices()],
    ids=str,
)
def test_a_method_has_the_same_losses_and_gradients_either_way(
    toy_config, monkeypatch, name, options
) -> None:
    """Frozen rows, adapters, masks, prototypes: one step of every kind."""
    by_way = []
    for pays in (True, False):
        monkeypatch.setattr(ApplicableActions, "by_slot_pays", lambda self, slots, p=pays: p)
        learner = make(toy_config, method=name, method_options=options, idioms=2)
        learner.memory.indices = {0: (0, 3, 4), 1: (1, 2)}
        for i in range(2):
            learner.parser.set_known_tasks(i)
            learner.method.end_task(i)
        learner.parser.set_known_tasks(2)
        learner.method.begin_task(2)
        learner.parser.train()
        numbers = []
        for stage in learner.method.stages(2):
            for step in list({s.kind: s for s in learner.method.steps(2, stage)}.values()):
                learner.parser.zero_grad()
                losses = learner.method.loss(2, stage, step)
                torch.stack(list(losses.values())).sum().backward()
                numbers.append(torch.stack(list(losses.values())).detach())
                numbers += [p.grad for p in learner.parser.parameters() if p.grad is not None]
        by_way.append(numbers)
    for mine, theirs in zip(*by_way, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_steps_are_scored_by_slot_where_sets_are_small_among_many_actions() -> None:
    few, many = torch.ones(30, 215, dtype=torch.bool), torch.ones(30, 5186, dtype=torch.bool)
    few[:, :27], many[:, :743] = False, False
    slots = torch.arange(540) % 30
    assert not ApplicableActions(few, None).by_slot_pays(slots)  # as Overnight
    assert ApplicableActions(many, None).by_slot_pays(slots)  # as NLMap by question type
    assert not ApplicableActions(many, None).by_slot_pays(slots.to("meta"))  # as a GPU
