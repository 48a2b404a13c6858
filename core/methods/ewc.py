"""Elastic weight consolidation (Kirkpatrick et al., 2017) without replay."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.methods.base import Method, Stage
from core.methods.parts.penalty import (
    Penalty,
    anchors_option,
    fisher_dropout_option,
    fisher_option,
    weight_option,
)
from core.registry import methods


@dataclass(frozen=True)
class EWCOptions:
    """How hard parameters are held, and which."""

    ewc_weight: float = weight_option()
    fisher: str = fisher_option()
    anchors: str = anchors_option()
    fisher_dropout: bool = fisher_dropout_option()


@methods.register("ewc", label="EWC", rank=20, memory=True, sampler="random", fisher=True)
class EWC(Method):
    """Holds the parameters that past tasks' memories say are important; replays nothing."""

    Options = EWCOptions

    def set_up(self) -> None:
        self.consolidation = Penalty(self.parser, self.options)

    def penalty(self, k: int, stage: Stage) -> Tensor | float:
        return self.consolidation.add_gradient()

    def end_task(self, k: int) -> None:
        self.consolidation.consolidate(self.memories(k + 1), self.should_stop)

    def state(self) -> dict[str, Any]:
        return self.consolidation.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.consolidation.restore(state)
