"""BALANCE: a memory whose actions are as even as can be (the paper's §5.3, Table 2).

Chrysakis and Moens (2020) and Kim et al. (2020) balance the classes of a memory; the classes of a
parser are its actions. Row after row, the one that leaves the entropy highest is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.data.base import Example
from core.options import option
from core.registry import samplers
from core.samplers.base import Selection
from core.samplers.parts.action_counts import ActionCounts, Mixture, count_actions, fill_by_entropy
from core.similarity.base import Forms, distinct_forms


@dataclass(frozen=True)
class BalanceOptions:
    """What is balanced."""

    action_counts: str = option(
        "frequency",
        "what is evened out: every occurrence of an action, or the rows that have it",
        choices=("frequency", "presence"),
        label="Counted are",
    )


@samplers.register("balance", label="Balance", options=BalanceOptions, rank=30)
def balance(
    examples: Sequence[Example],
    size: int,
    options: BalanceOptions,
    rng: np.random.Generator,
    parser: Any = None,
) -> Selection:
    """Row after row the one that leaves the entropy of the actions highest; nothing is drawn.

    The trace's `entropy` is that after each row.
    """
    forms = distinct_forms(examples)
    counts = count_actions(
        [examples[row].derivation for row in forms.first_rows], options.action_counts
    )
    return even_out(forms, counts, size)


def even_out(forms: Forms, counts: ActionCounts, size: int) -> Selection:
    """Balance's choice of `size` rows of these forms where H is that of these counts of each."""
    taken = list(fill_by_entropy(Mixture(counts), counts, forms.rows(), set(), size))
    return Selection(tuple(row for row, _ in taken), {"entropy": [h for _, h in taken]})
