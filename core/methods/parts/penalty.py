"""Elastic weight consolidation (Kirkpatrick et al., 2017).

Ω = λ Σ_i Σ_j F_ij (θ_j − θ*_ij)² over the tasks i so far. F and θ* can be read in two ways:

`anchors = each`, the paper's release: F_i is taken once, right after task i, from its memory, and
θ*_i are the parameters of that moment.
`anchors = last`, the paper's text: θ* are the parameters after the last task, for all i, and F_i is
taken anew there from each memory. Where replay has driven the loss of older memories to nothing,
their F goes with it: then the newest task alone is held.

Two readings of F itself, of other scales:

`fisher = batch`, the paper's release: the square of the gradient of a memory's mean loss. It
vanishes where examples pull in opposite directions. (The release clips the gradient before it
squares it.)
`fisher = example`, the diagonal of the empirical Fisher information: the mean over a memory's
examples of the square of each one's gradient. It is nowhere smaller; where M examples pull in
unrelated directions it is M times as large, so that λ / M holds as hard as λ does with `batch`.
(Measured on Overnight after training: the sum of F is 48 to 60 times as large for memories of 50
examples.)
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import torch
from torch import Tensor

from core.methods.parts.gradients import flat, gradient
from core.options import option
from core.parser.batch import Batch
from core.parser.model import Parser
from core.stopping import ShouldStop, check, never


def weight_option(help: str = "λ of the penalty λ Σ F (θ − θ*)²", **more: Any) -> Any:
    """A field for how hard parameters are held."""
    return option(
        5000.0,
        f"{help}; the default goes with fisher = batch",
        low=0.0,
        high=1e9,
        label="Weight λ of the penalty",
        **more,
    )


def fisher_option(**more: Any) -> Any:
    """A field for which parameters are held."""
    return option(
        "batch",
        "F of the penalty. batch: the squared gradient of each memory's mean loss, as in the "
        "paper's release; example: the mean of each row's squared gradient, about memory_size "
        "times as large, so that λ = 100 holds as 5000 does with batch",
        choices=("batch", "example"),
        label="Fisher information of",
        **more,
    )


def anchors_option(default: str = "last", **more: Any) -> Any:
    """A field for when F and the parameters that it holds are taken."""
    return option(
        default,
        "each: F of a task and its anchor are taken once, right after the task, as in the paper's "
        "release; last: F of all memories is taken anew after every task, and holds the parameters "
        "of that moment, as in the paper's text",
        choices=("each", "last"),
        label="Anchors are taken",
        **more,
    )


def fisher_dropout_option(**more: Any) -> Any:
    """A field for the parser's mode while F is taken."""
    return option(
        False,
        "F is taken with dropout on, as in the paper's release",
        label="Fisher with dropout",
        **more,
    )


def fisher_of_batch(
    parser: Parser,
    memories: Sequence[Batch],
    dropout: bool = False,
    should_stop: ShouldStop = never,
) -> Tensor:
    """Σ_i (∇ mean loss on M_i)² at the parser's parameters: (parameters,)."""
    total = torch.zeros_like(flat(list(parser.parameters())))
    for memory in memories:
        check(should_stop)
        total += gradient(parser, memory, dropout).square_()
    return total


def fisher_of_examples(
    parser: Parser,
    memories: Sequence[Batch],
    dropout: bool = False,
    should_stop: ShouldStop = never,
) -> Tensor:
    """Σ_i mean over the examples of M_i of (∇ the example's loss)²: (parameters,).

    A backward pass an example, 0.6 CPU seconds for 50 at the paper's sizes: fused LSTMs give no
    gradients by example. One pass for all, with the LSTMs' gates laid open, took as long: the time
    goes into two million squares an example.
    """
    total = torch.zeros_like(flat(list(parser.parameters())))
    for memory in memories:
        for index in range(len(memory)):
            check(should_stop)
            slope = gradient(parser, memory.take([index]), dropout)
            total.addcmul_(slope, slope, value=1 / len(memory))
    return total


FISHERS = {"batch": fisher_of_batch, "example": fisher_of_examples}


class PenaltyOptions(Protocol):
    """What a method that holds a penalty says of it."""

    ewc_weight: float
    fisher: str
    anchors: str
    fisher_dropout: bool


class Penalty:
    """Holds the parameters near anchors, the more the Fisher information says they matter.

    Whatever the number of tasks, two vectors: with F = Σ_i F_i and the mean of the anchors weighted
    by F, θ̄ = Σ_i F_i θ*_i / F, it is exactly Σ_i F_i (θ − θ*_i)² = F (θ − θ̄)² + a constant.
    """

    def __init__(self, parser: Parser, options: PenaltyOptions) -> None:
        self.parser, self.options, self.weight = parser, options, options.ewc_weight
        self.fisher: Tensor | None = None  # F (parameters,)
        self.anchor: Tensor | None = None  # θ̄ (parameters,)
        self.constant = 0.0

    def consolidate(self, memories: Sequence[Batch], should_stop: ShouldStop = never) -> None:
        """A task has ended: take F and the anchor; the last of the memories is that task's."""
        dropout = self.options.fisher_dropout
        estimate = partial(
            FISHERS[self.options.fisher], self.parser, dropout=dropout, should_stop=should_stop
        )
        anchor = flat(list(self.parser.parameters()))
        if self.options.anchors == "last":
            self.fisher, self.anchor = estimate(memories), anchor
            return
        fisher = estimate(memories[-1:])
        if self.fisher is None or self.anchor is None:
            self.fisher, self.anchor = fisher, anchor
            return
        total = self.fisher + fisher
        share = torch.where(total > 0, fisher / total, 1.0)  # of the new anchor in the mean
        difference = anchor - self.anchor
        self.constant += float(torch.dot(self.fisher * share, difference.square()))
        self.anchor, self.fisher = self.anchor + share * difference, total

    def add_gradient(self) -> Tensor | float:
        """Add ∇Ω = 2 λ F (θ − θ̄) to the gradients that there are; returns Ω.

        One pass over the flat vector; 0 before the first task has been consolidated.
        """
        if self.fisher is None or self.anchor is None or not self.weight:
            return 0.0
        parameters = list(self.parser.parameters())
        difference = flat(parameters).sub_(self.anchor)  # θ − θ̄
        pull = self.fisher * difference
        value = self.weight * (torch.dot(pull, difference).double() + self.constant)
        pull.mul_(2 * self.weight)
        start = 0
        for parameter in parameters:
            end = start + parameter.numel()
            if parameter.grad is not None:
                parameter.grad.add_(pull[start:end].view_as(parameter))
            start = end
        return value

    def state(self) -> dict[str, Any]:
        if self.fisher is None:
            return {}
        return {"fisher": self.fisher, "anchor": self.anchor, "constant": self.constant}

    def restore(self, state: dict[str, Any]) -> None:
        device = next(self.parser.parameters()).device
        if state:
            self.fisher = state["fisher"].to(device)
            self.anchor = state["anchor"].to(device)
            self.constant = state.get("constant", 0.0)  # an earlier version's has none
