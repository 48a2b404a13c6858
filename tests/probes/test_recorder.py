"""What a run records of actions, predictions and errors, against direct computations."""

import dataclasses
from collections import defaultdict
from functools import lru_cache

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.evaluation import correct, predictions
from core.events import (
    Accuracy,
    ActionProbabilities,
    ActionsKnown,
    Epoch,
    ErrorCounts,
    Predictions,
    StageTime,
)
from core.language.grammar import Grammar
from core.parser.batch import Batch
from core.parser.decode import parse
from core.probes.recorder import first_difference
from core.registry import methods
from core.training.assembly import Learner
from core.training.progress import work
from core.training.sequence import train
from tests.learners import gold_log_probs

OFF = {"record_actions": False, "record_predictions": False, "error_rows": 0}


@lru_cache(maxsize=4)
def trained(config: RunConfig) -> tuple[Learner, dict[type, list]]:
    """The learner at the run's end, and its recorded events, by kind; not to be changed."""
    events: dict[type, list] = defaultdict(list)
    learner = train(config, lambda event: events[type(event)].append(event))
    return learner, events


def log_probs(learner: Learner, rows: Batch, row: int) -> list[float]:
    """log P of one row's gold steps, scored alone."""
    learner.parser.eval()
    with torch.no_grad():
        return gold_log_probs(learner.parser, rows.take([row]))[0, : int(rows.steps[row])].tolist()


@pytest.fixture
def config(toy_config) -> RunConfig:
    return toy_config.with_(method="finetune", epochs=10)


def test_action_probabilities_are_means_over_all_steps_of_the_training_rows(config) -> None:
    learner, events = trained(config)
    probabilities = {(e.after, e.on): e for e in events[ActionProbabilities]}
    assert list(probabilities) == [(k, i) for k in range(3) for i in range(k + 1)]
    for i, rows in enumerate(learner.train_batches):
        seen = defaultdict(list)
        for row in range(len(rows)):
            actions = rows.actions[row, : int(rows.steps[row])].tolist()
            for action, log_prob in zip(actions, log_probs(learner, rows, row), strict=True):
                seen[action].append(np.exp(log_prob))
        last = probabilities[2, i]
        assert last.action == tuple(sorted(seen))
        assert last.count == tuple(len(seen[action]) for action in last.action)
        assert last.mean == pytest.approx([np.mean(seen[a]) for a in last.action], rel=1e-4)


def test_action_numbers_are_explained(config) -> None:
    learner, events = trained(config)
    (known,) = events[ActionsKnown]
    assert known.action == tuple(range(len(learner.grammar.actions)))
    assert known.text == tuple(str(action) for action in learner.grammar.actions)


@pytest.mark.parametrize("changes", [{}, {"beam_size": 3}, {"idioms": 3}])
def test_predictions_are_the_parses_that_the_accuracy_counts(config, changes) -> None:
    learner, events = trained(config.with_(**changes))
    accuracies = {(e.after, e.on): e for e in events[Accuracy]}
    by_task = {(e.after, e.on): e for e in events[Predictions]}
    assert list(by_task) == list(accuracies)
    for pair, event in by_task.items():
        assert sum(event.correct) == accuracies[pair].correct
        assert event.row == tuple(range(accuracies[pair].total))
    for i, rows in enumerate(learner.test_batches):
        event, texts = by_task[2, i], predictions(learner.parser, rows, learner.writer)
        for row, example in enumerate(learner.tasks[i].test):
            (best,) = parse(learner.parser, rows.take([row]))
            assert event.parse[row] == best.actions
            assert event.complete[row] == best.complete
            assert event.log_prob[row] == pytest.approx(best.log_prob, rel=1e-4, abs=1e-5)
            assert event.correct[row] == (texts[row] == example.logical_form)
            gold = np.exp(log_probs(learner, rows, row))
            assert event.gold[row] == pytest.approx(gold, rel=1e-3, abs=1e-12)


