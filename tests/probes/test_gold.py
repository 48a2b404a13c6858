"""Teacher-forced scores of gold steps, against scoring each row alone."""

import numpy as np
import pytest
import torch

from core.parser.batch import Batch
from core.probes import gold as gold_module
from core.probes.gold import score_gold_steps
from core.stopping import Stopped
from core.training.assembly import Learner
from core.training.sequence import train


@pytest.fixture
def learned(toy_config) -> Learner:
    return train(toy_config.with_(method="finetune", epochs=12), lambda event: None)


def alone(learner: Learner, row: Batch) -> list[float]:
    """log P of each gold step of one row, read step by step off the softmax over A_t."""
    learner.parser.eval()
    with torch.no_grad():
        scores = learner.parser.step_scores(row)
    actions = row.actions[0, : int(row.steps[0])].tolist()
    return [
        float(scores[t, action] - torch.logsumexp(scores[t], dim=0))
        for t, action in enumerate(actions)
    ]


def test_scores_are_those_of_each_row_alone(learned, monkeypatch) -> None:
    monkeypatch.setattr(gold_module, "ROWS", 3)
    for rows in (*learned.train_batches, *learned.test_batches):
        scores = score_gold_steps(learned.parser, rows)
        for row in range(len(rows)):
            steps = int(rows.steps[row])
            expected = alone(learned, rows.take([row]))
            assert scores.log_probs[row, :steps] == pytest.approx(expected, rel=1e-4, abs=1e-6)
            assert not scores.log_probs[row, steps:].any()
            assert scores.real[row].sum() == steps
            assert scores.probabilities[row, :steps] == pytest.approx(np.exp(expected), rel=1e-4)


def test_likeliest_marks_the_steps_at_which_no_action_scores_higher(learned) -> None:
    rows = learned.test_batches[0]
    scores = score_gold_steps(learned.parser, rows)
    with torch.no_grad():
        learned.parser.eval()
        best = learned.parser.step_scores(rows).argmax(dim=1) == rows.actions[scores.real]
    assert scores.likeliest[scores.real].tolist() == best.tolist()
    assert scores.likeliest[~scores.real].all()
    assert 0 < best.sum() < len(best)  # the first task is half forgotten: both cases are seen


def test_a_form_outside_the_grammar_is_not_writable(toy_config, toy_tasks) -> None:
    learner = Learner(toy_config.with_(task_order=("zoo", "port")))
    rows = learner._encode(toy_tasks[2].test, 1)  # fields occur in no training row
    assert score_gold_steps(learner.parser, rows).covered.tolist() == [False] * len(rows)


def test_an_action_of_a_later_task_has_probability_0(toy_config) -> None:
    learner = Learner(toy_config)
    later = learner.test_batches[2]  # the parser knows task 0 alone
    scores = score_gold_steps(learner.parser, later)
    assert not scores.covered.any()
    assert (scores.probabilities[scores.real] == 0).any()
    learner.parser.set_known_tasks(2)
    assert score_gold_steps(learner.parser, later).covered.all()


def test_equal_rows_are_scored_once_and_keep_their_places(learned, monkeypatch) -> None:
    sizes = []
    scores = learned.parser.scored_gold
    monkeypatch.setattr(
        learned.parser, "scored_gold", lambda batch: sizes.append(len(batch)) or scores(batch)
    )
    rows = learned.train_batches[0].take([2, 0, 2, 2, 0])
    gold_scores = score_gold_steps(learned.parser, rows)
    assert sum(sizes) == 2
    for row, equal_row in ((0, 2), (0, 3), (1, 4)):
        assert gold_scores.log_probs[row].tolist() == gold_scores.log_probs[equal_row].tolist()
    assert gold_scores.log_probs[0].tolist() != gold_scores.log_probs[1].tolist()


@pytest.mark.parametrize("training", [True, False])
def test_reading_leaves_mode_gradients_and_streams_as_they_were(toy_config, training) -> None:
    learner = Learner(toy_config.with_(dropout=0.5, word_dropout=0.5))
    learner.parser.train(training)
    before = learner.parser.rng.get_state()
    first = score_gold_steps(learner.parser, learner.train_batches[0])
    assert learner.parser.training is training
    assert torch.equal(learner.parser.rng.get_state(), before)
    assert all(p.grad is None and p.requires_grad for p in learner.parser.parameters())
    again = score_gold_steps(learner.parser, learner.train_batches[0])
    assert first.log_probs.tolist() == again.log_probs.tolist()  # no dropout


def test_scoring_ends_between_two_batches_where_it_is_to_stop(learned, monkeypatch) -> None:
    monkeypatch.setattr(gold_module, "ROWS", 2)
    asked = []

    def should_stop() -> bool:
        asked.append(1)
        return len(asked) == 3

    learned.parser.train()
    with pytest.raises(Stopped):
        score_gold_steps(learned.parser, learned.train_batches[0], should_stop)
    assert len(asked) == 3
    assert learned.parser.training
