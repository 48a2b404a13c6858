"""The parser against its definition, and what must not change its numbers."""

from collections import Counter

import pytest
import torch
from torch.overrides import TorchFunctionMode

from core.config import RunConfig
from core.parser.applicable import MASKED
from core.parser.batch import join
from core.training.assembly import Learner
from tests.learners import SETTINGS, make
from tests.parser import reference


@pytest.mark.parametrize("changes", SETTINGS)
def test_loss_equals_a_step_by_step_computation(toy_config, changes) -> None:
    learner = make(toy_config, **changes)
    for k, task in enumerate(learner.tasks):
        losses = learner.parser.row_losses(learner.train_batches[k])
        plain = [reference.row_loss(learner.parser, row, k) for row in task.train]
        assert losses.tolist() == pytest.approx(plain, abs=1e-5)


@pytest.mark.parametrize("changes", SETTINGS)
def test_batch_size_and_padding_do_not_change_a_loss(toy_config, changes) -> None:
    learner = make(toy_config, **changes)
    rows = join(learner.train_batches)
    whole = learner.parser.row_losses(rows)
    alone = torch.cat([learner.parser.row_losses(rows.take([i])) for i in range(len(rows))])
    assert torch.allclose(whole, alone, atol=1e-5)


@pytest.mark.parametrize("changes", SETTINGS)
@pytest.mark.parametrize("k", [0, 1, 2])
def test_probabilities_sum_to_one_over_applicable_actions_and_are_zero_elsewhere(
    toy_config, changes, k
) -> None:
    learner = make(toy_config, k, **changes)
    parser, rows = learner.parser, learner.train_batches[k]
    probabilities = torch.softmax(parser.step_scores(rows).detach(), dim=1)
    slots = rows.slots.flatten()[rows.real].tolist()
    for row, slot in zip(probabilities, slots, strict=True):
        allowed = reference.applicable(parser, slot, k)
        outside = torch.ones(len(row), dtype=torch.bool)
        outside[allowed] = False
        assert float(row[allowed].sum()) == pytest.approx(1, abs=1e-6)
        assert bool((row[outside] == 0).all())


def test_an_unknown_task_changes_nothing_in_what_is_known(toy_config) -> None:
    learner = make(toy_config, k=0)
    rows = learner.train_batches[0]
    before = learner.parser.row_losses(rows)
    with torch.no_grad():
        learner.parser.action_embedding[torch.from_numpy(~learner.grammar.known(0))] = 7.0
    assert torch.equal(before, learner.parser.row_losses(rows))


def test_masks_of_the_parser_are_those_of_the_grammar(toy_config) -> None:
    parser = make(toy_config, k=1).parser
    for number, slot in enumerate(parser.grammar.slots):
        applicable = {str(a) for a in parser.grammar.applicable(slot, 1)}
        open_ones = torch.nonzero(parser.applicable.slot_bias[number] == 0)[:, 0].tolist()
        assert {str(parser.grammar.actions[a]) for a in open_ones} == applicable
        bias = set(parser.applicable.slot_bias[number].tolist())
        assert bias <= {0.0, torch.tensor(MASKED).item()}


class Calls(TorchFunctionMode):
    """Counts the calls of PyTorch from Python, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter = Counter()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.counts[func.__name__] += 1
        return func(*args, **(kwargs or {}))


def test_a_training_step_takes_as_many_calls_for_any_number_of_rows_and_steps(toy_config) -> None:
    """No loop over time steps or examples: calls are counted, not timed."""
    parser = (learner := make(toy_config, dropout=0.2)).parser.train()
    rows = join(learner.train_batches)
    by_steps = rows.steps.argsort()
    parser.loss(join(learner.train_batches))  # tables that are made once
    counts = []
    for part in (rows.take(by_steps[:1]), rows):
        assert not {"real", "row_of_step"} & vars(part).keys()
        with Calls() as calls:
            parser.loss(part).backward()
        counts.append(calls.counts)
    assert rows.actions.shape[1] > int(rows.steps[by_steps[0]])
    assert counts[0] == counts[1]
    assert counts[0]["lstm"] == 3  # the encoder's directions and the decoder, in a piece each
    assert counts[0]["cross_entropy"] == 1


def test_dropout_draws_from_the_runs_own_generator(toy_config) -> None:
    first, second = (make(toy_config, dropout=0.5, word_dropout=0.3) for _ in range(2))
    state = torch.random.get_rng_state()
    losses = []
    for learner in (first, second):
        learner.parser.train()
        torch.manual_seed(len(losses))  # the global generator must not matter
        losses.append([learner.parser.loss(learner.train_batches[0]).item() for _ in range(3)])
    assert losses[0] == losses[1]
    assert len(set(losses[0])) == 3
    torch.random.set_rng_state(state)
    Learner(toy_config).parser.train().loss(first.train_batches[0])
    assert torch.equal(torch.random.get_rng_state(), state)


def test_dropout_keeps_the_mean(toy_config) -> None:
    parser = make(toy_config, dropout=0.4).parser.train()
    dropped = parser._drop(torch.ones(400, 400))
    assert float(dropped.mean()) == pytest.approx(1, abs=0.01)
    assert float((dropped == 0).float().mean()) == pytest.approx(0.4, abs=0.01)


def test_equal_seeds_give_equal_parameters_and_others_do_not(toy_config) -> None:
    first, again, other_seed = (Learner(toy_config.with_(seed=s)).parser for s in (1, 1, 2))
    assert all(
        torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True)
    )
    assert not torch.equal(first.action_embedding, other_seed.action_embedding)
    again.initialise()
    assert not torch.equal(first.action_embedding, again.action_embedding)


def test_size_of_the_paper(toy_config) -> None:
    """About 1.8 million parameters beside the embeddings (appendix A)."""
    parser = Learner(RunConfig(dataset="toy")).parser
    count = sum(p.numel() for n, p in parser.named_parameters() if "embedding" not in n)
    assert count == pytest.approx(1.8e6, rel=0.07)
