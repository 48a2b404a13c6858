"""How much data a run has: what methods count their work with."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from core.data.base import Task


@dataclass(frozen=True)
class Sizes:
    """How much data a run has, task by task: known before anything is encoded."""

    tasks: tuple[Task, ...]

    @cached_property
    def train(self) -> tuple[int, ...]:
        """How many training examples each task has."""
        return tuple(len(task.train) for task in self.tasks)

    @cached_property
    def test(self) -> tuple[int, ...]:
        """How many examples each task is evaluated on."""
        return tuple(len(task.test) for task in self.tasks)

    @cached_property
    def forms(self) -> tuple[tuple[int, ...], ...]:
        """Of each task: how many training examples each distinct derivation has."""
        counts = (Counter(example.derivation for example in task.train) for task in self.tasks)
        return tuple(tuple(count.values()) for count in counts)
