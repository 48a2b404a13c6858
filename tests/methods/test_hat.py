"""HAT by its mechanism: masks, their gradients, what may move, and what past tasks keep."""

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.events import Diagnostics
from core.methods.parts.masks import LAYERS, _Gate
from core.options import ConfigError
from core.parser.batch import UNKNOWN, join
from core.parser.decode import parse
from core.samplers.parts.parser_views import action_losses, attention_gradients, utterance_encodings
from core.training.assembly import Learner
from core.training.checks import validate
from core.training.sequence import train
from core.training.stage_optimizer import StageOptimizer
from tests.learners import Stages
from tests.parser import reference


@pytest.fixture
def config(toy_config) -> RunConfig:
    return toy_config.with_(method="hat", dropout=0.0)


def made(config: RunConfig, k: int = 2) -> Learner:
    """A learner whose masks are soft and all different, with task k known."""
    learner = Learner(config.with_(method_options={"s_max": 1.0}))
    with torch.no_grad():
        for number, embedding in enumerate(learner.parser.masks.embeddings):
            embedding.copy_(
                torch.randn(embedding.shape, generator=torch.Generator().manual_seed(number))
            )
            embedding.mul_(2)
        learner.parser.action_embedding.mul_(5)
    learner.parser.set_known_tasks(k)
    learner.parser.eval()
    return learner


class MaskedReader(reference.Reader):
    """The plain parser, unit by unit: whatever leaves a masked unit is multiplied by its mask."""

    def __init__(self, parser, words, task) -> None:
        self.parser, hidden = parser, parser.init_decoder.out_features
        gates = torch.sigmoid(parser.masks.s_max * parser.masks.embeddings[task])
        forwards, backwards, self.mask, self.mask_s = gates.split(
            [hidden] * 3 + [len(parser.start)]
        )
        vectors = [parser.word_embedding[i] for i in parser.vocabulary.encode(words)]
        states, last = [[], []], []
        for way, mask, order, end in (
            (0, forwards, vectors, ""),
            (1, backwards, vectors[::-1], "_reverse"),
        ):
            h = c = torch.zeros(hidden)
            for x in order:
                h, c = reference.lstm_step(x, h * mask, c, parser.encoder, end)
                states[way].append(h * mask)
            last.append(c * mask)
        pairs = zip(states[0], states[1][::-1], strict=True)
        self.states = [torch.cat(pair) for pair in pairs]
        self.h = torch.tanh(parser.init_decoder(torch.cat(last)))
        self.c = torch.zeros(hidden)
        self.input, self.s = parser.start, torch.zeros(parser.start.shape)

    def scores(self) -> torch.Tensor:
        parser, x = self.parser, self.input * self.mask_s
        x = torch.cat([x, self.s * self.mask_s]) if parser.input_feeding else x
        self.h, self.c = reference.lstm_step(x, self.h * self.mask, self.c, parser.decoder)
        h = self.h * self.mask
        keys = torch.stack([h @ parser.to_keys(e) for e in self.states])
        self.attention = torch.softmax(keys, 0)
        context = sum(w * e for w, e in zip(self.attention, self.states, strict=True))
        self.s = torch.tanh(parser.combine(torch.cat([h, context])))
        return parser.action_embedding @ (self.s * self.mask_s)


@pytest.mark.parametrize("feeding", [False, True])
@torch.no_grad()
def test_masked_weights_equal_masked_units_in_a_plain_loop(config, feeding) -> None:
    learner = made(config.with_(input_feeding=feeding))
    parser = learner.parser
    losses = parser.row_losses(join(learner.train_batches))
    _, attention = parser.teacher_forced(join(learner.train_batches))
    rows = [(task, row) for task in range(3) for row in learner.tasks[task].train]
    for number, (task, row) in enumerate(rows):
        reader, total = MaskedReader(parser, row.words, task), 0.0
        for step, (slot, action) in enumerate(
            zip(*parser.grammar.encode(row.derivation), strict=True)
        ):
            scores = reader.scores()
            allowed = reference.applicable(parser, slot, task)
            total -= float(scores[action] - torch.logsumexp(scores[allowed], 0))
            looked = attention[number, step, : len(row.words)]
            assert torch.allclose(looked, reader.attention, atol=1e-5)
            reader.take(action)
        assert float(losses[number]) == pytest.approx(total, abs=1e-4)


