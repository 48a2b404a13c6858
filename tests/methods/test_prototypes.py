"""EMAR and ProtoParser by their mechanism: whose mean a prototype is, and what is done with it."""

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.evaluation import correct
from core.methods import protoparser
from core.methods.base import Stage
from core.methods.parts.prototypes import prototypes
from core.methods.protoparser import Forms, JoinedStep
from core.parser.batch import Batch, join
from core.training.assembly import Learner
from core.training.sequence import train

TRAIN = Stage("train", 1)


def emar(config: RunConfig, **changes: object) -> RunConfig:
    """EMAR with prototypes of states alone, unless `changes` say otherwise."""
    return config.with_(**{"method": "emar", "method_options": {"pattern": "none"}} | changes)


def learned_two(config: RunConfig) -> Learner:
    """A learner whose tasks 0 and 1 have their memories, about to learn task 2."""
    learner = Learner(config)
    for k, rows in enumerate([(0, 3, 4), (1, 2)]):
        learner.parser.set_known_tasks(k)
        learner.memory.indices[k] = rows
        learner.method.end_task(k)
    learner.parser.set_known_tasks(2)
    return learner


def by_hand(learner: Learner, batches: list[Batch]) -> dict[int, torch.Tensor]:
    """The mean of s_t over each action's occurrences, row by row and step by step."""
    states: dict[int, list[torch.Tensor]] = {}
    learner.parser.eval()
    for batch in batches:
        for row in range(len(batch)):
            single_row = batch.take([row])
            with torch.no_grad():
                computed = learner.parser.teacher_forced(single_row)[0]
            for step in range(int(single_row.steps[0])):
                states.setdefault(int(single_row.actions[0, step]), []).append(computed[step])
    learner.parser.train()
    return {action: torch.stack(vectors).mean(dim=0) for action, vectors in states.items()}


def assert_holds(readout, expected: dict[int, torch.Tensor]) -> None:
    assert np.flatnonzero(readout.covered.numpy()).tolist() == sorted(expected)
    for action, mean in expected.items():
        torch.testing.assert_close(readout.table[action], mean, rtol=1e-4, atol=1e-6)


def test_prototypes_are_the_mean_state_over_the_occurrences_in_all_memories(toy_config) -> None:
    learner = learned_two(emar(toy_config))
    memories = [learner.train_batches[0].take((0, 3, 4)), learner.train_batches[1].take((1, 2))]
    assert_holds(learner.parser.readout, by_hand(learner, memories))
    assert not learner.parser.readout.covered.all()


def test_an_epochs_prototypes_take_in_rows_of_the_task_being_learned(toy_config) -> None:
    learner = learned_two(emar(toy_config, memory_size=10, batch_size=100))
    learner.method.begin_task(2)
    assert not learner.parser.readout.covered.any()
    *activation, last = learner.method.steps(2, TRAIN)
    assert [step.kind for step in activation] == [""]
    assert (last.kind, last.n_current, len(last.batch)) == ("reconsolidation", 0, 3 + 2 + 10)
    memories = [learner.train_batches[0].take((0, 3, 4)), learner.train_batches[1].take((1, 2))]
    assert_holds(learner.parser.readout, by_hand(learner, [*memories, learner.train_batches[2]]))


def test_with_a_pattern_the_embedding_counts_as_one_more_occurrence(toy_config) -> None:
    learner = learned_two(emar(toy_config, method_options={}))
    memories = [learner.train_batches[0].take((0, 3, 4)), learner.train_batches[1].take((1, 2))]
    times = np.bincount(np.concatenate([m.actions.flatten()[m.real] for m in memories]))
    means, embedding = by_hand(learner, memories), learner.parser.action_embedding.detach()
    expected = dict(enumerate(embedding))  # of an action that no row shows, the embedding alone
    for action, mean in means.items():
        expected[action] = (embedding[action] + times[action] * mean) / (1 + times[action])
    assert_holds(learner.parser.readout, expected)


