"""What samplers see of the parser that has just learned the task: dropout off, nothing changed."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.base import Example
from core.parser.batch import Batch, encode_examples, split_by_length
from core.parser.by_task import call
from core.parser.model import Parser
from core.parser.modes import evaluating, without_dropout

ROWS = 256  # a batch
GRADIENT_ROWS = 64  # a batch whose rows' gradients are held at a time


def _batches(
    examples: Sequence[Example], parser: Parser, size: int
) -> Iterator[tuple[NDArray[Any], Batch]]:
    """Row numbers and rows on the parser's device, as rows of the task learned last."""
    rows = encode_examples(examples, parser.known_tasks, parser.vocabulary, parser.grammar)
    for part in split_by_length(rows, size):
        yield part, parser.placed(rows.take(part))


def utterance_encodings(examples: Sequence[Example], parser: Parser) -> NDArray[Any]:
    """h_0 of each row, what the encoder hands to the decoder: (rows, hidden) float32."""
    encodings = np.empty((len(examples), parser.init_decoder.out_features), dtype=np.float32)
    with torch.no_grad(), evaluating(parser):
        for part, batch in _batches(examples, parser, ROWS):
            encoding = call(parser, parser.known_tasks, parser.encode, batch.words, batch.lengths)
            encodings[part] = encoding.decoder_start.cpu().numpy()
    return encodings


def action_losses(examples: Sequence[Example], parser: Parser) -> NDArray[Any]:
    """Negative log-likelihood of each row's derivation, per action: (rows,) in nats.

    Infinite for a form that the parser's grammar can't write.
    """
    means = np.empty(len(examples))
    with torch.no_grad(), evaluating(parser):
        for part, batch in _batches(examples, parser, ROWS):
            losses, steps = parser.row_losses(batch).cpu().numpy(), batch.steps.numpy()
            means[part] = np.where(steps > 0, losses / np.maximum(steps, 1), np.inf)
    return means


def attention_gradients(
    examples: Sequence[Example], parser: Parser
) -> Iterator[tuple[NDArray[Any], Tensor]]:
    """The gradient of each row's loss at W_c (eq. 4): row numbers, (rows, action size · 3 hidden).

    Zero for a form that the parser's grammar can't write.

    With z_t = W_c x_t the gradient is Σ_t (∂loss/∂z_t) x_tᵀ, and a row's z_t matter to that row
    alone: one backward pass to the z_t of a batch gives the gradients of all its rows.
    """
    with without_dropout(parser):
        for part, batch in _batches(examples, parser, GRADIENT_ROWS):
            calls: list[tuple[Tensor, Tensor]] = []  # x and z of each call of W_c
            hook = parser.combine.register_forward_hook(
                lambda _, inputs, z, calls=calls: calls.append((inputs[0], z))
            )
            try:
                loss = parser.row_losses(batch).sum()
            finally:
                hook.remove()
            slopes = torch.autograd.grad(loss, [z for _, z in calls])
            x = _by_row([x.detach() for x, _ in calls], batch)  # (n, T, 3 hidden)
            slope = _by_row(slopes, batch)  # (n, T, action size)
            yield part, torch.bmm(slope.transpose(1, 2), x).flatten(1)


def _by_row(values: Sequence[Tensor], batch: Batch) -> Tensor:
    """What W_c was called with or gave, by row and step: (n, T, size), 0 at padding."""
    if len(values) > 1 or values[0].dim() == 3:  # input feeding: a call a step
        return torch.cat(list(values), dim=1)
    flat = values[0].new_zeros(batch.actions.numel(), values[0].shape[1])
    return flat.index_copy(0, batch.real, values[0]).view(*batch.actions.shape, -1)
