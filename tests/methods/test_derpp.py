"""DER++: what is stored, when, of which actions; and its loss by hand."""

import numpy as np
import pytest
import torch

from core.methods.base import Stage
from core.methods.parts.scores import scores_by_slot, scores_of
from core.parser.applicable import MASKED, ApplicableActions
from core.parser.batch import join as batch_of
from core.parser.output import Rows, dense_scores
from core.training.assembly import Learner
from core.training.sequence import train
from tests.learners import finished_first_task

TRAIN = Stage("train", 1)


def by_hand(learner: Learner, i: int) -> list[list[dict[int, float]]]:
    """For each row in memory i and each of its gold steps: action → score, over A_t after task i.

    Of the parser as it is now, read row by row.
    """
    parser, grammar = learner.parser.eval(), learner.grammar
    scores_by_row = []
    for row in learner.memory.indices[i]:
        single_row = learner.train_batches[i].take([row])
        states = parser.teacher_forced(single_row)[0].detach()
        steps = []
        for t, state in enumerate(states):
            applicable = np.flatnonzero(grammar.first_task[int(single_row.slots[0, t])] <= i)
            scores = parser.action_embedding.detach() @ state
            steps.append({int(action): float(scores[action]) for action in applicable})
        scores_by_row.append(steps)
    return scores_by_row


def unpacked(scores) -> list[dict[int, dict[int, float]]]:
    """Stored scores as row → step → action → score."""
    owner = torch.arange(len(scores.counts)).repeat_interleave(scores.counts).tolist()
    by_row: list[dict[int, dict[int, float]]] = [{} for _ in scores.counts]
    entries = zip(owner, scores.steps, scores.actions, scores.values, strict=True)
    for row, step, action, value in entries:
        by_row[row].setdefault(int(step), {})[int(action)] = float(value)
    return by_row


def test_stored_scores_are_those_of_the_time_of_storing(toy_config) -> None:
    kept: dict[int, dict] = {}

    def keep(k: int, state: dict) -> None:
        kept[k] = {name: value.clone() for name, value in state["parser"].items()}

    learner = train(toy_config.with_(method="derpp"), lambda event: None, save_parser=keep)
    for i in range(3):
        learner.parser.load_state_dict(kept[i])
        learner.parser.set_known_tasks(i)
        expected = by_hand(learner, i)
        stored = unpacked(learner.method.stored[i])
        assert len(stored) == len(expected) == 3
        for steps, stored_steps in zip(expected, stored, strict=True):
            assert [set(step) for step in steps] == [
                set(stored_steps[t]) for t in range(len(stored_steps))
            ]
            for t, step in enumerate(steps):
                assert stored_steps[t] == pytest.approx(step, rel=1e-4, abs=1e-5)
    learner.parser.load_state_dict(kept[2])
    now = [value for steps in by_hand(learner, 0) for step in steps for value in step.values()]
    then = learner.method.stored[0].values
    assert not torch.allclose(torch.tensor(now), then, atol=1e-3)


def test_only_applicable_actions_are_stored_each_in_sixteen_bytes(toy_config) -> None:
    learner = finished_first_task(toy_config.with_(method="derpp", task_masking=True))
    learner.parser.set_known_tasks(1)
    rows = learner.train_batches[1].take([1, 2])
    scores = scores_of(learner.parser, rows)
    bias = learner.parser.step_bias(rows)
    assert len(scores.values) == int((bias == 0).sum())
    assert scores.shares.sum() == pytest.approx(int(rows.steps.sum()))
    tensors = (scores.steps, scores.actions, scores.values, scores.shares)
    assert sum(t.element_size() for t in tensors) == 16


@pytest.mark.parametrize("by_slot", [False, True])
@pytest.mark.parametrize("masking", [False, True])
@pytest.mark.parametrize("replay", ["joint", "sample", "sweep"])
def test_the_loss_by_hand(toy_config, replay, masking, by_slot, monkeypatch) -> None:
    monkeypatch.setattr(ApplicableActions, "by_slot_pays", lambda self, slots: by_slot)
    options = {"replay": replay, "alpha": 0.7, "beta": 0.3}
    options |= {"replay_rows": 3} if replay == "sample" else {}
    learner = finished_first_task(
        toy_config.with_(method="derpp", method_options=options, dropout=0.0, task_masking=masking)
    )
    method, parser = learner.method, learner.parser
    for i in range(2):
        parser.set_known_tasks(i)
        method.end_task(i)
    stored = [row for i in range(2) for row in unpacked(method.stored[i])]
    with torch.no_grad():
        for parameter in parser.parameters():
            parameter.add_(0.05 * torch.sin(torch.arange(parameter.numel())).view_as(parameter))
    parser.set_known_tasks(2)
    parser.train()
    seen = 0
    for step in method.steps(2, TRAIN):
        parts = {name: float(part.detach()) for name, part in method.loss(2, TRAIN, step).items()}
        losses = parser.row_losses(step.batch).detach() * step.weights
        assert parts["current"] == pytest.approx(float(losses[: step.n_current].sum()), abs=1e-6)
        if step.memory_indices is None:
            assert parts["replay"] == 0
            assert "distillation" not in parts
            continue
        memory = losses[step.n_current :]
        assert parts["replay"] == pytest.approx(0.3 * float(memory.sum()), rel=1e-4)
        squared_distance = 0.0
        for position, number in enumerate(step.memory_indices.tolist()):
            row = step.batch.take([step.n_current + position])
            states = parser.teacher_forced(row)[0].detach()
            squares = 0.0
            for t, state in enumerate(states):
                then = stored[number][t]
                now = {a: float(parser.action_embedding.detach()[a] @ state) for a in then}
                squares += sum((now[a] - then[a]) ** 2 for a in then) / len(then)
            squared_distance += float(step.weights[step.n_current + position]) * squares
        assert parts["distillation"] == pytest.approx(0.7 * squared_distance, rel=1e-4)
        assert parts["distillation"] > 0
        seen += 1
    assert seen


