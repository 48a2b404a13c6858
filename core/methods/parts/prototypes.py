"""Prototypes of actions: the mean of s_t over the steps at which an action is taken.

p_a = 1/n_a Σ_{t: a_t = a} s_t (Snell et al., 2017, with the states of the parser's steps).
"""

import torch
from torch import Tensor, nn

from core.parser.batch import Batch, split_by_length
from core.parser.model import Parser
from core.parser.modes import evaluating
from core.parser.output import Rows
from core.stopping import ShouldStop, check, never

UNCOVERED = 1e4  # taken from a score: after every action that has a prototype, yet still in A_t
_BATCH = 256


def means(states: Tensor, actions: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """p_a and n_a of steps (steps, size) that take `actions` (steps,): (count, size), (count,).

    Differentiable; p_a is 0 where n_a is.
    """
    sums = states.new_zeros(count, states.shape[1]).index_add(0, actions, states)
    times = actions.new_zeros(count).index_add(0, actions, torch.ones_like(actions))
    return sums / times.clamp(min=1)[:, None], times


@torch.no_grad()
def prototypes(
    parser: Parser, examples: Batch, should_stop: ShouldStop = never
) -> tuple[Tensor, Tensor]:
    """p_a and n_a over these examples' gold steps, dropout off: (actions, size), (actions,)."""
    count, size = parser.action_embedding.shape
    sums = parser.action_embedding.new_zeros(count, size)
    times = torch.zeros(count, dtype=torch.int64, device=sums.device)
    with evaluating(parser):
        for indices in split_by_length(examples, _BATCH):
            check(should_stop)
            batch = examples.take(indices)
            table, occurrences = means(parser.teacher_forced(batch)[0], batch.gold, count)
            sums += table * occurrences[:, None]
            times += occurrences
    return sums / times.clamp(min=1)[:, None], times


class PrototypeReadout(nn.Module):
    """Scores actions by p_a · s_t; holds the prototypes in buffers, so that they are kept.

    An action without a prototype (`covered` says which have one) comes after all that have one.
    Without any prototype actions are scored by their embeddings.
    """

    table: Tensor  # (actions, size)
    covered: Tensor  # (actions,) of bool

    def __init__(self, parser: Parser) -> None:
        super().__init__()
        table = torch.zeros_like(parser.action_embedding.detach())
        self.register_buffer("table", table)
        self.register_buffer("covered", torch.zeros_like(table[:, 0], dtype=torch.bool))

    def hold(self, table: Tensor, times: Tensor) -> None:
        """Score by these prototypes from now on."""
        self.table.copy_(table)
        self.covered.copy_(times > 0)

    def clear(self) -> None:
        """Score by the embeddings."""
        self.covered.zero_()

    def forward(self, embedding: Tensor) -> Rows:
        """What actions with these embeddings (actions, size) are scored by."""
        table = torch.where(self.covered[:, None], self.table, embedding)
        return Rows(table, -UNCOVERED * (self.covered.any() & ~self.covered))
