"""Random choices of the demo's generator."""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import numpy as np

from core.data.demo.schema import Words

T = TypeVar("T")


@cache
def _alternatives(words: Words) -> tuple[str, ...]:
    return tuple(words.split("|"))


class Draws:
    """Choices from one stream of random numbers."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def chance(self, share: float) -> bool:
        return self._rng.random() < share

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, each as likely."""
        return items[int(self._rng.random() * len(items))]

    def words(self, alternatives: Words) -> str:
        """One of the alternatives that `|` separates."""
        return self.pick(_alternatives(alternatives))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        return [items[i] for i in self._rng.permutation(len(items))]
