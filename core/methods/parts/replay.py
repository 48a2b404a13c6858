"""Replay of memories: their examples join the steps of the current task.

L = L_D + Σ_i L_Mi (Li et al., 2021, §5.2, EMR), with L the mean loss over examples. `joint` takes
all memories in every step, `sample` an unbiased draw of some of their examples, `sweep` (Algorithm
2) goes through the memories after each epoch over the current examples, one step a memory.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.methods.base import Method, TrainingStep, plain_step
from core.options import option
from core.parser.batch import Batch, join
from core.parser.moving import moved


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
        64,
        "memory rows a step for replay = sample",
        low=1,
        high=4096,
        when=("replay", "sample"),
        label="Memory rows a step",
    )


class Replay:
    """Mixes the examples in memory into the steps of a method's epochs."""

    def __init__(self, method: Method) -> None:
        self.method = method
        self.options: ReplayOptions = method.options
        self.rng = method.generators.for_arrays("replay")
        self._cached: tuple[int, Batch, Tensor] | None = None

    def pool(self, k: int) -> tuple[Batch, Tensor]:
        """All examples in the memories of tasks before k, and 1 / |M_i| for each."""
        if self._cached is None or self._cached[0] != k:
            memories = self.method.memories(k)
            shares = [torch.full((len(memory),), 1 / len(memory)) for memory in memories]
            self._cached = (k, join(memories), torch.cat(shares))
        return self._cached[1:]

    def steps(self, k: int, batches: Iterable[Batch]) -> Iterator[TrainingStep]:
        """The batches as steps, with the memories of the tasks before k replayed."""
        if k == 0:
            yield from map(plain_step, batches)
        elif self.options.replay == "sweep":
            yield from map(plain_step, batches)
            yield from self._sweep(k)
        else:
            yield from (self._mixed(k, batch) for batch in batches)

    def _mixed(self, k: int, batch: Batch) -> TrainingStep:
        """The batch with all examples in memory, or a draw of them."""
        pool, shares = self.pool(k)
        indices = np.arange(len(pool))
        if self.options.replay == "sample" and self.options.replay_rows < len(pool):
            indices = self.rng.choice(len(pool), self.options.replay_rows, replace=False)
        current = torch.full((len(batch),), 1 / len(batch))
        replayed = shares[indices] * (len(pool) / len(indices))  # the same in expectation
        both, device = join([batch, pool.take(indices)]), batch.device
        return TrainingStep(
            batch=both,
            weights=moved(torch.cat([current, replayed]), device),
            n_current=len(batch),
            memory_indices=torch.from_numpy(indices),
        )

    def _sweep(self, k: int) -> Iterator[TrainingStep]:
        """One step for each memory, of its mean loss."""
        pool, _ = self.pool(k)
        sizes = [len(self.method.memory.indices[i]) for i in range(k)]
        for indices in torch.arange(len(pool)).split(sizes):
            step = plain_step(pool.take(indices))
            yield TrainingStep(step.batch, step.weights, 0, memory_indices=indices)


def replay_work(method: Method, k: int) -> float:
    """Examples of an epoch on task k with the memories of the tasks before k replayed.

    Needs no parser: `Method.work` of methods with ReplayOptions.
    """
    options, n_examples = method.options, method.n_examples(k)
    pool = sum(map(method.n_kept, range(k)))
    if options.replay == "sweep":
        return float(n_examples + pool)
    n_replayed = min(options.replay_rows, pool) if options.replay == "sample" else pool
    return float(n_examples + n_steps(method, k) * n_replayed)


def n_steps(method: Method, k: int) -> int:
    """Steps of an epoch on task k, sweeps aside."""
    return -(-method.n_examples(k) // method.config.batch_size)