@pytest.mark.parametrize("changes", [{}, {"beam_size": 3}, {"input_feeding": True}])
def test_rows_of_several_tasks_have_the_masks_of_their_own(config, changes) -> None:
    learner = made(config.with_(**changes))
    parser, rows = learner.parser, join(learner.train_batches)
    together = parse(parser, rows)
    assert len({hypothesis.log_prob for hypothesis in together}) > 3
    losses = parser.row_losses(rows)
    for number, hypothesis in enumerate(together):
        row = rows.take([number])
        (alone,) = parse(parser, row)
        assert alone.actions == hypothesis.actions
        assert alone.log_prob == pytest.approx(hypothesis.log_prob, abs=1e-4)
        assert torch.allclose(parser.row_losses(row), losses[number], atol=1e-5)


def test_a_task_is_not_parsed_with_anothers_mask(config) -> None:
    learner = made(config)
    rows = learner.train_batches[0]
    before = learner.parser.row_losses(rows)
    with torch.no_grad():
        learner.parser.masks.embeddings[1].neg_()
    assert torch.equal(before, learner.parser.row_losses(rows))
    with torch.no_grad():
        learner.parser.masks.embeddings[0].neg_()
    assert not torch.allclose(before, learner.parser.row_losses(rows))


@pytest.mark.parametrize("s", [0.1, 1.0, 4.0])
def test_the_gradient_of_a_mask_is_compensated_as_published(s) -> None:
    """Serrà et al., eq. 5, but for the constant s_max."""
    e = torch.linspace(-3, 3, 13, dtype=torch.float64, requires_grad=True)
    slope = torch.arange(13.0, dtype=torch.float64)
    (plain,) = torch.autograd.grad((torch.sigmoid(s * e) * slope).sum(), e)
    (compensated,) = torch.autograd.grad((_Gate.apply(e, s) * slope).sum(), e)
    assert torch.allclose(compensated, plain / s * (torch.cosh(s * e) + 1) / (torch.cosh(e) + 1))


def test_a_closed_or_open_mask_still_has_a_gradient() -> None:
    e = torch.tensor([-6.0, -1.0, 1.0, 6.0], requires_grad=True)
    gate = _Gate.apply(e, 400.0)
    assert gate.tolist() == [0, 0, 1, 1]
    gate.sum().backward()
    assert (e.grad > 1e-3).all()


def test_s_rises_within_an_epoch_and_is_at_its_top_in_use(config) -> None:
    learner = Learner(config)
    masks, stage = learner.parser.masks, learner.method.stages(0)[0]
    learner.parser.train()
    seen = [masks.s for _ in learner.method.steps(0, stage)]
    assert seen == pytest.approx(np.linspace(1 / 400, 400, 3))
    masks.s = 0.01
    soft = torch.cat(masks.masks(0))
    learner.parser.eval()
    hard = torch.cat(masks.masks(0))
    assert ((soft > 0.4) & (soft < 0.6)).all()
    assert torch.equal(hard, torch.sigmoid(400 * masks.embeddings[0]))
    whole = Learner(config.with_(batch_size=100))
    assert [whole.parser.masks.s for _ in whole.method.steps(0, stage)] == [400]


@torch.no_grad()
def test_the_sparsity_term_counts_units_that_no_past_task_uses(config) -> None:
    learner = made(config)
    masks = learner.parser.masks
    gates = torch.sigmoid(torch.stack(list(masks.embeddings)).detach())
    assert float(masks.new_units(0)) == pytest.approx(float(gates[0].mean()))
    past = torch.maximum(gates[0], gates[1])
    expected = sum(float(m * (1 - a)) for m, a in zip(gates[2], past, strict=True))
    expected /= sum(float(1 - a) for a in past)
    assert float(masks.new_units(2)) == pytest.approx(expected, rel=1e-5)


def binary(config: RunConfig) -> Learner:
    """A learner whose first task uses every other unit, exactly, and is done."""
    learner = Learner(config)
    with torch.no_grad():
        for embedding in learner.parser.masks.embeddings:
            embedding[::2], embedding[1::2] = 6.0, -6.0
    learner.parser.set_known_tasks(0)
    learner.method.end_task(0)
    learner.parser.set_known_tasks(1)
    return learner


