"""Rows of a tensor by distinct indices, with a gradient that is copied, not summed."""

from typing import Any

import torch
from torch import Tensor


class _Picked(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, indices: Tensor) -> Tensor:
        ctx.save_for_backward(indices)
        ctx.n = len(x)
        return x.index_select(0, indices)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None]:
        (indices,) = ctx.saved_tensors
        if len(indices) == ctx.n:  # a permutation
            return slope.index_select(0, indices.argsort()), None
        return slope.new_zeros(ctx.n, *slope.shape[1:]).index_copy_(0, indices, slope), None


def picked(x: Tensor, indices: Tensor) -> Tensor:
    """x[indices] along the first dimension; no index may come twice.

    `index_select` sums what comes back to a row, at several times the cost of a copy on a CPU.
    """
    rows: Tensor = _Picked.apply(x, indices)  # type: ignore[no-untyped-call]
    return rows
