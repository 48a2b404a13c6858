"""Replay of memories: their rows join the steps of the current task.

L = L_D + Σ_i L_Mi (paper, EMR loss), with L the mean loss over rows. `joint` takes all memories in
every step, `sample` an unbiased draw of some of their rows, `sweep` (Algorithm 2) goes through the
memories after each pass over the current rows, one step a memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch

from core.methods.base import TrainingStep, plain_step
from core.options import option
from core.parser.batch import Batch, join
from core.samplers.base import Memory


@dataclass(frozen=True)
class ReplayOptions:
    """How memories are replayed."""

    replay: str = option(
        "sample",
        "joint: every step takes all memories; sample: every step takes replay_rows of them, "
        "weighted so that the expected loss is the same; sweep: after each epoch, one step for "
        "each memory",
        choices=("joint", "sample", "sweep"),
    )
    replay_rows: int = option(
        64, "memory rows a step for replay = sample", low=1, high=4096, when=("replay", "sample")
    )


@dataclass
class Replay:
    """Mixes the rows in memory into the steps of an epoch."""

    options: ReplayOptions
    memory: Memory
    data: list[Batch]
    rng: np.random.Generator
    _cached: dict[int, tuple[Batch, torch.Tensor]] = field(default_factory=dict)

    def pool(self, k: int) -> tuple[Batch, torch.Tensor]:
        """All rows in the memories of tasks before k, and 1 / |M_i| for each."""
        if k not in self._cached:
            parts = [self.data[i].take(self.memory.indices[i]) for i in range(k)]
            share = torch.cat([torch.full((len(part),), 1 / len(part)) for part in parts])
            self._cached = {k: (join(parts), share)}
        return self._cached[k]

    def steps(self, k: int, batches: Iterable[Batch]) -> Iterator[TrainingStep]:
        """The batches as steps, with the memories of the tasks before k replayed."""
        if not k:
            yield from map(plain_step, batches)
            return
        pool, share = self.pool(k)
        for batch in batches:
            if self.options.replay == "sweep":
                yield plain_step(batch)
                continue
            rows = np.arange(len(pool))
            if self.options.replay == "sample" and self.options.replay_rows < len(pool):
                rows = self.rng.choice(len(pool), self.options.replay_rows, replace=False)
            weights = torch.full((len(batch),), 1 / len(batch))
            weights = torch.cat([weights, share[rows] * (len(pool) / len(rows))])
            both = join([batch, pool.take(rows)])
            device = both.words.device
            drawn = torch.from_numpy(rows).to(device)
            yield TrainingStep(both, weights.to(device), len(batch), memory_indices=drawn)
        if self.options.replay == "sweep":
            numbers = torch.arange(len(pool)).split([len(self.memory.indices[i]) for i in range(k)])
            for drawn in numbers:
                part = pool.take(drawn)
                device = part.words.device
                weights = torch.full((len(part),), 1 / len(part), device=device)
                yield TrainingStep(part, weights, 0, memory_indices=drawn.to(device))

    def work(self, k: int, rows: int, batch_size: int, memory_size: int) -> float:
        """Rows of an epoch over `rows` current rows, those of memories included."""
        pool = sum(min(memory_size, len(self.data[i])) for i in range(k))
        if self.options.replay == "sweep":
            return float(rows + pool)
        a_step = min(self.options.replay_rows, pool) if self.options.replay == "sample" else pool
        return float(rows + -(-rows // batch_size) * a_step)
