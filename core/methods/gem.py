"""Gradient episodic memory (Lopez-Paz and Ranzato, 2017).

A step may not raise the loss on any past memory, to first order: where ⟨g, g_i⟩ < 0 for some memory
i, with g_i the gradient of its mean loss, the step's gradient g is projected (their eq. 8-11):

g̃ = argmin ‖g̃ − g'‖² with ⟨g̃, g_i⟩ ≥ 0 for all i, g' = g + γ Σ_i g_i, γ the margin.

Its dual has one unknown a memory: g̃ = g' + Σ_i u_i g_i, u ≥ 0 minimising ½ uᵀGGᵀu + uᵀGg', a
non-negative least-squares problem. u + γ is the v ≥ γ of their code. A gradient that violates
nothing stays as it is, bit for bit. The bounds hold of the gradient; Adam, which scales each of its
numbers for itself, keeps to them roughly.

A backward pass a memory: one pass for all of them, with the LSTMs' gates laid open to tell the
memories apart, took 3.7 times as long on seven memories.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts import gradients
from core.methods.parts.replay import n_steps
from core.options import option
from core.parser.batch import Batch
from core.parser.moving import moved
from core.registry import methods

_NEGLIGIBLE = 1e-12  # eigenvalues of GGᵀ, as a share of the largest: memories that say the same


@dataclass(frozen=True)
class GEMOptions:
    """How memories bound a step."""

    margin: float = option(
        0.5,
        "γ: how much of the memories' own gradients a projected step takes besides (their code: "
        "0.5); 0: the nearest gradient that violates nothing",
        low=0.0,
        high=100.0,
        label="Margin γ",
    )
    memory_rows: int = option(
        0,
        "rows of each past memory that its gradient is taken on, drawn anew every step; 0: all. "
        "A step costs that many rows a past task more",
        low=0,
        high=100_000,
        label="Memory rows a step",
    )


def project(gradient: Tensor, memories: Tensor, margin: float) -> Tensor:
    """g̃ of g (parameters,) and G (tasks, parameters); g itself where nothing is violated."""
    from scipy.optimize import nnls  # loads for a while: not with the registry

    if not bool((memories @ gradient < 0).any()):
        return gradient
    exact = memories.double()
    gram = (exact @ exact.t()).cpu().numpy()  # GGᵀ
    if not np.isfinite(gram).all():
        return gradient  # the loss is not finite either, which ends the run with a sentence
    slopes = (exact @ gradient.double()).cpu().numpy() + margin * gram.sum(axis=1)  # Gg'
    values, vectors = np.linalg.eigh(gram)  # GGᵀ = RᵀR with R = Λ^½ Vᵀ
    kept = values > _NEGLIGIBLE * values[-1]
    root = np.sqrt(values[kept])
    dual, _ = nnls(root[:, None] * vectors[:, kept].T, -(vectors[:, kept].T @ slopes) / root)
    weights = moved(torch.from_numpy(dual + margin).to(gradient.dtype), gradient.device)
    return torch.addmv(gradient, memories.t(), weights)


@methods.register("gem", label="GEM", rank=26, memory=True, sampler="random")
class GEM(Method):
    """Turns each step so that it raises the loss on no past task's memory; replays nothing."""

    Options = GEMOptions

    def set_up(self) -> None:
        self.rng = self.generators.for_arrays("replay")
        self._cached: tuple[int, list[Batch]] | None = None

    def pools(self, k: int) -> list[Batch]:
        """The memories of the tasks before k."""
        if self._cached is None or self._cached[0] != k:
            self._cached = (k, self.memories(k))
        return self._cached[1]

    def _extra_rows(self, k: int) -> int:
        """Memory examples that a step of task k reads."""
        most = self.options.memory_rows or self.config.memory_size
        return sum(min(most, self.n_kept(i)) for i in range(k))

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        extra = self._extra_rows(k)
        return (replace(step, extra_rows=extra) for step in super().steps(k, stage))

    def work(self, k: int, stage: Stage) -> float:
        return float(self.n_examples(k) + n_steps(self, k) * self._extra_rows(k))

    def edit_gradients(self, k: int, stage: Stage, step: TrainingStep) -> None:
        """A backward pass a memory, dropout off: what is compared is the loss as it stands."""
        if not k:
            return
        current = gradients.read(self.parser)
        batches = map(self._sample, self.pools(k))
        past = torch.stack([gradients.gradient(self.parser, batch) for batch in batches])
        edited = project(current, past, self.options.margin)
        if edited is not current:
            gradients.write(self.parser, edited)

    def _sample(self, pool: Batch) -> Batch:
        size = self.options.memory_rows
        if not 0 < size < len(pool):
            return pool
        return pool.take(self.rng.choice(len(pool), size, replace=False))
