"""LSTMs over sequences of unequal lengths without much padding.

On a CPU the sequences are sorted by falling length and go through PyTorch's fused layer in a few
pieces of time, each with the sequences that still run. The numbers are those of packed sequences,
which take a product of their own for each step, forwards and back. On a GPU they are packed.
"""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.parser.moving import moved
from core.parser.picking import picked

# What a further piece costs, in steps of one sequence: the weights are read again and their
# gradients summed. Measured at the paper's sizes; 16 to 64 differ little.
_PIECE = 40
_CLOSED = 1000.0  # added to a gate's input: the gate is exactly 1, or with a minus exactly 0


@lru_cache(maxsize=4096)
def pieces(lengths: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    """(from step, to step, how many sequences run) of falling lengths ≥ 1, at the least cost."""
    ends = np.unique(lengths)
    starts = np.concatenate([[0], ends[:-1]])
    running = (np.asarray(lengths)[:, None] > starts).sum(axis=0)
    cost, until = np.zeros(len(ends) + 1), np.zeros(len(ends), dtype=np.int64)
    for first in reversed(range(len(ends))):
        totals = running[first] * (ends[first:] - starts[first]) + _PIECE + cost[first + 1 :]
        until[first], cost[first] = first + totals.argmin(), totals.min()
    plan, first = [], 0
    while first < len(ends):
        plan.append((int(starts[first]), int(ends[until[first]]), int(running[first])))
        first = until[first] + 1
    return tuple(plan)


def weights_of(lstm: nn.LSTM, suffix: str = "") -> list[Tensor]:
    """Read as attributes, so that those are used which `functional_call` puts there."""
    names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
    return [getattr(lstm, name + suffix) for name in names]


def _in_pieces(
    x: Tensor, lengths: Tensor, weights: list[Tensor], h: Tensor, c: Tensor
) -> tuple[Tensor, Tensor]:
    """h_t (n, T, hidden) of (n, T, size) by falling length, and the last piece's c (n, hidden)."""
    outputs, cells = [], []
    plan, n = pieces(tuple(lengths.tolist())), len(x)
    padding = x.shape[1] - int(lengths[0])
    # split, not sliced: going back, slices fill a table of all steps each, to be summed
    parts = x.split([*(end - start for start, end, _ in plan), *([padding] if padding else [])], 1)
    for part, (_, _, n_running) in zip(parts, plan, strict=False):
        cells.append(c[:, n_running:])  # of those that have ended
        state = (_first(h, n_running), _first(c, n_running))
        still, trained = part if n_running == n else part[:n_running], torch.is_grad_enabled()
        out, h, c = torch.lstm(still, state, weights, True, 1, 0.0, trained, False, True)
        outputs.append(out if n_running == n else F.pad(out, (0, 0, 0, 0, 0, n - n_running)))
    if padding:
        outputs.append(outputs[-1].new_zeros(n, padding, outputs[-1].shape[2]))
    return torch.cat(outputs, dim=1), torch.cat([c, *reversed(cells)], dim=1)[0]


def _first(state: Tensor, count: int) -> Tensor:
    """The state of the first so many sequences: (1, n, hidden) → (1, count, hidden)."""
    return state if count == state.shape[1] else state[:, :count].contiguous()


def _holding(weights: list[Tensor]) -> list[Tensor]:
    """The weights with a further input that, where it is 1, keeps c as it is.

    A fused layer goes on to the end of its piece; padding holds c at what it was: f = 1, i = 0.
    """
    column = weights[0].new_zeros(4, len(weights[0]) // 4)
    column[0], column[1] = -_CLOSED, _CLOSED  # gates stand in the order i, f, g, o
    return [torch.cat([weights[0], column.view(-1, 1)], dim=1), *weights[1:]]


def bidirectional(lstm: nn.LSTM, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """States (n, L, 2 hidden) of (n, L, size), any at padding; both last c (n, 2 hidden).

    `lengths` (n,) on the CPU, at least 1 each.
    """
    if x.device.type != "cpu":
        return packed(lstm, x, lengths)
    falling, order = lengths.sort(descending=True, stable=True)
    (n, length), size = x.shape[:2], x.shape[2]
    steps = torch.arange(length)
    padding = (steps >= lengths[:, None])[:, :, None].to(x.dtype)
    flat = torch.cat([x, padding], dim=2).flatten(0, 1)
    forwards = order[:, None] * length + steps
    backwards = order[:, None] * length + torch.where(
        steps < falling[:, None], falling[:, None] - 1 - steps, steps
    )
    start, as_given = x.new_zeros(1, n, lstm.hidden_size), order.argsort()
    both_states: list[Tensor] = []
    both_cells: list[Tensor] = []
    for index, suffix in ((forwards, ""), (backwards, "_reverse")):
        as_rows = index.flatten()
        back = as_rows.argsort()
        ordered = picked(flat, as_rows, back).view(n, length, size + 1)
        weights = _holding(weights_of(lstm, suffix))
        out, last = _in_pieces(ordered, falling, weights, start, start)
        both_states.append(picked(out.flatten(0, 1), back, as_rows).view(n, length, -1))
        both_cells.append(picked(last, as_given, order))
    return torch.cat(both_states, dim=2), torch.cat(both_cells, dim=1)


def packed(lstm: nn.LSTM, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """`bidirectional` by packed sequences; sorted here, where lengths need no wait."""
    falling, order = lengths.sort(descending=True, stable=True)
    sorted_x = picked(x, moved(order, x.device))
    out, (_, cells) = lstm(pack_padded_sequence(sorted_x, falling, batch_first=True))
    states, _ = pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])
    back = moved(order.argsort(), x.device)
    return picked(states, back), picked(torch.cat([cells[0], cells[1]], dim=1), back)


def running(lstm: nn.LSTM, x: Tensor, lengths: Tensor, h: Tensor) -> Tensor:
    """h_t (n, T, hidden) of (n, T, size) from h_0 = h (n, hidden) and c_0 = 0, any at padding.

    `lengths` (n,) on the CPU.
    """
    if x.device.type != "cpu":
        return padded(lstm, x, lengths, h)
    falling, order = lengths.clamp(min=1).sort(descending=True, stable=True)
    as_given = order.argsort()
    first = picked(h, order, as_given)[None]
    weights = weights_of(lstm)
    ordered = picked(x, order, as_given)
    out, _ = _in_pieces(ordered, falling, weights, first, torch.zeros_like(first))
    return picked(out, as_given, order)


def padded(lstm: nn.LSTM, x: Tensor, lengths: Tensor, h: Tensor) -> Tensor:
    """`running` over the padding too."""
    states: Tensor = lstm(x, (h[None], torch.zeros_like(h)[None]))[0]
    return states


def one_sequence(lstm: nn.LSTM, x: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """`bidirectional` of one sequence without padding."""
    states, (_, cells) = lstm(x)
    return states, torch.cat([cells[0], cells[1]], dim=1)
