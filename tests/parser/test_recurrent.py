"""LSTMs in pieces against packed sequences; which pieces are the cheapest."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.parser import recurrent
from core.parser.picking import picked


def packed(lstm: nn.LSTM, x, lengths, state=None):
    sequences = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    out, (_, cells) = lstm(sequences, state)
    return pad_packed_sequence(out, batch_first=True, total_length=x.shape[1])[0], cells


def gradients(values, lstm, x):
    weights = [torch.linspace(-1, 1, v.numel()).view(v.shape) for v in values]
    total = sum((v * w).sum() for v, w in zip(values, weights, strict=True))
    return torch.autograd.grad(total, [x, *lstm.parameters()])


@pytest.fixture(params=[1, 40])
def several(request, monkeypatch) -> None:
    """With pieces that cost little, so that there are several, and with one piece."""
    recurrent.pieces.cache_clear()
    monkeypatch.setattr(recurrent, "_PIECE", request.param)
    yield
    recurrent.pieces.cache_clear()


LENGTHS = torch.tensor([4, 9, 1, 7, 9, 2, 2, 5, 1, 3])


def assert_equal(computed, expected) -> None:
    for mine, theirs in zip(computed, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-5, atol=2e-6)


def test_both_directions_equal_packed_sequences(several) -> None:
    torch.manual_seed(0)
    lstm = nn.LSTM(6, 8, batch_first=True, bidirectional=True)
    x = torch.randn(len(LENGTHS), 11, 6, requires_grad=True)  # wider than the longest
    words = (torch.arange(11) < LENGTHS[:, None])[:, :, None]
    out, cells = recurrent.bidirectional(lstm, x, LENGTHS)
    plain, last = packed(lstm, x, LENGTHS)
    computed, expected = (out * words, cells), (plain, torch.cat([last[0], last[1]], dim=1))
    assert_equal(computed, expected)
    assert_equal(gradients(computed, lstm, x), gradients(expected, lstm, x))


def test_one_direction_equals_packed_sequences(several) -> None:
    torch.manual_seed(1)
    lstm = nn.LSTM(6, 8, batch_first=True)
    x = torch.randn(len(LENGTHS), 9, 6, requires_grad=True)
    first = torch.randn(len(LENGTHS), 8)
    steps = (torch.arange(9) < LENGTHS[:, None])[:, :, None]
    computed = (recurrent.running(lstm, x, LENGTHS, first) * steps,)
    expected = packed(lstm, x, LENGTHS, (first[None], torch.zeros_like(first)[None]))[:1]
    assert_equal(computed, expected)
    assert_equal(gradients(computed, lstm, x), gradients(expected, lstm, x))


@pytest.mark.parametrize("seed", range(4))
def test_pieces_are_the_cheapest(seed) -> None:
    lengths = np.sort(np.random.default_rng(seed).integers(1, 30, 12))[::-1]
    ends = np.unique(lengths)

    def cost(cuts) -> int:
        starts = [0, *cuts[:-1]]
        steps = (int((lengths > a).sum()) * (b - a) for a, b in zip(starts, cuts, strict=True))
        return sum(steps) + recurrent._PIECE * len(cuts)

    options = [
        [*cuts, ends[-1]] for n in range(len(ends)) for cuts in itertools.combinations(ends[:-1], n)
    ]
    plan = recurrent.pieces(tuple(lengths.tolist()))
    assert [n for _, _, n in plan] == [int((lengths > start).sum()) for start, _, _ in plan]
    assert cost([end for _, end, _ in plan]) == min(map(cost, options))


def test_a_row_without_steps_is_no_trouble() -> None:
    lstm = nn.LSTM(3, 4, batch_first=True)
    out = recurrent.running(lstm, torch.ones(2, 1, 3), torch.tensor([0, 0]), torch.zeros(2, 4))
    assert out.shape == (2, 1, 4)


def test_picked_rows_have_the_gradient_of_indexing() -> None:
    x = torch.randn(6, 2, requires_grad=True)
    for indices in (torch.tensor([3, 0, 5]), torch.tensor([2, 0, 1, 5, 4, 3])):
        weights = torch.randn(len(indices), 2)
        mine = torch.autograd.grad((picked(x, indices) * weights).sum(), x)
        assert torch.equal(mine[0], torch.autograd.grad((x[indices] * weights).sum(), x)[0])
