"""Elastic weight consolidation (Kirkpatrick et al., 2017), as the paper's release estimates it.

Ω = λ Σ_j F_j (θ_j − θ*_j)², θ* the parameters after the last task. F is the square of the gradient
of the mean loss over a task's memory, summed over the tasks so far (notes on the release: λ
belongs to that scale).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from core.parser.batch import Batch
from core.parser.model import Parser


def flat(tensors: Sequence[Tensor]) -> Tensor:
    """All numbers of the tensors in one vector, in order."""
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors])


def fisher_of_batch(parser: Parser, memories: Sequence[Batch]) -> Tensor:
    """Σ_i (∇ mean loss on M_i)² at the parser's parameters, dropout off: (parameters,)."""
    training = parser.training
    parser.eval()
    parameters = list(parser.parameters())
    total = torch.zeros(sum(p.numel() for p in parameters), device=parameters[0].device)
    for rows in memories:
        with torch.enable_grad():
            gradients = torch.autograd.grad(parser.loss(rows), parameters, materialize_grads=True)
        total += flat(gradients).square_()
    parser.train(training)
    return total


class Penalty:
    """Holds the parameters near an anchor, the more the Fisher information says they matter."""

    def __init__(self, parser: Parser, weight: float) -> None:
        self.parser, self.weight = parser, weight
        self.fisher: Tensor | None = None  # (parameters,)
        self.anchor: Tensor | None = None  # (parameters,)

    def consolidate(self, memories: Sequence[Batch]) -> None:
        """Anchor the parameters where they are now, weighted by these memories."""
        self.fisher = fisher_of_batch(self.parser, memories)
        self.anchor = flat(list(self.parser.parameters()))

    def add_gradient(self) -> float:
        """Add ∇Ω = 2 λ F (θ − θ*) to the gradients that there are; returns Ω.

        One pass over the flat vector; 0 before the first task has been consolidated.
        """
        if self.fisher is None or not self.weight:
            return 0.0
        parameters = list(self.parser.parameters())
        away = flat(parameters).sub_(self.anchor)
        pull = self.fisher * away
        value = self.weight * float(torch.dot(pull, away))
        pull.mul_(2 * self.weight)
        start = 0
        for parameter in parameters:
            end = start + parameter.numel()
            if parameter.grad is not None:
                parameter.grad.add_(pull[start:end].view_as(parameter))
            start = end
        return value

    def state(self) -> dict[str, Any]:
        return {} if self.fisher is None else {"fisher": self.fisher, "anchor": self.anchor}

    def restore(self, state: dict[str, Any]) -> None:
        device = next(self.parser.parameters()).device
        if state:
            self.fisher = state["fisher"].to(device)
            self.anchor = state["anchor"].to(device)
