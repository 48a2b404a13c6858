"""What samplers return, and the memory that keeps their choice.

A sampler is a function `(examples, size, options, rng, parser) -> Selection`: the training rows of
a finished task, how many of them to keep (from 1 to one fewer than there are), its options, a numpy
Generator and the parser as it stands after the task (None where it is registered without
`parser=True`). It is pure: same input, same choice. One that may take minutes takes a sixth
argument, `should_stop`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.config import RunConfig
from core.data.base import Example
from core.registry import samplers
from core.stopping import ShouldStop, never


@dataclass(frozen=True)
class Selection:
    """Distinct row numbers, min(M, n) of them, and the trace that explains them.

    The trace holds plain values only. Keys that samplers share: `clusters` (a cluster number for
    each distinct form), `entropy` (nats, at the start and after every swap), `swaps` (sweep,
    cluster, row out, row in, entropy), `sweeps` (entropy after each sweep).
    """

    indices: tuple[int, ...]
    trace: dict[str, Any] = field(default_factory=dict)


Sampler = Callable[..., Selection]


@dataclass
class Memory:
    """The rows kept of each finished task; the sampler chooses, the memory keeps."""

    size: int
    indices: dict[int, tuple[int, ...]] = field(default_factory=dict)  # task → training row numbers

    def keep(self, task: int, selection: Selection) -> None:
        self.indices[task] = selection.indices

    def state(self) -> dict[int, list[int]]:
        return {task: list(rows) for task, rows in self.indices.items()}

    def restore(self, state: dict[int, list[int]]) -> None:
        self.indices = {int(task): tuple(rows) for task, rows in state.items()}


def select(
    config: RunConfig,
    examples: Sequence[Example],
    rng: np.random.Generator,
    parser: Any = None,
    should_stop: ShouldStop = never,
) -> Selection:
    """What the run's sampler chooses of these rows; all of them where they are not more than M.

    Stopped where `should_stop` asks for it and the sampler is one that can be stopped. ValueError
    where the sampler chose other than `size` different rows, or its trace holds no plain values.
    """
    size = min(config.memory_size, len(examples))
    if size in (0, len(examples)):
        return Selection(tuple(range(size)))
    entry = samplers[config.sampler]
    stop = {"should_stop": should_stop} if entry.stoppable else {}
    sampler: Sampler = entry.value
    selection = sampler(examples, size, config.options("sampler"), rng, parser, **stop)
    _check(selection, f"sampler '{entry.name}'", size, len(examples))
    return selection


def _check(selection: Selection, sampler: str, size: int, n_examples: int) -> None:
    """ValueError names the sampler whose selection can't be kept."""
    rows = set(selection.indices)
    if len(selection.indices) != size or len(rows) != size or not rows <= set(range(n_examples)):
        raise ValueError(
            f"{sampler}: of the numbers from 0 to {n_examples - 1} expected {size}, each once, "
            f"found {len(selection.indices)}, of which {len(rows)} differ"
        )
    try:
        json.dumps(selection.trace)
    except TypeError as error:
        raise ValueError(f"{sampler}: its trace holds more than plain values: {error}") from error
