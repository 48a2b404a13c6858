"""Scores that a parser gave to memory rows, kept to be compared with what it gives later.

For each gold step of a row only the actions that were applicable are kept, so that a step with five
applicable actions of 5,000 takes five numbers. 16 bytes a score, on the parser's device: a memory
of 50 rows takes 0.1 to 0.4 MB on Overnight and 2 to 6 MB on NLMap(qt), more with later tasks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.parser.batch import Batch
from core.parser.model import MASKED, Parser
from core.parser.modes import evaluating


@dataclass(frozen=True)
class Scores:
    """c_a · s_t over A_t at the gold steps of some rows, row after row, step after step."""

    counts: Tensor  # (rows,) scores of each row
    steps: Tensor  # (scores in all,) the step in its row, from 0
    actions: Tensor  # (scores in all,)
    values: Tensor  # (scores in all,)
    shares: Tensor  # (scores in all,) 1 / |A_t|

    def to(self, device: torch.device) -> "Scores":
        return Scores(**{name: tensor.to(device) for name, tensor in vars(self).items()})


@torch.no_grad()
def scores_of(parser: Parser, rows: Batch) -> Scores:
    """The scores that the parser gives these rows now, dropout off, over A_t as it is now."""
    with evaluating(parser):
        table = parser.step_scores(rows)  # (steps in all, actions)
    there = table > MASKED / 2
    step, action = there.nonzero(as_tuple=True)
    sizes = there.sum(dim=1)  # |A_t|
    row_of_step, first = rows.row_of_step, _first_steps(rows)
    return Scores(
        counts=torch.bincount(row_of_step[step], minlength=len(rows)),
        steps=(step - first[row_of_step[step]]).int(),
        actions=action.int(),
        values=table[step, action],
        shares=1 / sizes[step].float(),
    )


def join(parts: Sequence[Scores]) -> Scores:
    """The scores of several memories as one."""
    return Scores(**{name: torch.cat([vars(p)[name] for p in parts]) for name in vars(parts[0])})


def distances(stored: Scores, drawn: Tensor, rows: Batch, table: Tensor) -> Tensor:
    """Σ_t mean over A_t of (score now − stored score)² of each row: (rows,).

    `drawn[j]` is the number that row j of the batch has among the stored ones, `table` (steps in
    all, actions) what the parser gives the batch now. A_t is that of the time of storing.
    """
    starts = stored.counts.cumsum(0) - stored.counts
    counts = stored.counts[drawn]
    owner = torch.arange(len(drawn), device=table.device).repeat_interleave(counts)
    within = torch.arange(len(owner), device=table.device) - (counts.cumsum(0) - counts)[owner]
    place = starts[drawn][owner] + within  # among the stored scores
    step = _first_steps(rows)[owner] + stored.steps[place]
    apart = table[step, stored.actions[place].long()] - stored.values[place]
    squares = apart.square() * stored.shares[place]
    return squares.new_zeros(len(rows)).index_add(0, owner, squares)


def _first_steps(rows: Batch) -> Tensor:
    """Where each row's steps begin among those of all rows: (rows,)."""
    return (rows.steps.cumsum(0) - rows.steps).to(rows.actions.device)
