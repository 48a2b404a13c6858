"""What a sampler does when its own rule gives fewer rows than are to be kept."""

from collections.abc import Sequence

import numpy as np


def fill_at_random(
    rows: Sequence[int], size: int, count: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """The rows, then others drawn evenly of 0 … count − 1 until there are `size`."""
    others = np.setdiff1d(np.arange(count), rows)
    drawn = rng.choice(others, size=size - len(rows), replace=False)
    return (*rows, *drawn.tolist())