def learn(learner: Learner, k: int, epochs: int = 3) -> None:
    stage = learner.method.stages(k)[0]
    descent = StageOptimizer(learner.method, k, stage)
    learner.parser.train()
    for _ in range(epochs):
        for step in learner.method.steps(k, stage):
            descent.step(step)
    descent.end()


@pytest.mark.parametrize("feeding", [False, True])
def test_a_later_task_changes_no_bit_of_what_a_past_one_computes(config, feeding) -> None:
    learner = binary(config.with_(input_feeding=feeding))
    parser = learner.parser

    def losses(task: int) -> torch.Tensor:
        parser.set_known_tasks(task)  # A_t as it was: the softmax itself grows with the tasks
        parser.eval()
        row_losses = parser.row_losses(learner.train_batches[task]).detach()
        parser.set_known_tasks(1)
        return row_losses

    before, of_later_task = losses(0), losses(1)
    learn(learner, 1)
    assert torch.equal(before, losses(0))
    assert not torch.equal(of_later_task, losses(1))


def test_weights_into_used_units_stay_where_they_are(config) -> None:
    """Of a used unit the weights from used units and its bias; all others are free."""
    learner = binary(config)
    before = {name: p.clone() for name, p in learner.parser.named_parameters()}
    with torch.no_grad():
        learner.parser.masks.embeddings[1].fill_(6.0)  # the new task reads all units
    learn(learner, 1)
    moved = {name: p != before[name] for name, p in learner.parser.named_parameters()}
    used = torch.arange(16) % 2 == 0
    gates, encoder = used.repeat(4), used.repeat(2)
    for name in ("encoder.weight_hh_l0", "encoder.weight_hh_l0_reverse", "decoder.weight_hh_l0"):
        fixed = gates[:, None] & used
        assert not moved[name][fixed].any(), name
        assert moved[name][~fixed].all(), name
    for name in ("encoder.bias_ih_l0", "encoder.bias_hh_l0_reverse", "decoder.bias_ih_l0"):
        assert not moved[name][gates].any(), name
        assert moved[name][~gates].all(), name
    for name in ("encoder.weight_ih_l0", "encoder.weight_ih_l0_reverse"):
        assert not moved[name][gates].any(), name
        assert moved[name][~gates].all(), name
    for name in ("init_decoder.weight", "to_keys.weight"):
        assert not moved[name][used[:, None] & encoder].any(), name
        assert moved[name][~(used[:, None] & encoder)].all(), name
    fixed = used[:8, None] & used.repeat(3)
    assert not moved["combine.weight"][fixed].any()
    assert moved["combine.weight"][~fixed].all()
    assert not moved["start"][used[:8]].any()
    assert moved["start"][~used[:8]].all()


def test_past_words_stay_and_past_actions_keep_the_units_in_use(config) -> None:
    learner = binary(config)
    grammar, words = learner.grammar, learner.parser.word_embedding
    before = words.clone(), learner.parser.action_embedding.clone()
    with torch.no_grad():
        learner.parser.masks.embeddings[1].fill_(6.0)
    learn(learner, 1)
    old, new = (set(learner.train_batches[k].words.unique().tolist()) for k in (0, 1))
    moved = (words != before[0]).any(dim=1)
    assert set(moved.nonzero()[:, 0].tolist()) == new - old
    moved = learner.parser.action_embedding != before[1]
    both = torch.from_numpy(grammar.known(0) & (grammar.counts[1] > 0))
    assert not moved[torch.from_numpy(grammar.known(0)), ::2].any()
    assert moved[both, 1::2].all()
    assert moved[torch.from_numpy(grammar.unseen(1))].all()


def test_the_vector_of_unknown_words_belongs_to_the_first_task(config) -> None:
    """Word dropout reads it in training; later tasks may not move it."""
    learner = binary(config.with_(word_dropout=0.5))
    vectors = learner.parser.word_embedding
    start = vectors.clone()
    learn(learner, 1)
    assert torch.equal(vectors[UNKNOWN], start[UNKNOWN])
    assert not torch.equal(vectors, start)
    learn(learner, 0)
    assert not torch.equal(vectors[UNKNOWN], start[UNKNOWN])


