"""Steps of a parse against a plain computation, one row, one step, one action at a time."""

import math
import unicodedata

import numpy as np
import pytest
import torch

from core.inspection.steps import BEST, explain
from core.inspection.utterances import MOST_LETTERS, MOST_WORDS, cut
from core.language.derivation import Action, Rule
from core.language.grammar import Grammar
from core.language.tree import read
from core.parser.applicable import ApplicableActions
from core.parser.decode import parse
from core.parser.model import Parser
from tests.learners import SETTINGS, make
from tests.parser import reference

ODD = ["", "   ", "🦊 🦊🦊", "<b>all</b> & *x*", "a\x00b \x07 \u202e c", "w" * 10_000, "all " * 400]


def plain_steps(parser: Parser, words: list[str], task: int, actions: list[int]):
    """Slot, probabilities by action number over A_t, attention: at each of these steps."""
    reader, slots, steps = reference.Reader(parser, words), [0], []
    for action in actions:
        slot, scores = slots.pop(), reader.scores()
        allowed = reference.applicable(parser, slot, task)
        shares = torch.softmax(scores[allowed], 0).tolist()
        chances = dict(zip(allowed, shares, strict=True))
        steps.append((slot, chances, reader.attention.numpy()))
        reader.take(action)
        children = parser.grammar.actions[action].slots
        slots += [parser.grammar.slot_ids[child] for child in reversed(children)]
    return steps


@torch.no_grad()
def check(trace, parser: Parser, words: list[str], task: int, actions: list[int]) -> None:
    expected = plain_steps(parser, words, task, actions)
    names = [str(action) for action in parser.grammar.actions]
    for step, action, (slot, chances, attention) in zip(
        trace.steps, actions, expected, strict=True
    ):
        assert (step.slot, step.action) == (str(parser.grammar.slots[slot]), names[action])
        assert step.applicable == len(chances)
        assert step.probability == pytest.approx(chances.get(action, 0), abs=1e-5)
        best = sorted(chances.values(), reverse=True)
        assert [p for _, p in step.best] == pytest.approx(best[:BEST], abs=1e-5)
        by_name = {names[number]: p for number, p in chances.items()}
        for name, probability in step.best:
            assert probability == pytest.approx(by_name[name], abs=1e-5)
        above = sum(p > chances.get(action, 0) + 1e-5 for p in chances.values())
        assert step.rank == (above + 1 if action in chances else 0)
        assert step.attention == pytest.approx(attention, abs=1e-5)


