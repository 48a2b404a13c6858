"""Gradients as flat vectors over all parameters of a parser, in the order of `parameters()`."""

from collections.abc import Sequence

import torch
from torch import Tensor

from core.parser.batch import Batch
from core.parser.model import Parser
from core.parser.modes import training, without_dropout


def flat(tensors: Sequence[Tensor]) -> Tensor:
    """All numbers of the tensors in one vector, in order."""
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def gradient(parser: Parser, batch: Batch, dropout: bool = False) -> Tensor:
    """∇ of the mean loss over the batch: (parameters,), 0 at what is not trained."""
    trained = [p for p in parser.parameters() if p.requires_grad]
    with training(parser) if dropout else without_dropout(parser):
        slopes = iter(torch.autograd.grad(parser.loss(batch), trained, materialize_grads=True))
    return flat(
        [next(slopes) if p.requires_grad else p.new_zeros(p.shape) for p in parser.parameters()]
    )


def read(parser: Parser) -> Tensor:
    """The gradients that the parser holds: (parameters,), 0 where it holds none."""
    return flat([p.new_zeros(p.shape) if p.grad is None else p.grad for p in parser.parameters()])


def write(parser: Parser, vector: Tensor) -> None:
    """Put (parameters,) in place of the gradients that the parser holds."""
    start = 0
    for parameter in parser.parameters():
        end = start + parameter.numel()
        if parameter.grad is not None:
            parameter.grad.copy_(vector[start:end].view_as(parameter))
        start = end
