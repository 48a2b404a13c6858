"""HAT, hard attention to the task (Serrà et al., 2018); the masks themselves are in `masks`.

Within an epoch s rises from 1/s_max to s_max. The loss has a term for the units that no past task
uses. Gradients are conditioned by the masks of past tasks, and so are Adam's steps: these have no
scale, so that a gradient a thousandth as large would move a parameter as far.
Nothing is replayed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from core.methods.base import Method, Stage, TrainingStep, plain_step
from core.methods.parts.masks import BOUND, LAYERS, TaskMasks, movable
from core.options import option
from core.parser.batch import UNKNOWN
from core.parser.moving import moved
from core.registry import methods


@dataclass(frozen=True)
class HATOptions:
    """How hard the masks are, and how dear new units."""

    s_max: float = option(
        400.0,
        "slope of the masks at an epoch's end and in use (Serrà et al.: 400)",
        low=1.0,
        high=1e5,
        label="Slope of masks (s_max)",
    )
    sparsity: float = option(
        5.0,
        "weight of the share of free units that a task uses (Serrà et al.: 0.75, beside the "
        "loss of one decision; a row's loss is here the sum over about ten)",
        low=0.0,
        high=1e4,
        label="Weight of used units",
    )


@methods.register("hat", label="HAT", rank=25, memory=False, internals="hidden units")
class HAT(Method):
    """Gives each task a part of the units, which later tasks may use but not change."""

    Options = HATOptions

    def set_up(self) -> None:
        parser = self.parser
        self.masks = TaskMasks(
            len(self.data),
            parser.init_decoder.out_features,
            parser.start.shape[0],
            self.options.s_max,
            self.generators.for_tensors("masks"),
        )
        device = parser.device
        parser.masks = self.masks.to(device)
        self.seen = torch.zeros(len(parser.vocabulary), dtype=torch.bool, device=device)
        self._limits: tuple[int, list[tuple[nn.Parameter, Tensor]]] = (-1, [])
        self._before: list[Tensor] = []

    def task_parameters(self) -> int:
        return sum(self.masks.sizes)

    def parameters(self, k: int, stage: Stage) -> list[nn.Parameter]:
        """Everything but the masks of other tasks."""
        other_masks = {id(e) for i, e in enumerate(self.masks.embeddings) if i != k}
        return [p for p in super().parameters(k, stage) if id(p) not in other_masks]

    def steps(self, k: int, stage: Stage) -> Iterator[TrainingStep]:
        """s goes up from step to step (their eq. 3)."""
        batches, s_max = list(self.batches(k)), self.options.s_max
        for number, s in enumerate(np.linspace(1 / s_max, s_max, len(batches))):
            self.masks.s = float(s) if len(batches) > 1 else s_max
            yield plain_step(batches[number])

    def loss(self, k: int, stage: Stage, step: TrainingStep) -> dict[str, Tensor]:
        sparsity = self.options.sparsity * self.masks.new_units(k)
        return super().loss(k, stage, step) | {"sparsity": sparsity}

    def limits(self, k: int) -> list[tuple[nn.Parameter, Tensor]]:
        """Parameters, and how far each of their numbers may move in task k; none for the first."""
        if k and self._limits[0] != k:
            known = moved(torch.from_numpy(self.parser.grammar.known(k - 1)), self.seen.device)
            shares = movable(self.parser, self.masks.used(k), self.seen, known)
            moving = dict(self.parser.named_parameters())
            limits = [(moving[name], share) for name, share in shares.items() if name in moving]
            self._limits = (k, limits)
        return self._limits[1] if k else []

    def edit_gradients(self, k: int, stage: Stage, step: TrainingStep) -> None:
        self._before = []
        for parameter, share in self.limits(k):
            if parameter.grad is not None:
                parameter.grad.mul_(share)
            self._before.append(parameter.detach().clone())

    @torch.no_grad()
    def after_step(self, k: int, stage: Stage) -> None:
        for (parameter, share), before in zip(self.limits(k), self._before, strict=True):
            parameter.copy_(torch.lerp(before, parameter, share.expand_as(parameter)))
        self.masks.embeddings[k].clamp_(-BOUND, BOUND)

    def end_task(self, k: int) -> None:
        self.seen[self.training_batch(k).words.unique().to(self.seen.device)] = True
        self.seen[UNKNOWN] = True  # any task's test examples may have unknown words

    def diagnostics(self, k: int) -> dict[str, float]:
        """How much of each layer tasks 0 … k use: the share of units with a mask above 1/2."""
        used = self.masks.used(k + 1)
        return {
            f"units in use, {layer}": float((masks > 0.5).float().mean())
            for layer, masks in zip(LAYERS, used, strict=True)
        }

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen}

    def restore(self, state: dict[str, Any]) -> None:
        self.seen = state["seen"].to(self.seen.device)
