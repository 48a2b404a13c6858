"""The optimizer steps of a stage: Adam on what it moves, some rows held, gradients clipped."""

import numpy as np
import torch

from core.methods.base import Method, Stage, TrainingStep


class StageOptimizer:
    """Moves the parameters that a stage of task k moves; the others get no gradient meanwhile."""

    def __init__(self, method: Method, k: int, stage: Stage) -> None:
        self.method, self.k, self.stage = method, k, stage
        self.parser = method.parser
        self.trainable = method.parameters(k, stage)
        for parameter in self.parser.parameters():
            parameter.requires_grad_(any(parameter is one for one in self.trainable))
        rate = method.config.learning_rate
        self.optimizer = torch.optim.Adam(self.trainable, lr=rate, fused=True)
        frozen = torch.from_numpy(np.flatnonzero(method.frozen_actions(k, stage)))
        self.frozen = frozen.to(self.parser.action_embedding.device)

    def set_rate(self, rate: float) -> None:
        """Adam's step size from now on."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def step(self, step: TrainingStep) -> dict[str, float]:
        """One step; the parts of its loss, `current` being the current rows' mean."""
        method, k, stage = self.method, self.k, self.stage
        self.optimizer.zero_grad(set_to_none=True)
        losses = method.loss(k, stage, step)
        torch.stack(list(losses.values())).sum().backward()
        method.edit_gradients(k, stage, step)
        penalty = method.penalty(k, stage)
        gradient = self.parser.action_embedding.grad
        if gradient is not None and len(self.frozen):
            gradient[self.frozen] = 0
        torch.nn.utils.clip_grad_norm_(self.trainable, method.config.clip_norm)
        self.optimizer.step()
        method.after_step(k, stage)
        parts = {name: float(part.detach()) for name, part in losses.items()}
        parts["penalty"] = parts.get("penalty", 0.0) + penalty
        return parts

    def end(self) -> None:
        """All parameters get gradients again."""
        for parameter in self.parser.parameters():
            parameter.requires_grad_(True)