def test_the_first_wrong_step_is_where_the_parse_leaves_the_gold_actions(config) -> None:
    learner, events = trained(config)
    wrong = 0
    for event in events[Predictions]:
        for row, example in enumerate(learner.tasks[event.on].test):
            gold = [learner.grammar.action_ids[step.action] for step in example.derivation]
            parsed, step = list(event.parse[row]), event.first_wrong[row]
            if event.correct[row]:
                assert step is None
                continue
            wrong += 1
            assert parsed[:step] == gold[:step]
            assert parsed[: step + 1] != gold[: step + 1]
    assert wrong


@pytest.mark.parametrize(
    ("parsed", "gold", "step"),
    [
        ((1, 2, 3), (1, 2, 3), None),
        ((1, 5, 3), (1, 2, 3), 1),
        ((1, 2), (1, 2, 3), 2),
        ((1, 2, 3, 4), (1, 2, 3), 3),
        ((), (1,), 0),
        ((1, 2), (1, -1), 1),  # an action that training never shows
    ],
)
def test_first_difference(parsed, gold, step) -> None:
    assert first_difference(parsed, gold) == step


def test_a_row_out_of_reach_is_wrong_at_its_first_action_that_is_not_known(
    toy_config, toy_tasks
) -> None:
    learner = Learner(toy_config.with_(task_order=("zoo", "port")))
    field = dataclasses.replace(toy_tasks[0].test[0], derivation=toy_tasks[2].test[0].derivation)
    field = dataclasses.replace(field, logical_form=toy_tasks[2].test[0].logical_form)
    rows = learner._encode([field], 0)
    learner.recorder.tasks = [dataclasses.replace(learner.tasks[0], test=(field,))]
    learner.recorder.test_batches = [rows]
    parses = parse(learner.parser, rows)
    (event,) = learner.recorder.after_parsing(0, 0, parses, np.array([False]))
    assert event.gold == ((),)
    known = [step.action in learner.grammar.action_ids for step in field.derivation]
    assert event.first_wrong[0] is not None
    assert event.first_wrong[0] <= known.index(False)


@pytest.mark.parametrize(
    "changes",
    [{}, {"beam_size": 3}, {"idioms": 3}, {"task_masking": True}, {"input_feeding": True}],
)
def test_errors_are_those_of_the_sampled_rows_taken_one_by_one(config, changes) -> None:
    learner, events = trained(config.with_(error_rows=4, **changes))
    rows = learner.recorder.errors
    last = events[ErrorCounts][-1]
    assert (last.task, last.epoch) == (2, 9)
    assert list(zip(last.on, last.split, strict=True)) == [
        (i, split) for i in range(3) for split in ("train", "test")
    ]
    ends = np.cumsum(last.total)
    for at, end in enumerate(ends):
        part = range(end - last.total[at], end)
        examples, batch = [rows.examples[row] for row in part], rows.batch.take(part)
        right = correct(learner.parser, examples, batch, learner.writer)
        assert last.correct[at] == right.sum()
        losses = [-sum(log_probs(learner, batch, row)) for row in range(len(batch))]
        writable = [loss < 1e20 for loss in losses]
        assert last.covered[at] == sum(writable)
        kept = [loss for loss, fine in zip(losses, writable, strict=True) if fine]
        assert last.nll[at] == pytest.approx(sum(kept), rel=1e-4)
    assert 0 < sum(last.correct) < sum(last.total)


def test_a_form_that_can_be_written_in_two_ways_is_decoded(toy_config, monkeypatch) -> None:
    """The error must not call a row wrong whose parse writes the gold form by other actions."""
    monkeypatch.setattr(Grammar, "writes_one_way", lambda grammar, steps: False)
    decoded = []
    monkeypatch.setattr(
        "core.probes.error_curves.correct",
        lambda parser, examples, rows, writer: decoded.append(len(rows)) or np.ones(len(rows)),
    )
    _, events = trained(toy_config.with_(error_rows=4, epochs=1))
    assert decoded
    assert all(event.correct == event.total for event in events[ErrorCounts])


