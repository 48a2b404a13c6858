"""Elastic weight consolidation (Kirkpatrick et al., 2017) without replay."""

from dataclasses import dataclass
from typing import Any

from core.methods.base import Method, Stage
from core.methods.penalty import Penalty
from core.options import option
from core.registry import methods


@dataclass(frozen=True)
class EWCOptions:
    """How hard parameters are held."""

    ewc_weight: float = option(
        5000.0,
        "λ of the penalty λ Σ F (θ − θ*)², F from the mean loss over each memory",
        low=0.0,
        high=1e9,
    )


@methods.register("ewc", label="EWC", rank=20, memory=True)
class EWC(Method):
    """Holds the parameters that past tasks' memories say are important; replays nothing."""

    Options = EWCOptions

    def set_up(self) -> None:
        self.consolidation = Penalty(self.parser, self.options.ewc_weight)

    def penalty(self, k: int, stage: Stage) -> float:
        return self.consolidation.add_gradient()

    def end_task(self, k: int) -> None:
        self.consolidation.consolidate(self.memories(k + 1))

    def state(self) -> dict[str, Any]:
        return self.consolidation.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.consolidation.restore(state)
