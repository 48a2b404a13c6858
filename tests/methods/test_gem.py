"""GEM and A-GEM: the projection against a general solver and by hand, and what a step does."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from core.methods import agem, gem
from core.methods.base import Stage, plain_step
from core.methods.parts import gradients
from core.training.assembly import Learner
from core.training.sequence import train
from tests.learners import finished_first_task

TRAIN = Stage("train", 1)


def drawn(seed: int, tasks: int = 3, size: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
    """A gradient that violates at least one of so many memories' bounds, and their gradients."""
    rng = np.random.default_rng(seed)
    while True:
        gradient, memories = rng.normal(size=size), rng.normal(size=(tasks, size))
        if (memories @ gradient < 0).any():
            return torch.tensor(gradient).float(), torch.tensor(memories).float()


@pytest.mark.parametrize("margin", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("seed", range(8))
def test_the_projection_is_the_nearest_gradient_that_violates_nothing(seed, margin) -> None:
    gradient, memories = drawn(seed, tasks=1 + seed % 5)
    projected = gem.project(gradient, memories, margin).double().numpy()
    bounds, aim = memories.double().numpy(), gradient.double().numpy()
    aim = aim + margin * bounds.sum(axis=0)
    general = minimize(
        lambda x: 0.5 * ((x - aim) ** 2).sum(),
        np.zeros_like(aim),
        jac=lambda x: x - aim,
        constraints={"type": "ineq", "fun": lambda x: bounds @ x, "jac": lambda x: bounds},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert general.success
    assert projected == pytest.approx(general.x, abs=2e-5)
    assert (bounds @ projected > -1e-5).all()


def test_memories_that_say_the_same_are_projected_as_one() -> None:
    gradient, memories = drawn(0, tasks=1)
    once = gem.project(gradient, memories, 0.0)
    assert torch.allclose(gem.project(gradient, memories.repeat(3, 1), 0.0), once, atol=1e-5)


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_a_gradient_that_violates_nothing_stays_as_it_is(margin) -> None:
    gradient, memories = drawn(3)
    memories *= torch.sign(memories @ gradient)[:, None]
    assert gem.project(gradient, memories, margin) is gradient
    assert agem.project(gradient, memories[0]) is gradient


def test_gradients_that_are_not_finite_are_left_to_the_check_of_the_loss() -> None:
    gradient, memories = drawn(1)
    memories[0, 0] = -torch.inf * torch.sign(gradient[0])
    assert gem.project(gradient, memories, 0.5) is gradient


def test_agem_takes_away_what_points_against_the_reference() -> None:
    gradient, reference = torch.tensor([3.0, -2.0, 1.0]), torch.tensor([0.0, 2.0, 0.0])
    assert agem.project(gradient, reference).tolist() == [3.0, 0.0, 1.0]
    reference = torch.tensor([-1.0, 1.0, 1.0])  # gᵀg_ref = -4, g_refᵀg_ref = 3
    expected = [3 - 4 / 3, -2 + 4 / 3, 1 + 4 / 3]
    assert agem.project(gradient, reference).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_with_one_memory_and_no_margin_both_project_alike(seed) -> None:
    gradient, memories = drawn(seed, tasks=1)
    by_gem, by_agem = gem.project(gradient, memories, 0.0), agem.project(gradient, memories[0])
    assert torch.allclose(by_gem, by_agem, atol=1e-6)


def stepped(learner: Learner, batch) -> torch.Tensor:
    """The gradients of a step on these rows, dropout off, left in the parser."""
    learner.parser.zero_grad(set_to_none=True)
    learner.parser.eval()
    learner.parser.loss(batch).backward()
    learner.parser.train()
    return gradients.read(learner.parser)


def against_memories(learner: Learner) -> torch.Tensor:
    """Put gradients into the parser that would raise the loss on memories 0 and 1."""
    parser, rng = learner.parser, np.random.default_rng(0)
    noise = torch.from_numpy(rng.normal(0, 1e-3, gradients.read(parser).shape)).float()
    stepped(learner, learner.train_batches[2])
    past = sum(gradients.gradient(parser, rows) for rows in learner.method.memories(2))
    gradients.write(parser, noise - past)
    return gradients.read(parser)


@pytest.mark.parametrize("margin", [0.0, 0.5])
def test_a_gem_step_raises_the_loss_on_no_memory(toy_config, margin) -> None:
    config = toy_config.with_(method="gem", method_options={"margin": margin}, dropout=0.3)
    learner = finished_first_task(config)
    before = against_memories(learner)
    past = torch.stack([gradients.gradient(learner.parser, m) for m in learner.method.memories(2)])
    assert (past @ before < 0).any()
    learner.method.edit_gradients(2, TRAIN, plain_step(learner.train_batches[2]))
    after = gradients.read(learner.parser)
    assert (past @ after > -1e-4 * past.norm(dim=1) * after.norm()).all()
    assert torch.allclose(after, gem.project(before, past, margin))


def test_an_agem_step_does_not_raise_the_mean_loss_on_all_memories(toy_config) -> None:
    learner = finished_first_task(toy_config.with_(method="agem", dropout=0.3))
    before = against_memories(learner)
    reference = gradients.gradient(learner.parser, learner.method.pool(2))  # 5 rows, all drawn
    assert before @ reference < 0
    learner.method.edit_gradients(2, TRAIN, plain_step(learner.train_batches[2]))
    after = gradients.read(learner.parser)
    assert abs(float(after @ reference)) < 1e-4 * float(after.norm() * reference.norm())
    assert torch.allclose(after, agem.project(before, reference), atol=1e-6)


@pytest.mark.parametrize("name", ["gem", "agem"])
def test_a_step_that_lowers_the_memories_loss_is_left_as_it_is(toy_config, name) -> None:
    learner = Learner(toy_config.with_(method=name, dropout=0.0))
    learner.memory.indices = {0: (0, 3, 4)}
    learner.parser.set_known_tasks(1)
    batch = learner.train_batches[0].take([0, 3, 4])
    before = stepped(learner, batch)
    learner.method.edit_gradients(1, TRAIN, plain_step(batch))
    assert torch.equal(gradients.read(learner.parser), before)


@pytest.mark.parametrize("name", ["gem", "agem"])
def test_the_memories_gradients_take_no_dropout_and_the_first_task_none_at_all(
    toy_config, name
) -> None:
    learner = finished_first_task(toy_config.with_(method=name, dropout=0.5))
    against_memories(learner)
    state = learner.parser.rng.get_state()
    learner.method.edit_gradients(2, TRAIN, plain_step(learner.train_batches[2]))
    assert torch.equal(learner.parser.rng.get_state(), state)
    assert learner.parser.training
    before = gradients.read(learner.parser)
    learner.method.edit_gradients(0, TRAIN, plain_step(learner.train_batches[2]))
    assert torch.equal(gradients.read(learner.parser), before)


@pytest.mark.parametrize(
    ("name", "options", "passes", "rows"),
    [
        ("gem", {}, [0, 1, 2], [0, 3, 6]),
        ("gem", {"memory_rows": 2}, [0, 1, 2], [0, 2, 4]),
        ("gem", {"memory_rows": 99}, [0, 1, 2], [0, 3, 6]),
        ("agem", {"memory_rows": 4}, [0, 1, 1], [0, 3, 4]),
    ],
    ids=str,
)
def test_a_step_costs_the_backward_passes_and_rows_that_it_says(
    toy_config, name, options, passes, rows, monkeypatch
) -> None:
    read: list[int] = []

    def counted(parser, batch, real=gradients.gradient) -> torch.Tensor:
        read.append(len(batch))
        return real(parser, batch)

    monkeypatch.setattr(gradients, "gradient", counted)
    learner = train(toy_config.with_(method=name, method_options=options), lambda event: None)
    for k in range(3):
        for step in learner.method.steps(k, TRAIN):
            read.clear()
            learner.method.edit_gradients(k, TRAIN, step)
            assert (len(read), sum(read)) == (passes[k], rows[k])
            assert step.extra_rows == rows[k]
