from types import SimpleNamespace

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.data.base import Example, FormReader, Task
from core.generators import Generators
from core.language.grammar import Grammar
from core.parser.batch import Vocabulary, encode_examples
from core.parser.model import Parser
from core.samplers import gss
from core.samplers.gss import sketched_gradients
from core.samplers.parts.parser_views import action_losses, attention_gradients, utterance_encodings


def make(rows: tuple[Example, ...], input_feeding: bool = False) -> Parser:
    config = RunConfig(word_size=5, hidden_size=6, action_size=4, input_feeding=input_feeding)
    vocabulary = Vocabulary([row.words for row in rows])
    return Parser(config, vocabulary, Grammar([[row.derivation for row in rows]]), Generators(1))


def one_by_one(rows: tuple[Example, ...], parser: Parser) -> np.ndarray:
    """The gradient of each row's loss at W_c, by a backward pass a row."""
    parser.eval()
    batch = encode_examples(rows, 0, parser.vocabulary, parser.grammar)
    gradients = []
    for row in range(len(rows)):
        loss = parser.row_losses(batch.take([row])).sum()
        (gradient,) = torch.autograd.grad(loss, [parser.combine.weight])
        gradients.append(gradient.flatten().numpy())
    return np.stack(gradients)


@pytest.mark.parametrize("input_feeding", [False, True])
def test_gradients_of_a_batch_equal_those_of_each_row(
    input_feeding: bool, toy_tasks: tuple[Task, ...]
):
    rows = toy_tasks[0].train
    parser = make(rows, input_feeding)
    gradients = sketched_gradients(rows, parser, 0, np.random.default_rng(0))
    np.testing.assert_allclose(gradients, one_by_one(rows, parser), atol=1e-5)


def test_gradients_take_one_backward_pass_a_batch(
    toy_tasks: tuple[Task, ...], monkeypatch: pytest.MonkeyPatch
):
    passes = []
    real = torch.autograd.grad
    monkeypatch.setattr(torch.autograd, "grad", lambda *a: passes.append(1) or real(*a))
    rows = toy_tasks[0].train * 13  # 130 rows
    parts = [part for part, _ in attention_gradients(rows, make(rows))]
    assert len(passes) == len(parts) == 3
    assert sorted(np.concatenate(parts).tolist()) == list(range(130))


def test_sketch_keeps_distances(toy_tasks: tuple[Task, ...]):
    rows = toy_tasks[0].train + toy_tasks[1].train
    parser = make(rows)
    whole = sketched_gradients(rows, parser, 0, np.random.default_rng(0))
    assert whole.shape == (20, 4 * 18)
    sums = np.zeros((20, 20))
    for seed in range(300):
        sketch = sketched_gradients(rows, parser, 31, np.random.default_rng(seed))
        assert sketch.shape == (20, 31)
        sums += ((sketch[:, None] - sketch) ** 2).sum(axis=2)
    true = ((whole[:, None] - whole) ** 2).sum(axis=2)
    np.testing.assert_allclose(sums / 300, true, rtol=0.1, atol=1e-6)


def test_every_number_goes_into_one_number_of_the_sketch_and_few_into_each(monkeypatch):
    parts = [(np.arange(72), torch.eye(72))]
    monkeypatch.setattr(gss, "attention_gradients", lambda examples, parser: parts)
    parser = SimpleNamespace(combine=torch.nn.Linear(18, 4, bias=False))
    for seed in range(20):
        sketch = sketched_gradients(range(72), parser, 31, np.random.default_rng(seed))
        assert ((sketch != 0).sum(axis=1) == 1).all()
        assert set(np.abs(sketch).max(axis=1)) == {1.0}
        assert (sketch != 0).sum(axis=0).max() <= 3  # 72 numbers in 31


def test_a_sketch_keeps_distances_where_all_numbers_have_one_sign(monkeypatch):
    numbers = torch.arange(72).float().add(1).repeat(4, 1) * torch.arange(4)[:, None]
    parts = [(np.arange(4), numbers)]
    monkeypatch.setattr(gss, "attention_gradients", lambda examples, parser: parts)
    parser = SimpleNamespace(combine=torch.nn.Linear(18, 4, bias=False))
    true = ((numbers[:, None] - numbers) ** 2).sum(dim=2).numpy()
    sums = np.zeros((4, 4))
    for seed in range(300):
        sketch = sketched_gradients(range(4), parser, 31, np.random.default_rng(seed))
        sums += ((sketch[:, None] - sketch) ** 2).sum(axis=2)
    np.testing.assert_allclose(sums / 300, true, rtol=0.1)


@pytest.mark.parametrize(("dimensions", "columns"), [(0, 72), (1, 1), (71, 71), (72, 72), (99, 72)])
def test_a_sketch_has_so_many_numbers_or_the_whole(
    dimensions: int, columns: int, toy_tasks: tuple[Task, ...]
):
    rows = toy_tasks[0].train
    parser = make(rows)
    sketch = sketched_gradients(rows, parser, dimensions, np.random.default_rng(0))
    assert sketch.shape == (len(rows), columns)
    if columns == 72:
        assert np.array_equal(sketch, sketched_gradients(rows, parser, 0, np.random.default_rng(0)))


def test_a_form_of_one_action_has_its_loss_and_one_that_cannot_be_written_an_infinite_one():
    read = FormReader().example
    rows = (read("nothing at all", "( nothing )"), read("some things", "( some things )"))
    parser = make(rows)
    strange = read("other things", "( other things )")
    losses = action_losses((*rows, strange), parser)
    assert min(len(row.derivation) for row in rows) == 1
    assert np.isfinite(losses).tolist() == [True, True, False]
    batch = encode_examples(rows, 0, parser.vocabulary, parser.grammar)
    nats = parser.eval().row_losses(batch).detach().numpy()
    np.testing.assert_allclose(losses[:2], nats / [len(row.derivation) for row in rows], rtol=1e-5)


def test_encodings_and_losses_do_not_depend_on_the_other_rows(toy_tasks: tuple[Task, ...]):
    rows = toy_tasks[1].train
    parser = make(rows)
    encodings, losses = utterance_encodings(rows, parser), action_losses(rows, parser)
    assert encodings.shape == (10, 6)
    for number, row in enumerate(rows):
        np.testing.assert_allclose(
            utterance_encodings([row], parser)[0], encodings[number], atol=1e-6
        )
        parser.eval()
        batch = encode_examples([row], 0, parser.vocabulary, parser.grammar)
        with torch.no_grad():
            mean = float(parser.row_losses(batch)) / len(row.derivation)
        assert losses[number] == pytest.approx(mean, abs=1e-5)
