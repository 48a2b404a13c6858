"""ARPER (Mi et al., 2020): replay of prioritised memories, and a penalty that adapts to the task.

λ_k = λ √(V_old / V_new) (their §4.2): the more of its vocabulary a task shares with what is known,
the harder parameters are held. Theirs is a generator, whose vocabularies are of words put out; a
parser puts out actions, so V_old counts the actions known before task k and V_new those that it
adds. A task that adds none counts as adding one. PRIOR, the choice of memories, is a sampler.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts.penalty import (
    Penalty,
    anchors_option,
    fisher_dropout_option,
    fisher_option,
    weight_option,
)
from core.methods.parts.replay import Replay, ReplayOptions, replay_work
from core.registry import methods


@dataclass(frozen=True)
class ARPEROptions(ReplayOptions):
    """Replay, and the penalty before it adapts."""

    ewc_weight: float = weight_option("λ of the penalty λ √(V_old / V_new) Σ F (θ − θ*)²")
    fisher: str = fisher_option()
    anchors: str = anchors_option()
    fisher_dropout: bool = fisher_dropout_option()


@methods.register("arper", label="ARPER", rank=34, memory=True, sampler="prior", fisher=True)
class ARPER(Method):
    """EMR and EWC together, held harder where the new task brings few new actions."""

    Options = ARPEROptions

    def set_up(self) -> None:
        self.replay = Replay(self)
        self.consolidation = Penalty(self.parser, self.options)

    def weight(self, k: int) -> float:
        """λ_k, for a task that is not the first."""
        grammar = self.parser.grammar
        old, new = int(grammar.known(k - 1).sum()), int(grammar.unseen(k).sum())
        return float(self.options.ewc_weight) * math.sqrt(old / max(new, 1))

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        return self.replay.steps(k, self.batches(k))

    def work(self, k: int, stage: Stage) -> float:
        return replay_work(self, k)

    def penalty(self, k: int, stage: Stage) -> Tensor | float:
        self.consolidation.weight = self.weight(k)
        return self.consolidation.add_gradient()

    def end_task(self, k: int) -> None:
        self.consolidation.consolidate(self.memories(k + 1), self.should_stop)

    def state(self) -> dict[str, Any]:
        return self.consolidation.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.consolidation.restore(state)
