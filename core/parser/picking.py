"""Rows of a tensor by distinct indices, with a gradient that is copied, not summed."""

from typing import Any

import torch
from torch import Tensor


class _Picked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, indices: Tensor, inverse: Tensor | None) -> Tensor:
        ctx.save_for_backward(indices, inverse)
        ctx.n = len(x)
        return x.index_select(0, indices)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, None]:
        indices, inverse = ctx.saved_tensors
        if len(indices) == ctx.n:  # a permutation
            back = indices.argsort() if inverse is None else inverse
            return slope.index_select(0, back), None, None
        whole = slope.new_zeros(ctx.n, *slope.shape[1:])
        return whole.index_copy_(0, indices, slope), None, None


def picked(x: Tensor, indices: Tensor, inverse: Tensor | None = None) -> Tensor:
    """x[indices] along the first dimension; no index may come twice.

    `inverse` is what a permutation is undone by, where that is known.

    `index_select` sums what comes back to a row, at several times the cost of a copy on a CPU.
    """
    rows: Tensor = _Picked.apply(x, indices, inverse)  # type: ignore[no-untyped-call]
    return rows
