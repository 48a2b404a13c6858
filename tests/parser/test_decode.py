"""Decoding against a plain greedy search and against all derivations."""

import itertools
from dataclasses import replace

import pytest
import torch

from core.data.base import FormReader, Task
from core.parser import decode
from core.parser.applicable import MASKED, ApplicableActions
from core.parser.batch import Batch, encode_examples, join
from core.parser.beam import search
from core.parser.decode import parse
from core.parser.hypothesis import MAX_OPEN, Parse
from core.parser.model import Parser
from core.stopping import Stopped
from core.training.assembly import Learner
from core.training.sequence import train
from tests.learners import SETTINGS, make
from tests.parser import reference


def random_parser(config, seed: int, **changes) -> Learner:
    return make(config, seed=seed, **changes)


def parsed(parser: Parser, rows: Batch) -> list[Parse]:
    """The parses of a batch, which are also those of each row alone."""
    together = parse(parser, rows)
    for number, hypothesis in enumerate(together):
        (alone,) = parse(parser, rows.take([number]))
        assert (alone.actions, alone.complete) == (hypothesis.actions, hypothesis.complete)
        if hypothesis.log_prob > MASKED / 2 or hypothesis.complete:
            assert alone.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-4)
        else:  # lost
            assert alone.log_prob <= MASKED / 2
    return together


@pytest.mark.parametrize("changes", SETTINGS)
@pytest.mark.parametrize("seed", range(4))
def test_greedy_decoding_equals_a_plain_search(toy_config, changes, seed) -> None:
    learner = random_parser(toy_config, seed, **changes)
    for k, task in enumerate(learner.tasks):
        for hypothesis, row in zip(
            parse(learner.parser, learner.test_batches[k]), task.test, strict=True
        ):
            actions, log_prob, complete = reference.greedy(learner.parser, row.words, k)
            assert hypothesis.complete == complete
            assert list(hypothesis.actions) == actions
            if complete:
                assert hypothesis.log_prob == pytest.approx(log_prob, abs=1e-4)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("changes", SETTINGS)
def test_batch_size_and_padding_do_not_change_a_parse(toy_config, changes, beam) -> None:
    learner = random_parser(toy_config, 5, beam_size=beam, **changes)
    rows = join(learner.train_batches)
    whole = parsed(learner.parser, rows)
    in_parts = parse(learner.parser, rows, rows_at_once=3)
    assert [hypothesis.actions for hypothesis in in_parts] == [
        hypothesis.actions for hypothesis in whole
    ]


ATTACHED = {
    "hat": {},
    "protoparser": {},
    "total_recall": {"method_options": {"adapters": "full", "fast_epochs": 1}},
}


@pytest.mark.parametrize("masking", [False, True])
@pytest.mark.parametrize("method", ATTACHED)
def test_an_utterance_alone_is_parsed_as_in_a_beam_of_one(
    toy_config, method, masking, monkeypatch
) -> None:
    """Where a method has masks, a readout or adapters at work."""
    changes = {"method": method, "task_masking": masking, **ATTACHED[method]}
    learner = train(toy_config.with_(epochs=2, **changes), lambda event: None)
    rows = join(learner.test_batches)
    alone = [parse(learner.parser, rows.take([number])) for number in range(len(rows))]
    monkeypatch.setattr(decode, "greedy", search)
    beams = [parse(learner.parser, rows.take([number])) for number in range(len(rows))]
    for (short,), (by_beam,) in zip(alone, beams, strict=True):
        assert (short.actions, short.complete) == (by_beam.actions, by_beam.complete)
        assert short.log_prob == pytest.approx(by_beam.log_prob, abs=1e-4)


def all_derivations(parser, task: int, limit: int):
    """Every derivation of at most `limit` steps: action numbers and their slots."""

    def grow(actions, slots, open_slots):
        if not open_slots:
            yield actions, slots
        elif len(actions) + len(open_slots) <= limit:
            slot, rest = open_slots[-1], open_slots[:-1]
            for action in reference.applicable(parser, slot, task):
                children = parser.grammar.actions[action].slots
                opened = [parser.grammar.slot_ids[s] for s in reversed(children)]
                yield from grow([*actions, action], [*slots, slot], [*rest, *opened])

    yield from grow([], [], [0])


@pytest.mark.parametrize("seed", range(3))
def test_a_wide_beam_finds_the_most_probable_derivation(toy_config, seed) -> None:
    """All complete derivations up to the step limit are scored one by one (task 2's grammar)."""
    learner = Learner(toy_config.with_(seed=seed, beam_size=64, task_order=("farm", "zoo")))
    with torch.no_grad():
        learner.parser.action_embedding.mul_(30)
    learner.parser.set_known_tasks(0)
    words = ["show", "fields"]
    best = max(
        (_score(learner.parser, words, actions, slots), actions)
        for actions, slots in itertools.islice(
            all_derivations(learner.parser, 0, learner.parser.max_steps), 20_000
        )
    )
    example = learner.tasks[0].test[0]
    row = encode_examples(
        [replace(example, utterance=" ".join(words), derivation=())],
        0,
        learner.parser.vocabulary,
        learner.grammar,
    )
    (hypothesis,) = parse(learner.parser, row)
    assert hypothesis.complete
    assert hypothesis.log_prob == pytest.approx(best[0], abs=1e-4)
    assert list(hypothesis.actions) == best[1]


