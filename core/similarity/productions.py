"""Similarity of logical forms by the productions that they share (the paper's §4.2).

A production is an internal node's label with the labels of its children; a form is the multiset of
its productions. With c(i→j) the number of form i's productions, repeats counted, that occur in j:

    sim(i, j) = (c(i→j) + c(j→i)) / (|i| + |j|)
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from core.language.tree import Node
from core.stopping import ShouldStop, never

Production = tuple[str, tuple[str, ...] | None]

BLOCK_BYTES = 2 * 2**20  # of dense columns held at a time: what a cache holds


def productions(tree: Node) -> Counter[Production]:
    """The productions of a form with their number of occurrences, never empty.

    A form that is a bare token has no internal node; the token, without children, stands for it,
    so that two such forms are alike only where they are equal.
    """
    if tree.children is None:
        return Counter([(tree.label, None)])
    counts: Counter[Production] = Counter()
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        children = node.children or ()
        counts[node.label, tuple(child.label for child in children)] += 1
        open_nodes.extend(child for child in children if child.children is not None)
    return counts


class ProductionSimilarity:
    """Counts the productions that two forms share, each with its children's labels in order."""

    def __init__(self, trees: Sequence[Node], *, should_stop: ShouldStop = never) -> None:
        """`should_stop` is for similarities that take long; this one takes a moment."""
        numbers: dict[Production, int] = {}
        indices: list[int] = []
        data: list[int] = []
        ends = [0]
        for tree in trees:
            for production, count in productions(tree).items():
                indices.append(numbers.setdefault(production, len(numbers)))
                data.append(count)
            ends.append(len(indices))
        shape = (len(trees), len(numbers))
        counts = sparse.csr_array((np.array(data, np.float32), indices, ends), shape=shape)
        occurs = counts.sign()
        self._sizes = np.asarray(counts.sum(axis=1), dtype=np.float32)  # (n,)
        # [counts | occurs] · [occurs | counts]ᵀ = c(i→j) + c(j→i), all pairs by one product
        self._left = sparse.hstack([counts, occurs], format="csr")  # (n, 2 · productions)
        self._right = sparse.hstack([occurs, counts], format="csr")

    def __len__(self) -> int:
        return len(self._sizes)

    def between(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[Any]:
        """The similarity of each form of `rows` to each of `columns`: (rows, columns) float32.

        The counts are whole numbers, exact in float32. Beside the result, BLOCK_BYTES are needed.
        """
        result = np.empty((len(rows), len(columns)), dtype=np.float32)
        against = self._right[columns]
        step = max(1, BLOCK_BYTES // (4 * max(1, self._left.shape[1])))
        for start in range(0, len(rows), step):
            block = slice(start, start + step)
            dense = self._left[rows[block]].toarray()  # (block, 2 · productions)
            shared = against @ dense.T  # (columns, block)
            total = self._sizes[rows[block], None] + self._sizes[columns]
            np.divide(shared.T, total, out=result[block])
        return result
