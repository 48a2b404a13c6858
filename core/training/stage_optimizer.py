"""The optimizer steps of a stage: Adam on what it trains, some rows held, gradients clipped."""

import numpy as np
import torch
from torch import Tensor

from core.config import RunConfig
from core.methods.base import Method, Stage, TrainingStep


def learning_rate(config: RunConfig, epoch: int, epochs: int) -> float:
    """Adam's step size in an epoch (from 0) of a stage of so many."""
    return config.learning_rate * (1 - epoch / epochs if config.schedule == "linear" else 1.0)


def new_adam(method: Method, parameters: list[torch.nn.Parameter]) -> torch.optim.Adam:
    """An optimizer without any history; what moves of a transformer is its second group."""
    transformer = method.parser.transformer
    inside = {id(p) for p in transformer.parameters()} if transformer else set()
    groups = [{"params": [p for p in parameters if id(p) not in inside]}]
    if of_transformer := [p for p in parameters if id(p) in inside]:
        groups.append({"params": of_transformer})
    return torch.optim.Adam(groups, lr=method.config.learning_rate, fused=True)


def run_optimizer(method: Method) -> torch.optim.Adam | None:
    """The one optimizer of a run with `optimizer = kept`, over all parameters; else None.

    What a stage does not train has no gradient, and Adam passes it over. A row that is trained for
    the first time late has moments of 0 under a bias correction of long ago: its first steps are
    3 to 6 times the learning rate.
    """
    if method.config.optimizer != "kept":
        return None
    return new_adam(method, list(method.parser.parameters()))


class StageOptimizer:
    """Trains the parameters of a stage of task k; the others get no gradient meanwhile."""

    def __init__(
        self, method: Method, k: int, stage: Stage, kept: torch.optim.Adam | None = None
    ) -> None:
        """`kept`: the run's one optimizer, where it has one (`run_optimizer`)."""
        self.method, self.k, self.stage = method, k, stage
        self.parser = method.parser
        self.trainable = method.parameters(k, stage)
        trained = {id(parameter) for parameter in self.trainable}
        for parameter in self.parser.parameters():
            parameter.requires_grad_(id(parameter) in trained)
        self.adam = kept or new_adam(method, self.trainable)
        self.keeps_moments = kept is not None
        self.rate = method.config.learning_rate
        frozen = torch.from_numpy(np.flatnonzero(method.frozen_actions(k, stage)))
        self.frozen = frozen.to(self.parser.device)

    def set_rate(self, rate: float) -> None:
        """Adam's step size from now on; a transformer's has the same share of its own."""
        self.rate = rate
        self.adam.param_groups[0]["lr"] = rate

    def _set_transformer_rate(self) -> None:
        """Rising from 0 over the stage's first steps; Adam's own count of steps says where it is.

        So a stage that goes on from a checkpoint is where it was.
        """
        for group in self.adam.param_groups[1:]:
            config = self.method.config
            state = self.adam.state.get(group["params"][0], {})
            n_steps = 1 + int(state.get("step", 0))
            warm = min(1.0, n_steps / max(config.encoder_warmup, 1))
            group["lr"] = config.encoder_rate * warm * self.rate / config.learning_rate

    def step(self, step: TrainingStep) -> dict[str, Tensor]:
        """One step; the parts of its loss, `current` being the current examples' mean."""
        method, k, stage = self.method, self.k, self.stage
        # the gradient of the loss, then of the penalty
        self.adam.zero_grad(set_to_none=True)
        losses = method.loss(k, stage, step)
        torch.stack(list(losses.values())).sum().backward()
        method.edit_gradients(k, stage, step)
        penalty = method.penalty(k, stage)
        # what is frozen has none, and what is left is clipped
        gradient = self.parser.action_embedding.grad
        if gradient is not None and len(self.frozen):
            gradient[self.frozen] = 0
        if method.config.clip_norm:
            torch.nn.utils.clip_grad_norm_(self.trainable, method.config.clip_norm)
        # the step
        self._set_transformer_rate()
        self._move()
        method.after_step(k, stage)
        parts = {name: part.detach() for name, part in losses.items()}
        if not isinstance(penalty, Tensor):
            penalty = torch.full((), penalty, dtype=torch.float64, device=self.frozen.device)
        return parts | {"penalty": penalty}

    @torch.no_grad()
    def _move(self) -> None:
        """Adam's step. Moments of earlier stages would move frozen rows on: they stay."""
        embedding = self.parser.action_embedding
        held = embedding[self.frozen] if self.keeps_moments and len(self.frozen) else None
        self.adam.step()
        if held is not None:
            embedding[self.frozen] = held

    def end(self) -> None:
        """All parameters get gradients again."""
        for parameter in self.parser.parameters():
            parameter.requires_grad_(True)
