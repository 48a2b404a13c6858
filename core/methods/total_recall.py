"""Total Recall: fast-slow continual learning (paper, Algorithm 2), with replay and, if asked, EWC.

Fast stage: the embeddings of the actions that no earlier task has shown move, nothing else. Slow
stage: everything moves but the rows of past tasks' own actions, on the new task's rows and the
memories together. The memory is chosen by DLFS in the paper, by any sampler here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.methods.base import Method, Stage, Step
from core.methods.penalty import Penalty
from core.methods.replay import Replay, ReplayOptions
from core.options import option
from core.registry import methods


@dataclass(frozen=True)
class TotalRecallOptions(ReplayOptions):
    """Stages, replay and penalty."""

    fast_epochs: int = option(
        5, "passes in which unseen actions' embeddings alone move (paper: 5)", low=0, high=1000
    )
    penalty: str = option(
        "none", "ewc: the slow stage also holds important parameters", choices=("none", "ewc")
    )
    ewc_weight: float = option(
        5000.0, "λ of the penalty λ Σ F (θ − θ*)² for penalty = ewc", low=0.0, high=1e9
    )


@methods.register("total_recall", label="Total Recall", rank=40, memory=True)
class TotalRecall(Method):
    """Learns unseen actions first, then everything together with the memories (FSCL)."""

    Options = TotalRecallOptions

    def set_up(self) -> None:
        draws = self.generators.for_arrays("replay")
        self.replay = Replay(self.options, self.memory, self.data, draws)
        weight = self.options.ewc_weight if self.options.penalty == "ewc" else 0.0
        self.consolidation = Penalty(self.parser, weight)

    @classmethod
    def label(cls, options: TotalRecallOptions) -> str:
        return "Total Recall + EWC" if options.penalty == "ewc" else "Total Recall"

    def stages(self, k: int) -> tuple[Stage, ...]:
        fast = Stage("fast", self.options.fast_epochs, "unseen actions", False, False)
        return (fast,) * bool(fast.epochs) + (Stage("slow", self.config.epochs),)

    def steps(self, k: int, stage: Stage) -> Iterable[Step]:
        return self.replay.steps(k if stage.replay else 0, self.batches(k))

    def work(self, k: int, stage: Stage) -> float:
        rows, past = len(self.rows(k)), k if stage.replay else 0
        return self.replay.work(past, rows, self.config.batch_size, self.config.memory_size)

    def penalty(self, k: int, stage: Stage) -> float:
        return self.consolidation.add_gradient() if stage.penalty else 0.0

    def frozen_actions(self, k: int, stage: Stage) -> np.ndarray:
        """Slow stage: θ_s of the tasks before k, the rows of actions that one of them alone has."""
        if stage.moves == "all":
            return self.parser.grammar.specific_to(k)[:k].any(axis=0)
        return super().frozen_actions(k, stage)

    def end_task(self, k: int) -> None:
        if self.options.penalty == "ewc":
            self.consolidation.consolidate(self.memories(k + 1))

    def state(self) -> dict[str, Any]:
        return self.consolidation.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.consolidation.restore(state)
