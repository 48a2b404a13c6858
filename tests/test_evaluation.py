"""Exact match and the ceiling, against direct computations."""

import numpy as np
import pytest

from core.evaluation import (
    correct,
    grammar_coverage,
    hypotheses,
    hypotheses_by_task,
    predictions,
    small_together,
)
from core.language.grammar import NEVER
from core.parser.decode import parse
from core.training.assembly import Learner
from core.training.sequence import train


@pytest.fixture
def learned(toy_config) -> Learner:
    return train(toy_config.with_(method="finetune", epochs=25), lambda event: None)


def test_predictions_are_what_each_row_alone_is_parsed_to(learned) -> None:
    for k, rows in enumerate(learned.train_batches):
        texts = predictions(learned.parser, rows, learned.writer)
        alone = [
            learned.writer.text(parse(learned.parser, rows.take([i]))[0]) for i in range(len(rows))
        ]
        assert texts == alone
        forms = [example.logical_form for example in learned.tasks[k].train]
        right = correct(learned.parser, learned.tasks[k].train, rows, learned.writer)
        assert right.tolist() == [t == f for t, f in zip(alone, forms, strict=True)]
    assert right.any()  # the last task has been learned


def test_equal_utterances_are_parsed_once_and_keep_their_places(learned, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(
        "core.evaluation.parse",
        lambda parser, rows, **also: asked.append(len(rows)) or parse(parser, rows, **also),
    )
    rows = learned.train_batches[0].take([3, 1, 3, 3, 1])
    texts = predictions(learned.parser, rows, learned.writer)
    assert asked == [2]
    assert texts[0] == texts[2] == texts[3]
    assert texts[1] == texts[4]
    assert texts[0] != texts[1] or texts[0] is None


def test_small_tasks_are_parsed_together_and_each_as_alone(learned, monkeypatch) -> None:
    alone = [hypotheses(learned.parser, rows) for rows in learned.test_batches]
    asked = []
    monkeypatch.setattr(
        "core.evaluation.parse",
        lambda parser, rows, **also: asked.append(len(rows)) or parse(parser, rows, **also),
    )
    together = list(hypotheses_by_task(learned.parser, learned.test_batches))
    assert asked == [15]
    for parses, expected in zip(together, alone, strict=True):
        assert [p.actions for p in parses] == [p.actions for p in expected]
        scores = [p.log_prob for p in expected]
        assert [p.log_prob for p in parses] == pytest.approx(scores, abs=1e-5)


def test_large_tasks_are_parsed_each_by_itself(learned) -> None:
    rows = learned.train_batches[0]
    batches = [rows.take([0] * n) for n in (100, 30, 34, 1, 65, 64, 2)]
    groups = [[len(batch) for batch in group] for group in small_together(batches)]
    assert groups == [[100], [30, 34], [1], [65], [64], [2]]
    assert list(small_together([])) == []


def test_reachable_counts_forms_that_the_known_tasks_can_write(toy_config) -> None:
    learner = Learner(toy_config)
    grammar = learner.grammar
    for task in learner.tasks:
        counted = grammar_coverage(grammar, task.test, 3)
        for k in range(3):
            direct = sum(
                all(step.action in grammar.applicable(step.slot, k) for step in example.derivation)
                if grammar.first_writable_task(example.derivation) != NEVER
                else False
                for example in task.test
            )
            assert counted[k] == direct


def test_a_form_that_training_never_shows_is_out_of_reach(toy_config, toy_tasks) -> None:
    learner = Learner(toy_config.with_(task_order=("zoo", "port")))
    assert grammar_coverage(learner.grammar, toy_tasks[2].test, 2) == (0, 0)
    assert np.all(np.array(grammar_coverage(learner.grammar, toy_tasks[0].test, 2)) == 5)