def test_a_memory_that_is_as_it_was_is_not_apart(toy_config) -> None:
    options = {"replay": "joint"}
    learner = finished_first_task(
        toy_config.with_(method="derpp", method_options=options, dropout=0.0)
    )
    for i in range(2):
        learner.method.end_task(i)  # with all three tasks known already
    learner.parser.train()
    for step in learner.method.steps(2, TRAIN):
        assert float(learner.method.loss(2, TRAIN, step)["distillation"].detach()) < 1e-9


def test_the_distance_reaches_no_action_that_was_not_applicable_then(toy_config) -> None:
    options = {"replay": "sweep", "beta": 0.0}
    learner = finished_first_task(toy_config.with_(method="derpp", method_options=options))
    for i in range(2):
        learner.parser.set_known_tasks(i)
        learner.method.end_task(i)
    with torch.no_grad():
        learner.parser.combine.weight.add_(0.1)
    learner.parser.set_known_tasks(2)
    *_, last = learner.method.steps(2, TRAIN)
    learner.method.loss(2, TRAIN, last)["distillation"].backward()
    moved = learner.parser.action_embedding.grad.abs().sum(dim=1).numpy() > 0
    assert moved.any()
    assert not moved[learner.grammar.unseen(2)].any()


def test_what_is_stored_grows_by_each_memorys_scores(toy_config) -> None:
    states: list[dict] = []
    config = toy_config.with_(method="derpp", epochs=1)
    learner = train(config, lambda event: None, save=lambda s: states.append(s["method"]))
    stored = states[-1]["scores"]
    assert list(stored) == [0, 1, 2]
    for i in stored:
        rows = learner.train_batches[i].take(learner.memory.indices[i])
        slots = rows.slots.flatten()[rows.real].numpy()
        expected = sum(int((learner.grammar.first_task[slot] <= i).sum()) for slot in slots)
        assert len(stored[i]["values"]) == expected


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("masking", [False, True])
def test_scores_slot_by_slot_are_those_of_all_scores(toy_config, masking, offset) -> None:
    learner = finished_first_task(toy_config.with_(method="derpp", task_masking=masking))
    parser = learner.parser.eval()
    batch = batch_of([learner.train_batches[i].take([0, 3]) for i in range(2)])
    states, bias = parser.teacher_forced(batch)[0].detach(), parser.step_bias(batch)
    table = parser.action_embedding.detach()
    rows = Rows(table, torch.linspace(-1, 1, len(table)) if offset else None)
    step, action = (
        n.flatten() for n in torch.meshgrid(*map(torch.arange, bias.shape), indexing="ij")
    )
    one_by_one = scores_by_slot(states, rows, parser.steps(batch), parser.applicable)(step, action)
    dense, applicable = dense_scores(states, bias, rows).flatten(), (bias == 0).flatten()
    assert 0 < applicable.sum() < len(applicable)
    assert torch.equal(one_by_one > MASKED / 2, applicable)
    torch.testing.assert_close(one_by_one[applicable], dense[applicable])


def test_gradients_slot_by_slot_are_those_of_all_scores(toy_config, monkeypatch) -> None:
    gradients = []
    for by_slot in (False, True):
        monkeypatch.setattr(ApplicableActions, "by_slot_pays", lambda self, slots, way=by_slot: way)
        learner = finished_first_task(toy_config.with_(method="derpp", dropout=0.0))
        for i in range(2):
            learner.method.end_task(i)
        with torch.no_grad():
            learner.parser.combine.weight.add_(0.1)
        learner.parser.train()
        step = next(iter(learner.method.steps(2, TRAIN)))
        learner.method.loss(2, TRAIN, step)["distillation"].backward()
        gradients.append([p.grad for p in learner.parser.parameters() if p.grad is not None])
    for dense, by_slot in zip(*gradients, strict=True):
        torch.testing.assert_close(by_slot, dense, rtol=1e-4, atol=1e-6)
