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
from core.methods.parts.replay import n_steps
from core.options import option
from core.parser.batch import Batch, join
from core.registry import methods


@dataclass(frozen=True)
class AGEMOptions:
    """What the reference gradient is taken on."""

    memory_rows: int = option(
        64,
        "rows a step, drawn from all memories together, for g_ref",
        low=1,
        high=100_000,
        label="Memory rows a step",
    )


def project(gradient: Tensor, reference: Tensor) -> Tensor:
    """g̃ of g and g_ref, (parameters,) each; g itself where it does not point against g_ref."""
    along = torch.dot(gradient, reference)
    if along.device.type == "cpu" and along >= 0:  # to know it, one would wait for a GPU
        return gradient
    against = torch.where(along < 0, along / torch.dot(reference, reference), 0.0)
    return gradient - against * reference


@methods.register("agem", label="A-GEM", rank=27, memory=True, sampler="random")
class AGEM(Method):
    """Turns each step so that it does not raise the mean loss on all memories together."""

    Options = AGEMOptions

    def set_up(self) -> None:
        self.rng = self.generators.for_arrays("replay")
        self._cached: tuple[int, Batch] | None = None

    def pool(self, k: int) -> Batch:
        """The examples in the memories of the tasks before k."""
        if self._cached is None or self._cached[0] != k:
            self._cached = (k, join(self.memories(k)))
        return self._cached[1]

    def _extra_rows(self, k: int) -> int:
        """Memory examples that a step of task k reads."""
        return min(int(self.options.memory_rows), sum(map(self.n_kept, range(k))))

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        extra = self._extra_rows(k)
        return (replace(step, extra_rows=extra) for step in super().steps(k, stage))

    def work(self, k: int, stage: Stage) -> float:
        return float(self.n_examples(k) + n_steps(self, k) * self._extra_rows(k))

    def edit_gradients(self, k: int, stage: Stage, step: TrainingStep) -> None:
        """One further backward pass, dropout off: what is compared is the loss as it stands."""
        if not k:
            return
        pool = self.pool(k)
        size = min(self.options.memory_rows, len(pool))
        sample = pool.take(self.rng.choice(len(pool), size, replace=False))
        current = gradients.read(self.parser)
        edited = project(current, gradients.gradient(self.parser, sample))
        if edited is not current:
            gradients.write(self.parser, edited)
