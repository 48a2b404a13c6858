"""Averaged GEM (Chaudhry et al., 2019): one bound for all memories together.

A step may not raise the mean loss on rows drawn from all memories, to first order (their eq. 11):
g̃ = g − (gᵀg_ref / g_refᵀg_ref) g_ref where gᵀg_ref < 0, else g.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts import gradients
from core.options import option
from core.parser.batch import Batch, join
from core.registry import methods


@dataclass(frozen=True)
class AGEMOptions:
    """What the reference gradient is taken on."""

    memory_rows: int = option(
        64, "rows a step, drawn from all memories together, for g_ref", low=1, high=100_000
    )


def project(gradient: Tensor, reference: Tensor) -> Tensor:
    """g̃ of g and g_ref, (parameters,) each; g itself where it does not point against g_ref."""
    along = torch.dot(gradient, reference)
    if along >= 0:
        return gradient
    return gradient - along / torch.dot(reference, reference) * reference


@methods.register("agem", label="A-GEM", rank=27, memory=True, sampler="random")
class AGEM(Method):
    """Turns each step so that it does not raise the mean loss on all memories together."""

    Options = AGEMOptions

    def set_up(self) -> None:
        self.rng = self.generators.for_arrays("replay")
        self._cached: dict[int, Batch] = {}

    def pool(self, k: int) -> Batch:
        """The rows in the memories of the tasks before k."""
        if k not in self._cached:
            self._cached = {k: join(self.memories(k))}
        return self._cached[k]

    def _rows(self, k: int) -> int:
        """Memory rows a step of task k."""
        kept = sum(min(self.config.memory_size, len(self.data[i])) for i in range(k))
        return min(self.options.memory_rows, kept)

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        extra = self._rows(k)
        return (replace(step, extra_rows=extra) for step in super().steps(k, stage))

    def work(self, k: int, stage: Stage) -> float:
        rows = len(self.training_batch(k))
        return float(rows + -(-rows // self.config.batch_size) * self._rows(k))

    def edit_gradients(self, k: int, stage: Stage, step: TrainingStep) -> None:
        """One further backward pass, dropout off: what is compared is the loss as it stands."""
        if not k:
            return
        pool = self.pool(k)
        wanted = min(self.options.memory_rows, len(pool))
        rows = self.rng.choice(len(pool), wanted, replace=False)
        own = gradients.read(self.parser)
        edited = project(own, gradients.gradient(self.parser, pool.take(rows)))
        if edited is not own:
            gradients.write(self.parser, edited)