@torch.no_grad()
def _score(parser, words, actions, slots) -> float:
    reader, total = reference.Reader(parser, words), 0.0
    for slot, action in zip(slots, actions, strict=True):
        scores = reader.scores()
        allowed = reference.applicable(parser, slot, 0)
        total += float(scores[action] - torch.logsumexp(scores[allowed], 0))
        reader.take(action)
    return total


def endless(config) -> Learner:
    """A learner whose parser can take one action alone, which fills itself: filter ( · · )."""
    learner = random_parser(config, 0)
    grammar, parser = learner.grammar, learner.parser
    recursive = next(a for a in grammar.actions if "filter" in str(a))
    slots = [0, *(grammar.slot_ids[slot] for slot in recursive.slots)]
    outside = torch.ones_like(parser.applicable.slot_bias, dtype=torch.bool)
    outside[slots, grammar.action_ids[recursive]] = False
    parser.applicable = ApplicableActions(outside, None)
    return learner


def test_a_derivation_that_never_ends_is_cut_and_incomplete(toy_config) -> None:
    learner = endless(toy_config)
    parses = parsed(learner.parser, learner.test_batches[0])
    assert not any(hypothesis.complete for hypothesis in parses)
    longest = max(len(row.derivation) for task in learner.tasks for row in task.train)
    assert {len(hypothesis.actions) for hypothesis in parses} == {2 * longest}
    assert all(text is None for text in map(learner.writer.text, parses))


def test_a_derivation_with_too_many_open_slots_is_given_up(toy_config) -> None:
    learner = endless(toy_config)
    learner.parser.max_steps = 3 * MAX_OPEN
    n_open, steps = 1, 0
    while n_open <= MAX_OPEN:  # `filter` fills a slot and opens two
        n_open, steps = n_open + 1, steps + 1
    parses = parsed(learner.parser, learner.test_batches[0])
    assert {(len(hypothesis.actions), hypothesis.complete) for hypothesis in parses} == {
        (steps, False)
    }
    learner.grammar.longest = MAX_OPEN + 5  # data with longer derivations: more may be open
    parses = parsed(learner.parser, learner.test_batches[0])
    assert {len(hypothesis.actions) for hypothesis in parses} == {steps + 5}


def test_a_form_with_very_many_parts_is_parsed(toy_config, monkeypatch) -> None:
    """What training shows can be decoded, however many slots it opens at once."""
    wide = "( f " + "( g ( h x ) ) " * (MAX_OPEN + 6) + ")"
    example = FormReader().example("show it", wide)
    task = Task("wide", (example, example), (), (example,))
    monkeypatch.setattr("core.training.assembly.derived_tasks", lambda config: (task,))
    learner = Learner(toy_config)  # one action for each slot: whatever the parser's numbers are
    (hypothesis,) = parse(learner.parser, learner.test_batches[0])
    assert learner.writer.text(hypothesis) == example.logical_form


def test_a_slot_without_applicable_actions_ends_the_hypothesis(toy_config) -> None:
    learner = random_parser(toy_config, 0)
    outside = torch.ones_like(learner.parser.applicable.slot_bias, dtype=torch.bool)
    learner.parser.applicable = ApplicableActions(outside, None)
    hypotheses = parsed(learner.parser, learner.test_batches[0])
    assert all(
        (hypothesis.actions, hypothesis.complete) == ((), False) for hypothesis in hypotheses
    )


@pytest.mark.parametrize("beam", [1, 3])
def test_a_hypothesis_that_task_masking_ends_is_the_same_alone_and_has_no_other_tasks_action(
    toy_config, beam
) -> None:
    ended = 0
    for seed in range(6):
        learner = random_parser(toy_config, seed, task_masking=True, beam_size=beam)
        specific, rows = learner.grammar.specific_to(2), join(learner.test_batches)
        for number, hypothesis in enumerate(parsed(learner.parser, rows)):
            owners = specific[:, list(hypothesis.actions)].any(axis=1).nonzero()[0].tolist()
            assert set(owners) <= {int(rows.tasks[number])}
            ended += not hypothesis.complete and len(hypothesis.actions) < learner.parser.max_steps
    assert ended or beam > 1  # a beam finds a way round


def test_an_empty_utterance_is_parsed(toy_config) -> None:
    learner = random_parser(toy_config, 0)
    example = learner.tasks[0].test[0]
    rows = encode_examples(
        [replace(example, utterance="", derivation=()), replace(example, utterance="zzz " * 300)],
        0,
        learner.parser.vocabulary,
        learner.grammar,
    )
    assert len(parsed(learner.parser, rows)) == 2


def test_decoding_ends_between_two_batches_where_it_is_told_to(toy_config) -> None:
    learner = random_parser(toy_config, 5)
    learner.parser.train()
    rows = join(learner.train_batches)
    asked = []

    def should_stop() -> bool:
        asked.append(len(asked))
        return len(asked) == 3

    with pytest.raises(Stopped):
        parse(learner.parser, rows, rows_at_once=7, should_stop=should_stop)
    assert len(asked) == 3 < len(rows) / 7
    assert learner.parser.training
