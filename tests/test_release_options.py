"""How the release trains, as options: one optimizer, no clipping, smoothed labels, Glorot."""

import math

import numpy as np
import pytest
import torch

from core.methods.base import Stage, Trainable
from core.parser.applicable import MASKED
from core.training.assembly import Learner
from core.training.sequence import train
from core.training.stage_optimizer import StageOptimizer, run_optimizer
from tests.learners import Stages, copied, finished_first_task, moved_rows

RATE = 0.01


def count_optimizers(config, monkeypatch) -> int:
    """Optimizers whose steps move the parser in a whole run."""
    stepped: list[torch.optim.Adam] = []  # kept, so that no two have one id
    step = torch.optim.Adam.step

    def noted(self, *args, **kwargs):
        if not any(optimizer is self for optimizer in stepped):
            stepped.append(self)
        return step(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(torch.optim.Adam, "step", noted)
        train(config, lambda event: None)
    return len(stepped)


def test_a_kept_optimizer_is_one_for_the_whole_run(toy_config, monkeypatch) -> None:
    config = toy_config.with_(method="total_recall")
    assert count_optimizers(config, monkeypatch) == 6  # three tasks, a fast and a slow stage each
    assert count_optimizers(config.with_(optimizer="kept"), monkeypatch) == 1


def test_its_state_is_in_every_checkpoint(toy_config) -> None:
    states: list[dict] = []
    config = toy_config.with_(method="emr", optimizer="kept")
    train(config, lambda event: None, save=lambda state: states.append(copied(state)))
    steps = [int(state["optimizer"]["state"][0]["step"]) for state in states]
    assert steps == sorted(steps)
    assert steps[0] == 3
    assert steps[-1] == 3 * 2 * 3  # batches, epochs, tasks


@pytest.mark.parametrize(("optimizer", "low", "high"), [("fresh", 0.9, 1.1), ("kept", 3.0, 3.2)])
def test_a_row_first_trained_late_takes_a_step_of_several_rates(
    toy_config, optimizer, low, high
) -> None:
    """Its moments are those of a first step, 0.1 g and 0.001 g², and nothing corrects for that."""
    config = toy_config.with_(
        method="finetune", optimizer=optimizer, learning_rate=RATE, dropout=0.0, epochs=1
    )
    learner = Learner(config)
    method, parser = learner.method, learner.parser
    kept = run_optimizer(method)
    for k in range(2):
        parser.set_known_tasks(k)
        (stage,) = method.stages(k)
        optimizer_of_stage = StageOptimizer(method, k, stage, kept)
        before = parser.action_embedding.detach().clone()
        optimizer_of_stage.step(next(iter(method.steps(k, stage))))
        for state in optimizer_of_stage.adam.state.values():
            state["step"].fill_(10_000)  # as after some hundred epochs
        optimizer_of_stage.end()
    moved = (parser.action_embedding.detach() - before).abs()
    rows = torch.from_numpy(learner.grammar.unseen(1)) & (moved.max(dim=1).values > 0)
    assert rows.any()
    largest = float(moved[rows].max()) / RATE
    assert low < largest < high


def test_moments_of_earlier_stages_do_not_move_what_is_frozen(toy_config) -> None:
    config = toy_config.with_(method="total_recall", optimizer="kept", dropout=0.0)
    run = Stages(config)
    for k in range(3):
        for stage in run.learner.method.stages(k):
            moved = (
                moved_rows(run.before[k, stage.name], run.after[k, stage.name])
                if run.before[k, stage.name]
                else None
            )
            frozen = run.learner.method.frozen_actions(k, stage)
            if moved is not None:
                assert not moved[frozen].any()
                assert moved.any()


@pytest.mark.parametrize("clip_norm", [0.0, 0.001])
def test_nothing_is_clipped_where_the_norm_is_0(toy_config, clip_norm) -> None:
    learner = finished_first_task(toy_config.with_(method="emr", clip_norm=clip_norm, dropout=0.0))
    method, parser = learner.method, learner.parser
    (stage,) = method.stages(2)
    step = next(iter(method.steps(2, stage)))
    torch.stack(list(method.loss(2, stage, step).values())).sum().backward()
    expected = {name: p.grad.clone() for name, p in parser.named_parameters() if p.grad is not None}
    StageOptimizer(method, 2, stage).step(step)
    norm = torch.cat([p.grad.flatten() for p in parser.parameters() if p.grad is not None]).norm()
    if clip_norm:
        assert float(norm) == pytest.approx(clip_norm, rel=1e-3)
    else:
        assert float(norm) > 0.01
        for name, gradient in expected.items():
            assert torch.equal(parser.get_parameter(name).grad, gradient)


@pytest.mark.parametrize("share", [0.1, 0.6])
def test_smoothed_labels_leave_a_share_to_all_applicable_actions(toy_config, share) -> None:
    """Step by step: −(1 − share) log P(gold) − share · mean of log P over A_t."""
    learner = Learner(toy_config.with_(label_smoothing=share, dropout=0.0))
    parser, batch = learner.parser, learner.train_batches[1]
    parser.set_known_tasks(1)
    parser.train()
    losses = parser.row_losses(batch).detach()
    scores, row = parser.step_scores(batch).detach(), batch.row_of_step
    expected = np.zeros(len(batch))
    for step, gold in enumerate(batch.gold.tolist()):
        inside = [a for a in range(scores.shape[1]) if float(scores[step, a]) > MASKED / 2]
        total = np.logaddexp.reduce([float(scores[step, a]) for a in inside])
        logs = {a: float(scores[step, a]) - total for a in inside}
        mean = np.mean(list(logs.values()))
        expected[int(row[step])] -= (1 - share) * logs[gold] + share * mean
    np.testing.assert_allclose(losses.numpy(), expected, rtol=1e-4)
    parser.eval()
    plain = Learner(toy_config.with_(dropout=0.0)).parser
    plain.set_known_tasks(1)
    torch.testing.assert_close(parser.row_losses(batch), plain.eval().row_losses(batch))


def test_glorots_deviation_is_that_of_the_table(toy_config) -> None:
    config = toy_config.with_(action_size=128)
    drawn = {init: Learner(config.with_(action_init=init)).parser for init in ("0.3", "glorot")}
    n = len(drawn["0.3"].grammar.actions)
    for init, std in (("0.3", 0.3), ("glorot", math.sqrt(2 / (n + 128)))):
        assert float(drawn[init].action_embedding.detach().std()) == pytest.approx(std, rel=0.05)
    for name, parameter in drawn["0.3"].named_parameters():
        same = torch.equal(parameter, drawn["glorot"].get_parameter(name))
        assert same == (name not in ("action_embedding", "start")), name


@pytest.mark.parametrize("fast_epochs", [0, 3])
def test_emr_may_have_a_fast_stage_that_moves_unseen_actions_alone(toy_config, fast_epochs) -> None:
    options = {"fast_epochs": fast_epochs}
    run = Stages(toy_config.with_(method="emr", method_options=options, epochs=1))
    method, grammar = run.learner.method, run.learner.grammar
    names = [stage.name for stage in method.stages(1)]
    assert names == (["fast"] if fast_epochs else []) + ["train"]
    assert ((1, "fast") in run.after) == bool(fast_epochs)
    if fast_epochs:
        before, after = run.before[1, "fast"], run.after[1, "fast"]
        unmoved = [name for name in before if name != "action_embedding"]
        assert all(torch.equal(before[name], after[name]) for name in unmoved)
        moved = moved_rows(before, after)
        assert moved.any()
        assert not moved[~grammar.unseen(1)].any()
        fast = method.stages(1)[0]
        assert fast == Stage("fast", 3, Trainable.UNSEEN_ACTIONS, replay=False)
        assert all(step.n_current == len(step.batch) for step in method.steps(1, fast))
