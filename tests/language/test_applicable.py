"""A_t by slot, or by kind: task-specific actions and cross-task ones, as the release has it."""

import numpy as np
import pytest
import torch

from core.evaluation import hypotheses
from core.language.grammar import NEVER, Grammar
from core.parser.applicable import MASKED
from core.training.assembly import Learner
from core.training.sequence import train
from tests.conftest import make_toy_tasks

TASKS = [[row.derivation for row in task.train] for task in make_toy_tasks()]


def by_hand(k: int, task: int | None) -> set[tuple]:
    """(slot, action) pairs of A_t by kind, from the derivations alone; `task` masks."""
    shown_by: dict = {}
    fills: dict = {}
    for number, derivations in enumerate(TASKS[: k + 1]):
        for rule in (rule for steps in derivations for rule in steps):
            shown_by.setdefault(rule.action, set()).add(number)
            fills.setdefault(rule.slot, set()).add(rule.action)
    specific = {action for action, tasks in shown_by.items() if len(tasks) == 1}
    pairs = set()
    for slot, actions in fills.items():
        for action, tasks in shown_by.items():
            of_kind = any((action in specific) == (filler in specific) for filler in actions)
            if task is None:
                allowed = True
            elif action in specific:
                allowed = tasks == {task}
            else:
                allowed = min(tasks) <= task
            if of_kind and allowed:
                pairs.add((slot, action))
    return pairs


@pytest.mark.parametrize("k", [0, 1, 2])
def test_by_kind_a_slot_takes_every_action_of_the_kinds_that_fill_it(k) -> None:
    grammar, by_slot = Grammar(TASKS, "type"), Grammar(TASKS)
    for slot in grammar.slots:
        expected = {action for at, action in by_hand(k, None) if at == slot}
        assert set(grammar.applicable(slot, k)) == expected
        assert set(by_slot.applicable(slot, k)) <= expected
    assert grammar.fills(k).sum() > by_slot.fills(k).sum()


@pytest.mark.parametrize("k", [0, 1, 2])
def test_with_task_masking_a_task_has_its_own_and_what_was_cross_task_when_it_was_learned(
    toy_config, k
) -> None:
    learner = Learner(toy_config.with_(applicable="type", task_masking=True))
    parser, grammar = learner.parser, learner.grammar
    parser.set_known_tasks(k)
    for task in range(k + 1):
        expected = by_hand(k, task)
        for number, slot in enumerate(grammar.slots):
            bias = parser.applicable.bias(torch.tensor([number]), torch.tensor([task]))[0]
            inside = {grammar.actions[a] for a in torch.nonzero(bias == 0)[:, 0].tolist()}
            assert inside == {action for at, action in expected if at == slot}
            assert set(bias.unique().tolist()) <= {0.0, float(np.float32(MASKED))}


def test_masking_by_kind_takes_from_a_task_the_cross_task_actions_that_came_after_it() -> None:
    first, second = TASKS[:2]
    tasks = [first, second[::2], second[1::2]]
    shown = [{rule.action for row in task for rule in row} for task in tasks]
    assert (shown[1] & shown[2]) - shown[0]
    grammar = Grammar(tasks, "type")
    for k in range(3):
        foreign = grammar.foreign(k)
        for number, action in enumerate(grammar.actions):
            known = [t for t in range(k + 1) if action in shown[t]]
            since = min(t for t in range(3) if action in shown[t])
            for task in range(k + 1):
                expected = known != [task] if len(known) == 1 else since > task
                assert foreign[task, number] == expected


@pytest.mark.parametrize("masking", [False, True])
def test_every_gold_step_of_every_task_stays_applicable(toy_config, masking) -> None:
    learner = Learner(toy_config.with_(applicable="type", task_masking=masking))
    for k in range(3):
        learner.parser.set_known_tasks(k)
        for batch in learner.train_batches[: k + 1]:
            bias = learner.parser.step_bias(batch)
            assert (bias.gather(1, batch.gold[:, None]) == 0).all()


def test_forms_that_no_training_row_shows_can_be_written(toy_config) -> None:
    """A pair of slot and action is writable since the first task after which it is applicable."""
    grammar, by_slot = Grammar(TASKS, "type"), Grammar(TASKS)
    first = np.full(grammar.first_task.shape, NEVER)
    for k in reversed(range(3)):
        for slot, action in by_hand(k, None):
            first[grammar.slot_ids[slot], grammar.action_ids[action]] = k
    np.testing.assert_array_equal(grammar.first_task, first)
    swapped = 0
    for steps in {steps for task in TASKS for steps in task}:
        assert grammar.first_writable_task(steps) <= by_slot.first_writable_task(steps)
        assert grammar.encode(steps) is not None
        for replacement in {rule.action for task in TASKS for row in task for rule in row}:
            tried = [*steps[:-1], type(steps[-1])(steps[-1].slot, replacement)]
            swapped += grammar.encode(tried) is not None and by_slot.encode(tried) is None
    assert swapped > 0


@pytest.mark.parametrize("masking", [False, True])
@pytest.mark.parametrize("beam", [1, 3])
def test_hardly_trained_parsers_write_ill_typed_forms_which_count_as_wrong(
    toy_config, masking, beam
) -> None:
    config = toy_config.with_(
        applicable="type", task_masking=masking, beam_size=beam, epochs=1, method="finetune"
    )
    learner = train(config, lambda event: None)
    by_slot, ill_typed = Grammar(TASKS), 0
    for k, task in enumerate(learner.tasks):
        parses = hypotheses(learner.parser, learner.test_batches[k])
        for parse, row in zip(parses, task.test, strict=True):
            text = learner.writer.text(parse)
            assert (text is None) == (not parse.complete)
            if not parse.complete:
                continue
            slots, steps = [0], []
            for number in parse.actions:  # every action fills the slot that is open at that step
                slot = slots.pop()
                assert learner.grammar.fills(2)[slot, number]
                steps.append((slot, number))
                children = learner.grammar.actions[number].slots
                slots += [learner.grammar.slot_ids[child] for child in reversed(children)]
            typed = all(by_slot.fills(2)[slot, number] for slot, number in steps)
            ill_typed += not typed
            assert typed or text != row.logical_form
    assert ill_typed > 0


def test_a_parser_learns_with_it(toy_config) -> None:
    config = toy_config.with_(applicable="type", method="oracle", epochs=60, dropout=0.0)
    learner = train(config, lambda event: None)
    for k, task in enumerate(learner.tasks):
        parses = hypotheses(learner.parser, learner.test_batches[k])
        texts = [learner.writer.text(parse) for parse in parses]
        assert texts == [row.logical_form for row in task.test]