def test_until_prototypes_are_used_emar_replays_only(toy_config) -> None:
    learner = learned_two(emar(toy_config))
    initial = learner.method.stages(2)[0]
    assert (initial.name, initial.epochs) == ("initial", 1)
    assert {step.kind for step in learner.method.steps(2, initial)} == {""}


@pytest.mark.parametrize("pattern", ["none", "embedding"])
def test_reconsolidation_classifies_memory_steps_by_prototypes(toy_config, pattern) -> None:
    learner = learned_two(emar(toy_config, method_options={"pattern": pattern}, dropout=0.0))
    parser = learner.parser
    *_, step = learner.method.steps(2, TRAIN)
    readout, expected = parser.readout, 0.0
    for row in range(len(step.batch)):
        single_row = step.batch.take([row])
        states = parser.teacher_forced(single_row)[0].detach()
        for t in range(int(single_row.steps[0])):
            slot, taken = int(single_row.slots[0, t]), int(single_row.actions[0, t])
            scores = {
                action: float(readout.table[action] @ states[t])
                for action in np.flatnonzero(parser.grammar.first_task[slot] <= 2).tolist()
                if readout.covered[action]
            }
            total = np.logaddexp.reduce(list(scores.values()))
            expected += (total - scores[taken]) / len(step.batch)
    parts = learner.method.loss(2, TRAIN, step)
    assert float(parts["current"]) == 0
    assert float(parts["reconsolidation"].detach()) == pytest.approx(expected, rel=1e-4)


def test_prediction_is_by_prototypes_in_evaluation_only(toy_config) -> None:
    learner = learned_two(emar(toy_config, dropout=0.0))
    parser, rows = learner.parser, learner.train_batches[0].take((0, 3))
    states, bias = parser.teacher_forced(rows)[0], parser.step_bias(rows)
    embedded = torch.addmm(bias, states, parser.action_embedding.t())
    assert torch.equal(parser.step_scores(rows), embedded)
    parser.eval()
    scores, covered = parser.step_scores(rows), parser.readout.covered
    torch.testing.assert_close(
        scores[:, covered], (bias + states @ parser.readout.table.t())[:, covered]
    )
    inside = (bias == 0) & ~covered
    assert inside.any()
    assert (scores[inside] < scores[:, covered][bias[:, covered] == 0].min()).all()
    parser.readout.clear()
    assert torch.equal(parser.step_scores(rows), embedded)


def test_with_every_row_in_memory_emar_parses_all_tasks(toy_config) -> None:
    config = emar(toy_config, memory_size=10, epochs=40, dropout=0.0)
    learner = train(config, lambda event: None)
    for k, task in enumerate(learner.tasks):
        assert correct(learner.parser, task.test, learner.test_batches[k], learner.writer).all()


def test_the_kept_parser_predicts_as_the_run_did(toy_config) -> None:
    kept: dict[int, dict] = {}
    config = emar(toy_config, epochs=10)
    learner = train(
        config, lambda event: None, save_parser=lambda k, state: kept.update({k: state})
    )
    kept_learner = Learner(config)
    kept_learner.parser.load_state_dict(kept[2]["parser"])
    kept_learner.parser.set_known_tasks(2)
    for parser in (learner.parser, kept_learner.parser):
        parser.eval()
    rows = learner.test_batches[1]
    assert torch.equal(learner.parser.step_scores(rows), kept_learner.parser.step_scores(rows))


def test_new_actions_start_from_their_prototypes_in_the_new_tasks_rows(toy_config) -> None:
    learner = learned_two(toy_config.with_(method="protoparser"))
    before = learner.parser.action_embedding.detach().clone()
    expected = by_hand(learner, [learner.train_batches[2]])
    learner.method.begin_task(2)
    after, unseen = learner.parser.action_embedding.detach(), learner.grammar.unseen(2)
    assert unseen.any()
    for action in range(len(after)):
        if unseen[action]:
            torch.testing.assert_close(after[action], expected[action], rtol=1e-4, atol=1e-6)
        else:
            assert torch.equal(after[action], before[action])


