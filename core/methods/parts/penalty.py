"""Elastic weight consolidation (Kirkpatrick et al., 2017).

Ω = λ Σ_j F_j (θ_j − θ*_j)², θ* the parameters after the last task, F summed over the memories of
the tasks so far, at θ*. Two readings of F, of other scales:

`batch`, the paper's release: the square of the gradient of a memory's mean loss. It vanishes where
examples pull in opposite directions. (The release keeps an anchor and an F for each task, as they
were at its end, and clips the gradient before it squares it; one anchor θ_{k-1}, with F at it, is
the paper's text.)
`example`, the diagonal of the empirical Fisher information: the mean over a memory's examples of
the square of each one's gradient. It is nowhere smaller; where M examples pull in unrelated
directions it is M times as large, so that λ / M holds as hard as λ does with `batch`. (Measured on
Overnight after training: the sum of F is 48 to 60 times as large for memories of 50 examples.)
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from core.methods.parts.gradients import flat, gradient
from core.options import option
from core.parser.batch import Batch
from core.parser.model import Parser


def weight_option(help: str = "λ of the penalty λ Σ F (θ − θ*)²", **more: Any) -> Any:
    """A field for how hard parameters are held."""
    return option(
        5000.0, f"{help}; the default goes with fisher = batch", low=0.0, high=1e9, **more
    )


def fisher_option(**more: Any) -> Any:
    """A field for which parameters are held."""
    return option(
        "batch",
        "F of the penalty. batch: the squared gradient of each memory's mean loss, as in the "
        "paper's release; example: the mean of each row's squared gradient, about memory_size "
        "times as large, so that λ = 100 holds as 5000 does with batch",
        choices=("batch", "example"),
        **more,
    )


def fisher_of_batch(parser: Parser, memories: Sequence[Batch]) -> Tensor:
    """Σ_i (∇ mean loss on M_i)² at the parser's parameters, dropout off: (parameters,)."""
    total = torch.zeros_like(flat(list(parser.parameters())))
    for memory in memories:
        total += gradient(parser, memory).square_()
    return total


def fisher_of_examples(parser: Parser, memories: Sequence[Batch]) -> Tensor:
    """Σ_i mean over the examples of M_i of (∇ the example's loss)², dropout off: (parameters,).

    A backward pass an example, 0.6 CPU seconds for 50 at the paper's sizes: fused LSTMs give no
    gradients by example. One pass for all, with the LSTMs' gates laid open, took as long: the time
    goes into two million squares an example.
    """
    total = torch.zeros_like(flat(list(parser.parameters())))
    for memory in memories:
        for index in range(len(memory)):
            slope = gradient(parser, memory.take([index]))
            total.addcmul_(slope, slope, value=1 / len(memory))
    return total


FISHERS = {"batch": fisher_of_batch, "example": fisher_of_examples}


class Penalty:
    """Holds the parameters near an anchor, the more the Fisher information says they matter."""

    def __init__(self, parser: Parser, weight: float, fisher: str = "batch") -> None:
        self.parser, self.weight, self.kind = parser, weight, fisher
        self.fisher: Tensor | None = None  # (parameters,)
        self.anchor: Tensor | None = None  # (parameters,)

    def consolidate(self, memories: Sequence[Batch]) -> None:
        """Anchor the parameters where they are now, weighted by these memories."""
        self.fisher = FISHERS[self.kind](self.parser, memories)
        self.anchor = flat(list(self.parser.parameters()))

    def add_gradient(self) -> float:
        """Add ∇Ω = 2 λ F (θ − θ*) to the gradients that there are; returns Ω.

        One pass over the flat vector; 0 before the first task has been consolidated.
        """
        if self.fisher is None or self.anchor is None or not self.weight:
            return 0.0
        parameters = list(self.parser.parameters())
        difference = flat(parameters).sub_(self.anchor)  # θ − θ*
        pull = self.fisher * difference
        value = self.weight * float(torch.dot(pull, difference))
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
