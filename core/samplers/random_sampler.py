"""RANDOM: rows drawn evenly without replacement, the baseline of the paper's Table 2."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.data.base import Example
from core.registry import NoOptions, samplers
from core.samplers.base import Selection


@samplers.register("random", label="Random", rank=10)
def random_rows(
    examples: Sequence[Example],
    size: int,
    options: NoOptions,
    rng: np.random.Generator,
    parser: Any = None,
) -> Selection:
    """Rows drawn evenly without replacement."""
    drawn = rng.choice(len(examples), size=size, replace=False)
    return Selection(tuple(sorted(drawn.tolist())))
