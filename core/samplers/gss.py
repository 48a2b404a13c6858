"""GSS, gradient space selection (Aljundi et al., 2019; the paper's Table 2).

As in the paper's release the gradients are those of the attention's output layer W_c. They have
98,304 numbers a row at the paper's sizes, so they are clustered by a sketch that keeps distances up
to a few percent (Charikar et al., 2002): each number, its sign drawn, is added to one of so many
sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.base import Example
from core.options import option
from core.parser.model import Parser
from core.registry import samplers
from core.samplers.base import Selection
from core.samplers.parts.centres import nearest_to_centres
from core.samplers.parts.parser_views import attention_gradients


@dataclass(frozen=True)
class GSSOptions:
    """How gradients are compared."""

    dimensions: int = option(
        1024,
        "numbers that a row's gradient is sketched by; 0: the gradient itself (98,304 numbers a "
        "row at the paper's sizes)",
        low=0,
        high=1_000_000,
        label="Size of a gradient's sketch",
    )


@samplers.register("gss", label="GSS", options=GSSOptions, rank=50, parser=True)
def gss(
    examples: Sequence[Example],
    size: int,
    options: GSSOptions,
    rng: np.random.Generator,
    parser: Parser,
) -> Selection:
    """The rows whose gradients are nearest to the centres of a k-means of them."""
    return nearest_to_centres(
        sketched_gradients(examples, parser, options.dimensions, rng), size, rng
    )


def sketched_gradients(
    examples: Sequence[Example], parser: Parser, dimensions: int, rng: np.random.Generator
) -> NDArray[Any]:
    """Gradients at W_c, in so many numbers: (rows, dimensions) float32; the whole for 0."""
    whole = parser.combine.weight.numel()
    sketched = 0 < dimensions < whole
    dimensions = dimensions if sketched else whole
    padded = -(-whole // dimensions) * dimensions
    if sketched:
        order = torch.from_numpy(rng.permutation(padded))
        signs = torch.from_numpy(rng.choice(np.array([-1, 1], np.float32), size=padded))
    rows = np.empty((len(examples), dimensions), dtype=np.float32)
    for part, gradients in attention_gradients(examples, parser):
        if sketched:
            gap = torch.nn.functional.pad(gradients, (0, padded - whole))
            signed = gap * signs.to(gap.device)
            gradients = signed[:, order.to(gap.device)].view(len(part), dimensions, -1).sum(dim=2)
        rows[part] = gradients.cpu().numpy()
    return rows