def test_gradients_are_conditioned_too_so_that_clipping_sees_what_may_move(config) -> None:
    learner = binary(config)
    for parameter in learner.parser.parameters():
        parameter.grad = torch.ones_like(parameter)
    stage = learner.method.stages(1)[0]
    learner.method.edit_gradients(1, stage, next(learner.method.steps(1, stage)))
    used = torch.arange(16) % 2 == 0
    fixed = used[:8, None] & used.repeat(3)
    assert torch.equal(learner.parser.combine.weight.grad, (~fixed).float())


def test_a_half_used_unit_moves_half_as_far_under_adam(config) -> None:
    learner = Learner(config)
    with torch.no_grad():
        learner.parser.masks.embeddings[0].zero_()  # its masks are 1/2
    learner.parser.set_known_tasks(0)
    learner.method.end_task(0)
    learner.parser.set_known_tasks(1)
    before = learner.parser.combine.weight.clone()
    stage = learner.method.stages(1)[0]
    descent = StageOptimizer(learner.method, 1, stage)
    learner.parser.train()
    descent.step(next(learner.method.steps(1, stage)))
    moved = (learner.parser.combine.weight - before).abs()
    assert moved.max().item() == pytest.approx(config.learning_rate / 2, rel=1e-3)


def test_only_the_current_tasks_masks_move(config) -> None:
    run = Stages(config)
    for k in range(1, 3):
        before, after = run.before[k, "train"], run.after[k, "train"]
        for i in range(3):
            name = f"masks.embeddings.{i}"
            assert torch.equal(before[name], after[name]) == (i != k)


def test_embeddings_of_masks_stay_within_their_bounds(config) -> None:
    learner = Learner(config)
    with torch.no_grad():
        learner.parser.masks.embeddings[0].fill_(9.0)
    learn(learner, 0, epochs=1)
    assert learner.parser.masks.embeddings[0].max() <= 6


def test_capacity_in_use_is_recorded_after_every_task(config) -> None:
    recorded: list[Diagnostics] = []
    learner = train(
        config, lambda event: recorded.append(event) if isinstance(event, Diagnostics) else None
    )
    assert [event.task for event in recorded] == [0, 1, 2]
    gates = torch.sigmoid(400 * torch.stack(list(learner.parser.masks.embeddings))).detach()
    parts = dict(zip(LAYERS, gates.split([16, 16, 16, 8], dim=1), strict=True))
    for event in recorded:
        for name, value in zip(event.name, event.value, strict=True):
            units = parts[name.removeprefix("units in use, ")]
            assert value == pytest.approx(
                float((units[: event.task + 1] > 0.5).any(0).float().mean())
            )
    assert all(a <= b for a, b in zip(recorded[0].value, recorded[2].value, strict=True))


def test_a_tasks_masks_are_counted(config) -> None:
    assert Learner(config).facts().task_parameters == 3 * 16 + 8


def test_adapters_under_hat_are_refused(config) -> None:
    with pytest.raises(ConfigError, match=r"hat\.adapters is not an option; there are: s_max"):
        validate(config.with_(method_options={"adapters": "full"}))


def test_samplers_see_the_parser_of_the_task_learned_last(config) -> None:
    learner = made(config, k=1)
    parser, task = learner.parser, learner.tasks[1]
    rows = learner.train_batches[1]
    encodings = utterance_encodings(task.train, parser)
    for row, encoding in zip(task.train, encodings, strict=True):
        with torch.no_grad():
            expected = MaskedReader(parser, row.words, 1).h
        assert np.allclose(encoding, expected.numpy(), atol=1e-5)
    losses = action_losses(task.train, parser) * rows.steps.numpy()
    assert np.allclose(losses, parser.row_losses(rows).detach().numpy(), atol=1e-5)
    for part, gradients in attention_gradients(task.train, parser):
        for row, gradient in zip(part, gradients, strict=True):
            loss = parser.row_losses(rows.take([row])).sum()
            (weight,) = torch.autograd.grad(loss, [parser.combine.weight])
            # the sampler's is at W_c with its columns scaled by the mask
            forwards, backwards, decoder, _ = parser.masks.masks(1)
            scaled = gradient.view_as(weight) * torch.cat([decoder, forwards, backwards])
            assert torch.allclose(scaled, weight, atol=1e-5)
