"""The distinct logical forms of some rows, and what a similarity of forms offers.

Rows repeat a form up to hundreds of times, so whatever compares forms pair by pair works on the
distinct ones and carries how many rows each stands for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.data.base import Example
from core.language.tree import Node


@dataclass(frozen=True, eq=False)
class Forms:
    """The distinct logical forms of some rows, numbered in order of first appearance."""

    texts: tuple[str, ...]
    trees: tuple[Node, ...]
    of_row: NDArray[Any]  # (rows,) the form of each row
    first_rows: NDArray[Any]  # (forms,) the first row of each form
    multiplicities: NDArray[Any]  # (forms,) rows of each form

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self) -> list[NDArray[Any]]:
        """The row numbers of each form, ascending."""
        order = np.argsort(self.of_row, kind="stable")
        return np.split(order, np.cumsum(self.multiplicities))[: len(self)]


def distinct_forms(examples: Sequence[Example]) -> Forms:
    """The distinct logical forms of these rows, by their text."""
    numbers: dict[str, int] = {}
    of_row = np.array(
        [numbers.setdefault(example.logical_form, len(numbers)) for example in examples],
        dtype=np.int64,
    )
    _, first_rows, multiplicities = np.unique(of_row, return_index=True, return_counts=True)
    trees = tuple(examples[row].tree for row in first_rows)
    return Forms(tuple(numbers), trees, of_row, first_rows, multiplicities)


class Similarity(Protocol):
    """A similarity of n forms, made from their trees: 1 for a form with itself, never negative.

    `clusters.SIMILARITIES` offers them by name.
    """

    def __len__(self) -> int:
        """n, the number of forms."""
        ...

    def between(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[Any]:
        """The similarity of each form of `rows` to each of `columns`: (rows, columns) float32."""
        ...


def all_pairs(similarity: Similarity) -> NDArray[Any]:
    """The similarity of all pairs: (n, n) float32, symmetric."""
    every = np.arange(len(similarity))
    return similarity.between(every, every)
