"""The output layer: log P of gold actions, over A_t alone (eq. 6).

Scores are states · rows, one row an action. Where A_t is a small part of many actions, the steps
are sorted by slot and scored slot by slot with the rows of its A_t; else all are scored and those
outside A_t masked. Both give the same numbers.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from core.parser.applicable import MASKED, ApplicableActions

_FEW = 50_000  # scores in all; in decoding sorting fewer steps costs more than it spares


class Rows(NamedTuple):
    """What actions are scored by."""

    table: Tensor  # (actions, size)
    offset: Tensor | None = None  # added to every score of an action (actions,)


class Steps(NamedTuple):
    """Steps of derivations: what fills which slot, in an example of which task; (steps,) each."""

    slots: Tensor
    tasks: Tensor
    gold: Tensor  # in decoding, where there is none, any actions


def dense_scores(states: Tensor, bias: Tensor, rows: Rows) -> Tensor:
    """(steps, size) and a bias (steps, actions) → scores of all actions (steps, actions)."""
    bias = bias if rows.offset is None else bias + rows.offset
    return torch.addmm(bias, states, rows.table.t())


def log_probs_of(scores: Tensor, gold: Tensor, smoothing: float = 0.0) -> Tensor:
    """log P of the gold actions by scores (steps, actions), MASKED outside A_t: (steps,).

    With smoothing so much of the mean of log P over A_t in its place (Szegedy et al., 2016).
    """
    values = -F.cross_entropy(scores, gold, reduction="none")
    if smoothing:
        inside = scores.detach() > MASKED / 2
        logs = torch.log_softmax(scores, dim=1).masked_fill(~inside, 0)
        values = torch.lerp(values, logs.sum(dim=1) / inside.sum(dim=1).clamp(min=1), smoothing)
    outside = scores.detach().gather(1, gold[:, None])[:, 0] <= MASKED / 2
    return values.masked_fill(outside, MASKED)


def gold_log_probs(
    states: Tensor, rows: Rows, steps: Steps, applicable: ApplicableActions, smoothing: float = 0.0
) -> Tensor:
    """log P(a_t | a_<t, x) of gold actions for s_t (steps, size): (steps,), MASKED outside A_t."""
    if applicable.by_slot_pays(steps.slots):
        values: Tensor = _BySlot.apply(  # type: ignore[no-untyped-call]
            states, *rows, steps, applicable, smoothing
        )
        return values
    bias = applicable.bias(steps.slots, steps.tasks)
    return log_probs_of(dense_scores(states, bias, rows), steps.gold, smoothing)


@torch.no_grad()
def scored_gold(
    states: Tensor, rows: Rows, steps: Steps, applicable: ApplicableActions
) -> tuple[Tensor, Tensor]:
    """log P of the gold actions, and whether no action before or after has a higher score."""
    if not applicable.by_slot_pays(steps.slots):
        scores = dense_scores(states, applicable.bias(steps.slots, steps.tasks), rows)
        return log_probs_of(scores, steps.gold), scores.argmax(dim=1) == steps.gold
    values = states.new_full((len(states),), MASKED)
    likeliest = torch.zeros_like(steps.gold, dtype=torch.bool)
    for group in _groups(states, rows, steps, applicable):
        values[group.indices] = group.gold_values()
        likeliest[group.indices] = group.logs.argmax(dim=1) == group.gold
    return values, likeliest


def likeliest(
    states: Tensor, rows: Rows, steps: Steps, applicable: ApplicableActions, width: int
) -> tuple[Tensor, Tensor]:
    """log P of the `width` likeliest actions of each step and which these are: (steps, width).

    MASKED where A_t has fewer. For looking only, as `scored_gold`.
    """
    width = min(width, len(rows.table))
    few = len(states) * len(rows.table) < _FEW
    if few or not applicable.by_slot_pays(steps.slots):
        bias = applicable.bias(steps.slots, steps.tasks)
        logs = torch.log_softmax(dense_scores(states, bias, rows), dim=1)
        return _best(torch.where(bias < 0, bias, logs), width)
    values = states.new_full((len(states), width), MASKED)
    actions = torch.zeros(values.shape, dtype=torch.int64)
    for group in _groups(states, rows, steps, applicable):
        logs = group.logs
        if group.inside is not None:
            logs = logs.masked_fill(~group.inside, MASKED)
        value, index = _best(logs, min(width, logs.shape[1]))
        missing = (0, width - value.shape[1])
        values[group.indices] = F.pad(value, missing, value=MASKED)
        actions[group.indices] = F.pad(group.actions[index], missing)
    return values, actions


def _best(logs: Tensor, width: int) -> tuple[Tensor, Tensor]:
    values, indices = logs.max(dim=1, keepdim=True) if width == 1 else logs.topk(width, dim=1)
    return values, indices


class _Group(NamedTuple):
    """The steps of one slot, scored over its actions."""

    indices: Tensor  # of the steps (n,)
    actions: Tensor  # (A_t,)
    states: Tensor  # (n, size)
    rows: Tensor  # (A_t, size)
    logs: Tensor  # log P (n, A_t)
    inside: Tensor | None  # which of the slot's actions the step's task has; None: all
    gold: Tensor  # where the gold action stands among the slot's, −1 outside (n,)

    def gold_values(self) -> Tensor:
        """log P of the gold action: (n,)."""
        index = self.gold.clamp(min=0)[:, None]
        outside = self.gold < 0
        if self.inside is not None:
            outside = outside | ~self.inside.gather(1, index)[:, 0]
        return self.logs.gather(1, index)[:, 0].masked_fill_(outside, MASKED)

    def targets(self, smoothing: float) -> Tensor:
        """How log P of the slot's actions are weighted in the step's value: (n, A_t)."""
        weights = torch.zeros_like(self.logs)
        if smoothing and self.inside is None:
            weights += smoothing / self.logs.shape[1]
        elif smoothing and self.inside is not None:
            weights += smoothing * self.inside / self.inside.sum(dim=1, keepdim=True).clamp(min=1)
        index = self.gold.clamp(min=0)[:, None]
        return weights.scatter_add_(1, index, (self.gold >= 0)[:, None] * (1.0 - smoothing))


def _groups(
    states: Tensor, rows: Rows, steps: Steps, applicable: ApplicableActions
) -> Iterator[_Group]:
    """The steps slot by slot, those aside whose slot no known task fills."""
    order = steps.slots.argsort(stable=True)
    states, slots = states.index_select(0, order), steps.slots[order]
    gold, tasks = applicable.position[slots, steps.gold[order]], steps.tasks[order]
    present, counts = slots.unique_consecutive(return_counts=True)
    start = 0
    for slot, count in zip(present.tolist(), counts.tolist(), strict=True):
        part = slice(start, start + count)
        start += count
        actions = applicable.actions[slot]
        if not len(actions):
            continue
        table = rows.table.index_select(0, actions)
        scores = states[part] @ table.t()
        if rows.offset is not None:
            scores += rows.offset[actions]
        bias = applicable.among(slot, tasks[part])
        if bias is not None:
            scores = (scores + bias).clamp_(min=MASKED)
        logs, inside = torch.log_softmax(scores, dim=1), None if bias is None else bias == 0
        yield _Group(order[part], actions, states[part], table, logs, inside, gold[part])


class _BySlot(torch.autograd.Function):
    """`gold_log_probs` slot by slot; one node of the graph, whatever the number of slots."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        table: Tensor,
        offset: Tensor | None,
        steps: Steps,
        applicable: ApplicableActions,
        smoothing: float,
    ) -> Tensor:
        values = states.new_full((len(states),), MASKED)
        ctx.groups, ctx.smoothing, ctx.actions = [], smoothing, len(table)
        for group in _groups(states, Rows(table, offset), steps, applicable):
            value = group.gold_values()
            if smoothing:
                value = torch.where(
                    value > MASKED / 2, (group.targets(smoothing) * group.logs).sum(dim=1), value
                )
            values[group.indices] = value
            ctx.groups.append(group)
        return values

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slopes: Tensor) -> tuple[Tensor | None, ...]:
        """∂ Σ_a w_a log P(a) / ∂ score = w − P, for weights w that sum to 1."""
        first = ctx.groups[0].states
        to_states = first.new_zeros(len(slopes), first.shape[1])
        to_table = first.new_zeros(ctx.actions, first.shape[1])
        for group in ctx.groups:
            slope = group.targets(ctx.smoothing).sub_(group.logs.exp())
            slope *= slopes[group.indices][:, None]
            if ctx.needs_input_grad[0]:
                to_states[group.indices] = slope @ group.rows
            if ctx.needs_input_grad[1]:
                to_table.index_add_(0, group.actions, slope.t() @ group.states)
        return to_states, to_table, None, None, None, None