def test_the_first_task_starts_from_drawn_embeddings(toy_config) -> None:
    learner = Learner(toy_config.with_(method="protoparser"))
    before = learner.parser.action_embedding.detach().clone()
    learner.method.begin_task(0)
    assert torch.equal(learner.parser.action_embedding.detach(), before)


def count_updates(config, monkeypatch) -> int:
    """Steps that Adam takes in a whole run."""
    updates = 0
    step = torch.optim.Adam.step

    def counted(self, *args, **kwargs):
        nonlocal updates
        updates += 1
        return step(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(torch.optim.Adam, "step", counted)
        train(config, lambda event: None)
    return updates


@pytest.mark.parametrize(("episodes", "times"), [("joined", 1), ("overwrite", 1), ("extra", 2)])
def test_protoparser_makes_as_many_updates_as_emr_unless_asked_for_more(
    toy_config, monkeypatch, episodes, times
) -> None:
    emr = count_updates(toy_config.with_(method="emr"), monkeypatch)
    options = {"episodes": episodes}
    config = toy_config.with_(method="protoparser", method_options=options)
    assert count_updates(config, monkeypatch) == times * emr
    assert count_updates(config.with_(method_options={}), monkeypatch) == emr


def test_an_episodes_loss_joins_every_second_steps(toy_config) -> None:
    learner = learned_two(toy_config.with_(method="protoparser", dropout=0.0))
    steps = list(learner.method.steps(2, TRAIN))
    assert [isinstance(step, JoinedStep) for step in steps] == [False, True, False]
    plain, joined = steps[0], steps[1]
    assert set(learner.method.loss(2, TRAIN, plain)) == {"current", "replay"}
    assert joined.extra_rows == len(joined.episode.batch)
    state = learner.method.rng.bit_generator.state
    parts = learner.method.loss(2, TRAIN, joined)
    learner.method.rng.bit_generator.state = state
    alone = learner.method.loss(2, TRAIN, joined.episode)
    assert float(parts["episode"].detach()) == pytest.approx(float(alone["episode"].detach()))
    assert float(parts["episode"].detach()) > 0


@pytest.mark.parametrize("dropped", [0.0, 1.0])
def test_every_second_step_overwrites_the_embeddings_of_its_actions(toy_config, dropped) -> None:
    options = {"episodes": "overwrite", "predicate_dropout": dropped}
    learner = learned_two(toy_config.with_(method="protoparser", method_options=options))
    method, embedding = learner.method, learner.parser.action_embedding
    for number, step in enumerate(method.steps(2, TRAIN)):
        before, expected = embedding.detach().clone(), by_hand(learner, [step.batch])
        method.loss(2, TRAIN, step)
        for action in range(len(embedding)):
            row = before[action]
            if number % 2 and not dropped and action in expected:
                row = expected[action]
            torch.testing.assert_close(embedding[action].detach(), row, rtol=1e-4, atol=1e-6)


def test_extra_episodes_alternate_with_plain_steps_that_replay(toy_config) -> None:
    options = {"episodes": "extra"}
    learner = learned_two(toy_config.with_(method="protoparser", method_options=options))
    steps = list(learner.method.steps(2, TRAIN))
    assert [step.kind for step in steps] == ["", "episode"] * 3
    for plain, episode in zip(steps[::2], steps[1::2], strict=True):
        assert set(plain.batch.tasks.tolist()) == {0, 1, 2}
        assert episode.n_current == 0
        assert float(episode.weights.sum()) == pytest.approx(1)


class AllDifferent(Forms):
    """Examples as if no form had two."""

    def __init__(self, examples: Batch) -> None:
        super().__init__(examples)
        self.repeated = self.repeated[:0]


@pytest.mark.parametrize("episodes", ["joined", "extra"])
def test_where_no_form_has_two_rows_there_are_no_episodes(
    toy_config, monkeypatch, episodes
) -> None:
    options = {"episodes": episodes}
    learner = learned_two(toy_config.with_(method="protoparser", method_options=options))
    steps = list(learner.method.steps(2, TRAIN))
    assert any(isinstance(step, JoinedStep) or step.kind == "episode" for step in steps)
    monkeypatch.setattr(protoparser, "Forms", AllDifferent)
    steps = list(learner.method.steps(2, TRAIN))
    assert steps
    assert not any(isinstance(step, JoinedStep) or step.kind == "episode" for step in steps)


def test_an_episode_has_one_support_row_of_each_form_and_asks_others_of_it(toy_config) -> None:
    learner = Learner(toy_config)
    forms = Forms(join(learner.train_batches))
    rng, asked = np.random.default_rng(0), set()
    for _ in range(50):
        batch, support = forms.draw(3, 1, rng)
        assert support == 3
        assert len(batch) == 6
        steps = zip(batch.actions.tolist(), batch.steps.tolist(), strict=True)
        derivations = [tuple(row[:length]) for row, length in steps]
        assert len(set(derivations[:3])) == 3
        assert sorted(derivations[:3]) == sorted(derivations[3:])
        words = [tuple(row) for row in batch.words.tolist()]
        assert len(set(words)) == 6
        asked |= set(derivations)
    assert len(asked) == 15  # every form is drawn some time
    assert len(Forms(learner.train_batches[0].take((0, 1, 2))).repeated) == 0


@pytest.mark.parametrize("dropped", [0.0, 1.0])
def test_an_episodes_loss_has_prototypes_in_place_of_embeddings(toy_config, dropped) -> None:
    options = {"predicate_dropout": dropped, "episode_forms": 2, "episodes": "extra"}
    config = toy_config.with_(method="protoparser", method_options=options, dropout=0.0)
    learner = learned_two(config)
    parser, step = learner.parser, list(learner.method.steps(2, TRAIN))[1]
    support = np.flatnonzero(step.weights.numpy() == 0)
    table = parser.action_embedding.detach().clone()
    if not dropped:
        for action, mean in by_hand(learner, [step.batch.take(support)]).items():
            table[action] = mean
    queries = step.batch.take(np.flatnonzero(step.weights.numpy()))
    with torch.no_grad():
        scores = parser.step_bias(queries) + parser.teacher_forced(queries)[0] @ table.t()
        taken = queries.actions.flatten()[queries.real]
        lost = -torch.log_softmax(scores, dim=1)[torch.arange(len(taken)), taken]
    parts = learner.method.loss(2, TRAIN, step)
    assert float(parts["episode"].detach()) == pytest.approx(float(lost.sum()) / len(queries))


def test_an_episodes_gradient_goes_through_the_prototypes(toy_config) -> None:
    options = {"predicate_dropout": 0.0, "episode_forms": 2, "episodes": "extra"}
    config = toy_config.with_(method="protoparser", method_options=options, dropout=0.0)
    learner = learned_two(config)
    only: set[int] = set()
    while not only:  # words of the support alone
        step = list(learner.method.steps(2, TRAIN))[1]
        support = step.batch.take(np.flatnonzero(step.weights.numpy() == 0))
        asked = step.batch.take(np.flatnonzero(step.weights.numpy()))
        only = set(support.words.flatten().tolist()) - set(asked.words.flatten().tolist())
    learner.method.loss(2, TRAIN, step)["episode"].backward()
    gradient = learner.parser.word_embedding.grad
    assert all(gradient[word].any() for word in only)


def test_prototypes_are_the_same_however_the_rows_are_parted(toy_config, monkeypatch) -> None:
    learner = Learner(toy_config)
    whole, times = prototypes(learner.parser, learner.train_batches[0])
    monkeypatch.setattr("core.methods.parts.prototypes._BATCH", 3)
    parted, again = prototypes(learner.parser, learner.train_batches[0])
    torch.testing.assert_close(whole, parted)
    assert torch.equal(times, again)
    assert learner.parser.training  # as it was
