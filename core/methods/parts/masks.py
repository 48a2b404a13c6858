"""Hard attention to the task (Serrà et al., 2018, arXiv:1801.01423): masks on the parser's units.

Task t has an embedding e for every unit of a layer, whose mask is a = sigmoid(s e) (their eq. 1).
Layers: the encoder's units forwards and backwards, the decoder's, and s_t's. c_a and s_t live in
one space, so that s_t's mask covers the embeddings of actions; the decoder's covers h_0 and the
keys of the attention, which meet h unit by unit. Masking a unit is scaling the columns of the
weights that read it, here with the recurrent ones.
"""

from typing import Any

import torch
from torch import Tensor, nn

from core.parser.model import Parser

LAYERS = ("encoder forwards", "encoder backwards", "decoder", "s_t")
BOUND = 6.0  # embeddings stay within ± this (their section 2.5)
# First embeddings: theirs spread by 1 about 0, for SGD at a rate twenty times Adam's here. A tenth
# of it lets Adam close and open masks; most are open at first (tried on held-out rows).
_MEAN, _SPREAD = 0.1, 0.1


class _Gate(torch.autograd.Function):
    """sigmoid(s e), with the gradient compensated for s (their eq. 5).

    They multiply the gradient, which has the factor s σ'(s e), by s_max/s (cosh(s e) + 1) /
    (cosh(e) + 1). That makes the factor s_max σ'(e), taken here at once: no product of 0 and
    infinity where s e is large. The constant s_max is left out, as Adam's step has no scale, and
    the clipping of the gradient's norm would see nothing else.
    """

    @staticmethod
    def forward(ctx: Any, embedding: Tensor, s: float) -> Tensor:
        ctx.save_for_backward(embedding)
        return torch.sigmoid(s * embedding)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        gate = torch.sigmoid(ctx.saved_tensors[0])
        return gradient * gate * (1 - gate), None


class TaskMasks(nn.Module):
    """The embeddings of all tasks; the parser is run with `weights` of the examples' task."""

    def __init__(
        self, tasks: int, hidden: int, size: int, s_max: float, rng: torch.Generator
    ) -> None:
        super().__init__()
        self.sizes, self.s_max = [hidden, hidden, hidden, size], s_max
        fresh = [torch.empty(sum(self.sizes)) for _ in range(tasks)]
        for embedding in fresh:
            nn.init.normal_(embedding, _MEAN, _SPREAD, generator=rng)
        self.embeddings = nn.ParameterList(fresh)
        self.s = s_max  # in training; else s_max

    def masks(self, task: int) -> tuple[Tensor, ...]:
        """The masks of LAYERS for a task."""
        s = self.s if self.training else self.s_max
        gate: Tensor = _Gate.apply(self.embeddings[task], s)  # type: ignore[no-untyped-call]
        return tuple(gate.split(self.sizes))

    def summary(self, task: int) -> Tensor:
        return self.masks(task)[3]

    def weights(self, parser: Parser, task: int) -> dict[str, Tensor]:
        """The parser's parameters that read masked units, their columns scaled by the mask.

        The keys' rows are scaled as well: the score h · key has then h's mask once.
        """
        forwards, backwards, decoder, summary = self.masks(task)
        encoder = torch.cat([forwards, backwards])
        weights: dict[str, Tensor] = {}

        def scale(name: str, *masks: Tensor) -> None:
            weights[name] = parser.get_parameter(name)
            for mask in masks:
                weights[name] = weights[name] * mask

        scale("encoder.weight_hh_l0", forwards)
        scale("encoder.weight_hh_l0_reverse", backwards)
        scale("init_decoder.weight", encoder)
        scale("to_keys.weight", decoder[:, None], encoder)
        scale("decoder.weight_hh_l0", decoder)
        scale("combine.weight", torch.cat([decoder, encoder]))
        scale("action_embedding", summary)
        scale("start", summary)
        if parser.input_feeding:  # c is masked already, s is not
            scale("decoder.weight_ih_l0", torch.cat([torch.ones_like(summary), summary]))
        return weights

    @torch.no_grad()
    def used(self, k: int) -> tuple[Tensor, ...]:
        """The greatest mask that a task before k has on each unit, at s_max (their section 2.3)."""
        past = torch.stack([torch.zeros_like(self.embeddings[0]), *self.embeddings[:k]])
        gates = torch.sigmoid(self.s_max * past)
        gates[0] = 0
        return tuple(gates.amax(dim=0).split(self.sizes))

    def new_units(self, k: int) -> Tensor:
        """What share of the free units task k's masks use (their eq. 6)."""
        free = 1 - torch.cat(self.used(k))
        return torch.dot(torch.cat(self.masks(k)), free) / free.sum().clamp(min=1)


def movable(
    parser: Parser, used: tuple[Tensor, ...], words: Tensor, actions: Tensor
) -> dict[str, Tensor]:
    """How far each parameter may move, as a share: 1 − min(a_out, a_in) (their eq. 2), by name.

    `used` as TaskMasks.used; `words` and `actions` of bool: those of past tasks. A layer that
    reads what is not masked, as the encoder reads words, counts with its output units alone; a
    past word's vector, which all units read, stays as it is. A past action's embedding has s_t's
    units as its output, a new action's is free.
    """
    forwards, backwards, decoder, summary = used
    encoder = torch.cat([forwards, backwards])
    fed = torch.cat([summary, summary]) if parser.input_feeding else summary

    def between(out: Tensor, into: Tensor) -> Tensor:
        return 1 - torch.minimum(out[:, None], into[None])

    shares = {
        "word_embedding": (~words).to(summary)[:, None],
        "action_embedding": torch.where(actions[:, None], 1 - summary, 1.0),
        "start": 1 - summary,
        "decoder.weight_ih_l0": between(decoder.repeat(4), fed),
        "decoder.weight_hh_l0": between(decoder.repeat(4), decoder),
        "init_decoder.weight": between(decoder, encoder),
        "init_decoder.bias": 1 - decoder,
        "to_keys.weight": between(decoder, encoder),
        "combine.weight": between(summary, torch.cat([decoder, encoder])),
    }
    for name in ("bias_ih_l0", "bias_hh_l0"):
        shares[f"decoder.{name}"] = 1 - decoder.repeat(4)
        shares[f"encoder.{name}"] = 1 - forwards.repeat(4)
        shares[f"encoder.{name}_reverse"] = 1 - backwards.repeat(4)
    for suffix, units in (("", forwards), ("_reverse", backwards)):
        shares[f"encoder.weight_ih_l0{suffix}"] = 1 - units.repeat(4)[:, None]
        shares[f"encoder.weight_hh_l0{suffix}"] = between(units.repeat(4), units)
    return shares
