"""Scores that a parser gave to memory examples, kept to be compared with what it gives later.

For each gold step only the actions that were applicable are kept, so that a step with five
applicable actions of 5,000 takes five numbers. 16 bytes a score, on the parser's device: a memory
of 50 takes 0.1 to 0.4 MB on Overnight and 2 to 6 MB on NLMap(qt), more with later tasks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core.parser.applicable import MASKED, ApplicableActions
from core.parser.batch import Batch
from core.parser.model import Parser
from core.parser.modes import evaluating
from core.parser.moving import moved
from core.parser.output import Rows, Steps

PairScores = Callable[[Tensor, Tensor], Tensor]  # steps (n,), actions (n,) → scores (n,)


@dataclass(frozen=True)
class Scores:
    """c_a · s_t over A_t at the gold steps of some examples, one after the other, step by step."""

    counts: Tensor  # (examples,) scores of each example, on the CPU
    steps: Tensor  # (scores in all,) the step in its derivation, from 0
    actions: Tensor  # (scores in all,)
    values: Tensor  # (scores in all,)
    shares: Tensor  # (scores in all,) 1 / |A_t|

    def to(self, device: torch.device) -> "Scores":
        scores = {name: tensor.to(device) for name, tensor in vars(self).items()}
        return Scores(**{**scores, "counts": self.counts.cpu()})


@torch.no_grad()
def scores_of(parser: Parser, batch: Batch) -> Scores:
    """The scores that the parser gives these examples now, dropout off, over A_t as it is now."""
    with evaluating(parser):
        table = parser.step_scores(batch)  # (steps in all, actions)
    applicable = table > MASKED / 2
    step, action = applicable.nonzero(as_tuple=True)
    sizes = applicable.sum(dim=1)  # |A_t|
    row_of_step, first = batch.row_of_step, _first_steps(batch)
    return Scores(
        counts=torch.bincount(row_of_step[step], minlength=len(batch)).cpu(),
        steps=(step - moved(first, step.device)[row_of_step[step]]).int(),
        actions=action.int(),
        values=table[step, action],
        shares=1 / sizes[step].float(),
    )


def join(parts: Sequence[Scores]) -> Scores:
    """The scores of several memories as one."""
    return Scores(**{name: torch.cat([vars(p)[name] for p in parts]) for name in vars(parts[0])})


def scores_by_slot(
    states: Tensor, rows: Rows, steps: Steps, applicable: ApplicableActions
) -> PairScores:
    """The scores of pairs of a step and an action for s_t (steps, size), MASKED outside A_t.

    Each slot's steps are scored by its actions alone.
    """
    order = steps.slots.argsort(stable=True)
    present, counts = steps.slots[order].unique_consecutive(return_counts=True)
    actions = [applicable.actions[slot] for slot in present.tolist()]
    sizes = torch.tensor([len(each) for each in actions])
    products = [
        part @ some.t()
        for part, some in zip(
            states.index_select(0, order).split(counts.tolist()),
            rows.table.index_select(0, torch.cat(actions)).split(sizes.tolist()),
            strict=True,
        )
    ]
    flat = torch.cat([product.flatten() for product in products])
    each = sizes.repeat_interleave(counts)  # scores of each step, in this order
    start = torch.empty_like(order)
    start[order] = each.cumsum(0) - each

    def scores(step: Tensor, action: Tensor) -> Tensor:
        position = applicable.position[steps.slots[step], action]
        inside = position >= 0
        if applicable.task_bias is not None:
            inside &= applicable.task_bias[steps.tasks[step], action] == 0
        values = flat[torch.where(inside, start[step] + position, 0)]
        if rows.offset is not None:
            values = values + rows.offset[action]
        return torch.where(inside, values, MASKED)

    return scores


def distances(stored: Scores, indices: Tensor, batch: Batch, scores_now: PairScores) -> Tensor:
    """Σ_t mean over A_t of (score now − stored score)² of each example: (n,).

    `indices[j]`, on the CPU, is the number that example j has among the stored ones, `scores_now`
    what the parser gives the batch now. A_t is that of the time of storing,
    without what is not applicable any more.
    """
    # which stored scores belong to the batch, and to which example of it
    starts = stored.counts.cumsum(0) - stored.counts
    counts = stored.counts[indices]
    example = torch.arange(len(indices)).repeat_interleave(counts)
    within = torch.arange(len(example)) - (counts.cumsum(0) - counts)[example]
    device = stored.values.device
    position = moved(starts[indices][example] + within, device)  # among the stored scores
    first = moved(_first_steps(batch)[example], device)
    example = moved(example, device)
    # the difference at each, and its share of the example's distance
    step = first + stored.steps[position]
    scores = scores_now(step, stored.actions[position].long())
    difference = torch.where(scores > MASKED / 2, scores - stored.values[position], 0.0)
    squares = difference.square() * stored.shares[position]
    return squares.new_zeros(len(batch)).index_add(0, example, squares)


def _first_steps(batch: Batch) -> Tensor:
    """Where each example's steps begin among those of all: (n,) on the CPU."""
    return batch.steps.cumsum(0) - batch.steps