def test_a_loss_beyond_the_grammar_is_left_out_and_its_row_counts_as_wrong(toy_config) -> None:
    learner = Learner(toy_config.with_(method="finetune"))
    learner.parser.set_known_tasks(0)
    event = learner.recorder.errors.measure(2, "train", 0)  # as if tasks 1 and 2 were not learned
    by_part = dict(zip(zip(event.on, event.split, strict=True), range(6), strict=True))
    learned, later = by_part[0, "test"], by_part[2, "test"]
    assert event.covered[learned] == event.total[learned]
    assert event.covered[later] == event.correct[later] == 0
    assert event.nll[later] == 0
    assert 0 < event.nll[learned] < 1e4


def test_errors_follow_every_epoch_of_every_stage(toy_config) -> None:
    options = {"method_options": {"fast_epochs": 1}}
    _, events = trained(toy_config.with_(method="total_recall", **options))
    positions = [(e.task, e.stage, e.epoch) for e in events[ErrorCounts]]
    assert positions == [(e.task, e.stage, e.epoch) for e in events[Epoch]]
    assert [set(e.on) for e in events[ErrorCounts]] == [
        set(range(e.task + 1)) for e in events[ErrorCounts]
    ]


def test_the_sample_depends_on_the_seed_alone(toy_config) -> None:
    rows = lambda config: [e.utterance for e in Learner(config).recorder.errors.examples]  # noqa: E731
    config = toy_config.with_(error_rows=3)
    learner = train(config, lambda event: None)
    assert [e.utterance for e in learner.recorder.errors.examples] == rows(config)
    assert rows(config.with_(method="finetune", epochs=1, dropout=0.0)) == rows(config)
    assert rows(config.with_(seed=1)) != rows(config)
    assert learner.recorder.errors.sizes.tolist() == [3] * 6
    assert len(Learner(toy_config).recorder.errors.examples) == 45  # all, where fewer are there


@pytest.mark.parametrize("name", list(methods))
def test_recording_changes_no_bit_of_the_parser_and_no_result(toy_config, name) -> None:
    config = toy_config.with_(method=name, dropout=0.3, word_dropout=0.1)
    learner, events = trained(config)
    without, fewer = trained(config.with_(**OFF))
    for left, right in zip(learner.parser.parameters(), without.parser.parameters(), strict=True):
        assert torch.equal(left, right)
    for kind in (Accuracy, Epoch):
        strip = lambda event: dataclasses.asdict(event) | {"seconds": 0}  # noqa: E731
        assert [strip(e) for e in events[kind]] == [strip(e) for e in fewer[kind]]
    assert not {ActionsKnown, ActionProbabilities, Predictions, ErrorCounts} & fewer.keys()
    assert all(event.stage != "recording" for event in fewer[StageTime])


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({"record_actions": False}, {ActionsKnown, Predictions, ErrorCounts}),
        ({"record_predictions": False}, {ActionsKnown, ActionProbabilities, ErrorCounts}),
        ({"error_rows": 0}, {ActionsKnown, ActionProbabilities, Predictions}),
        ({"record_actions": False, "record_predictions": False}, {ErrorCounts}),
    ],
)
def test_each_record_can_be_switched_off(toy_config, changes, kinds) -> None:
    config = toy_config.with_(epochs=1, **changes)
    _, events = trained(config)
    assert {ActionsKnown, ActionProbabilities, Predictions, ErrorCounts} & events.keys() == kinds
    assert sum(event.work for event in events[StageTime]) == pytest.approx(work(config))
    assert work(config) > work(config.with_(**OFF))


def test_a_task_that_is_not_learned_by_itself_records_nothing(toy_config) -> None:
    _, events = trained(toy_config.with_(method="oracle"))
    assert {e.task for e in events[ErrorCounts]} == {2}
    assert {e.after for e in events[Predictions]} == {2}
    assert {e.after for e in events[ActionProbabilities]} == {2}
    assert [e.task for e in events[StageTime] if e.stage == "recording"] == [2]