@pytest.mark.parametrize("changes", SETTINGS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_parsers_own_steps_are_those_of_a_plain_search(toy_config, changes, seed) -> None:
    learner = make(toy_config, seed=seed, **changes)
    for k, task in enumerate(learner.tasks):
        for row in task.test:
            trace = explain(learner.parser, row.utterance, k)
            actions, log_prob, complete = reference.greedy(learner.parser, row.words, k)
            assert trace.complete == complete
            if complete:
                check(trace, learner.parser, row.words, k, actions)
                assert math.log(trace.probability) == pytest.approx(log_prob, abs=1e-4)
            assert (trace.words, trace.task) == (tuple(row.words), k)


@pytest.mark.parametrize("changes", SETTINGS)
def test_along_a_given_derivation_the_probabilities_are_teacher_forced(toy_config, changes) -> None:
    learner = make(toy_config, **changes)
    for k, task in enumerate(learner.tasks):
        for row in task.train:
            trace = explain(learner.parser, row.utterance, k, row.derivation)
            _, actions = learner.grammar.encode(row.derivation)
            check(trace, learner.parser, row.words, k, actions)
            assert trace.logical_form == row.logical_form
            loss = reference.row_loss(learner.parser, row, k)
            assert -math.log(trace.probability) == pytest.approx(loss, abs=1e-4)


def test_an_action_not_known_yet_has_probability_zero_and_no_rank(toy_config) -> None:
    learner = make(toy_config, k=0)
    row = next(r for r in learner.tasks[1].train if "ship" in r.logical_form)
    trace = explain(learner.parser, row.utterance, 1, row.derivation)
    assert trace.task == 0  # task 1 is not learned: read as the last that is
    known = learner.grammar.known(0)
    for step, given in zip(trace.steps, row.derivation, strict=True):
        if not known[learner.grammar.action_ids[given.action]]:
            assert (step.probability, step.rank) == (0, 0)
            assert step.action == str(given.action)
    assert trace.probability == 0
    assert trace.complete  # it is a whole form, only not one that this parser writes


def test_an_action_that_no_training_data_show_ends_the_trace(toy_config) -> None:
    learner = make(toy_config)
    row = learner.tasks[0].train[1]
    fragment = read("( size none_such )", "s_expression")
    steps = [*row.derivation[:-1], Rule(row.derivation[-1].slot, Action(fragment)), *row.derivation]
    trace = explain(learner.parser, row.utterance, 0, steps)
    assert len(trace.steps) == len(row.derivation)
    last = trace.steps[-1]
    assert last.action == "GEN ( size none_such )"
    assert (last.probability, last.rank, trace.complete) == (0, 0, False)
    same = explain(learner.parser, row.utterance, 0, row.derivation).steps[-1]
    assert last.best == same.best
    assert np.array_equal(last.attention, same.attention)


def test_an_utterance_is_read_in_composed_form_as_rows_are(toy_config) -> None:
    parser = make(toy_config).parser
    composed, decomposed = "trouvés à la forêt", unicodedata.normalize("NFD", "trouvés à la forêt")
    assert composed != decomposed
    assert cut(decomposed) == composed
    assert explain(parser, decomposed, 0).words == explain(parser, composed, 0).words


def test_where_nothing_is_applicable_the_parser_stops_without_an_action(toy_config) -> None:
    learner = make(toy_config)
    parser = learner.parser
    first = explain(parser, "show all animals", 0).steps[0]
    child = next(a for a in learner.grammar.actions if str(a) == first.action).slots[0]
    outside = parser.applicable.slot_bias < 0
    outside[learner.grammar.slot_ids[child]] = True
    parser.applicable = ApplicableActions(outside, None)
    trace = explain(parser, "show all animals", 0)
    assert [step.action for step in trace.steps] == [first.action, ""]
    assert trace.steps[1].best == ()
    assert (trace.complete, trace.probability) == (False, 0)


def test_a_derivation_that_comes_to_no_end_is_told_as_far_as_it_went(toy_config) -> None:
    learner = make(toy_config)
    learner.parser.max_steps = 2
    trace = explain(learner.parser, "animals that are big", 0)
    assert (len(trace.steps), trace.logical_form) == (2, None)


def test_words_are_marked_by_whether_the_vocabulary_has_them(toy_config) -> None:
    learner = make(toy_config)
    trace = explain(learner.parser, "Show  ALL unicorns", 0)
    assert trace.words == ("show", "all", "unicorns")
    assert trace.known == (True, True, False)


@pytest.mark.parametrize("utterance", ODD, ids=lambda text: text[:8].strip() or "blank")
def test_whatever_is_typed_gets_a_trace(toy_config, utterance) -> None:
    learner = make(toy_config)
    trace = explain(learner.parser, utterance, 0)
    assert trace.words == tuple(utterance.lower().split())
    for step in trace.steps:
        assert len(step.attention) == max(1, len(trace.words))
        assert float(step.attention.sum()) == pytest.approx(1, abs=1e-5)


def test_a_beam_is_followed_along_its_best_hypothesis(toy_config) -> None:
    learner = make(toy_config, beam_size=4)
    rows = learner.test_batches[1]
    for row, hypothesis in zip(learner.tasks[1].test, parse(learner.parser, rows), strict=True):
        trace = explain(learner.parser, row.utterance, 1)
        assert trace.probability == pytest.approx(math.exp(hypothesis.log_prob), rel=1e-4)


def test_the_parser_is_left_as_it_was(toy_config) -> None:
    learner = make(toy_config)
    before = {name: value.clone() for name, value in learner.parser.state_dict().items()}
    rng = learner.parser.rng.get_state()
    learner.parser.train()
    explain(learner.parser, "show all animals", 0)
    assert learner.parser.training
    assert torch.equal(learner.parser.rng.get_state(), rng)
    assert all(torch.equal(v, before[n]) for n, v in learner.parser.state_dict().items())
    learner.parser.eval()


def test_an_utterance_is_cut_after_so_many_words() -> None:
    assert cut(" a  b\tc\n") == "a b c"
    assert cut("a " * 1700) == " ".join("a" * MOST_WORDS)
    assert cut("w" * 10_000) == "w" * MOST_LETTERS
    assert cut("thirteen signs " * 45) == "thirteen signs " * 44 + "thirteen signs"
    long = "a-word-of-nineteen " * 60
    assert cut(long) == long[:MOST_LETTERS].rstrip()
    assert cut("") == cut(" \n" * 10_000) == ""


def test_no_given_steps_give_no_trace_and_no_form(toy_config) -> None:
    learner = make(toy_config)
    assert isinstance(learner.grammar, Grammar)
    trace = explain(learner.parser, "show all animals", 0, [])
    assert (trace.steps, trace.complete) == ((), False)
