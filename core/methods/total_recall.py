"""Total Recall: fast-slow continual learning (Li et al., 2021, Algorithm 2), with replay and, if
asked for, EWC and dynamic action representations (DAR).

Fast stage: trains the embeddings of the actions that no earlier task has shown, nothing else. Slow
stage: trains everything but the past tasks' specific parameters θ_s^(i) (rows of actions that one
of them alone has, its adapter), on the new task's examples and the memories together. The memory
is chosen by DLFS in the paper, by any sampler here. Ablations of the fast stage are other lists of
stages.

In Algorithm 2 replay trains θ_g alone, not the new task's specific θ_s^(k) either. So it is here
with task masking, as in the paper's release: no memory example is scored against a new task's
specific actions. Without masking these stand in A_t of memory examples as wrong answers, and
replay pushes them away.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from core.methods.base import Method, Stage, Trainable, TrainingStep
from core.methods.parts.adapters import adapters_option, attach, formula_option
from core.methods.parts.penalty import (
    Penalty,
    anchors_option,
    fisher_dropout_option,
    fisher_option,
    weight_option,
)
from core.methods.parts.replay import Replay, ReplayOptions, replay_work
from core.methods.parts.variants import variant
from core.options import ConfigError, option, plain
from core.registry import methods

_TRAINABLE = {  # of the option `fast`
    "actions": Trainable.UNSEEN_ACTIONS,
    "task_specific": Trainable.TASK_SPECIFIC,
    "all": Trainable.ALL,
}


@dataclass(frozen=True)
class TotalRecallOptions(ReplayOptions):
    """Stages, replay, penalty and adapters."""

    fast: str = option(
        "actions",
        "what moves in the fast stage. actions: the embeddings of unseen actions (the paper's "
        "FSCL); none: there is no such stage ('- fast' in the paper's ablation); task_specific: "
        "these embeddings and the task's adapter, from the second task on ('fast/lwf'); all: "
        "everything but past tasks' own parameters ('fast/emar')",
        choices=("actions", "none", "task_specific", "all"),
        label="Fast stage",
    )
    fast_tasks: str = option(
        "every",
        "which tasks have a fast stage; first: the first task alone",
        choices=("every", "first"),
        label="Fast stage on",
    )
    fast_epochs: int = option(
        5,
        "passes of the fast stage (paper: 5); 0 is the same as fast = none",
        low=0,
        high=1000,
        when=("fast", "actions", "task_specific", "all"),
        label="Passes in the fast stage",
    )
    adapters: str = adapters_option()
    adapter_formula: str = formula_option()
    penalty: str = option(
        "none", "ewc: the slow stage also holds important parameters", choices=("none", "ewc")
    )
    ewc_weight: float = weight_option(when=("penalty", "ewc"))
    fisher: str = fisher_option(when=("penalty", "ewc"))
    anchors: str = anchors_option("each", earlier="last", when=("penalty", "ewc"))
    fisher_dropout: bool = fisher_dropout_option(when=("penalty", "ewc"))

    def __post_init__(self) -> None:
        if self.fast_tasks == "first" and self.fast in ("none", "task_specific"):
            raise ConfigError(
                "total_recall.fast_tasks = 'first': with fast = "
                f"'{self.fast}' the first task has no fast stage; expected every, or another fast."
            )


@methods.register(
    "total_recall",
    label="Total Recall",
    rank=40,
    memory=True,
    sampler="dlfs",
    fisher="with penalty = ewc",
    internals="decoder states h with adapters = full or without_cross",
)
class TotalRecall(Method):
    """Learns unseen actions first, then everything together with the memories (FSCL)."""

    Options = TotalRecallOptions

    def set_up(self) -> None:
        self.replay = Replay(self)
        self.consolidation = Penalty(self.parser, self.options)
        self.adapters = attach(self)

    @classmethod
    def label(cls, options: TotalRecallOptions) -> str:
        return "Total Recall" + variant(plain(options))

    def task_parameters(self) -> int:
        return 0 if self.adapters is None else self.adapters.n_per_task

    def stages(self, k: int) -> tuple[Stage, ...]:
        slow = Stage("slow", self.config.epochs)
        fast, epochs = self.options.fast, self.options.fast_epochs
        if self.options.fast_tasks == "first":
            has_fast = k == 0
        else:
            has_fast = k > 0 or fast != "task_specific"
        if fast == "none" or not epochs or not has_fast:
            return (slow,)
        return (Stage("fast", epochs, _TRAINABLE[fast], replay=False, penalty=False), slow)

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        return self.replay.steps(k if stage.replay else 0, self.batches(k))

    def work(self, k: int, stage: Stage) -> float:
        return replay_work(self, k) if stage.replay else super().work(k, stage)

    def parameters(self, k: int, stage: Stage) -> list[nn.Parameter]:
        """Of the adapters that of task k alone, and not while only unseen actions' rows move."""
        if self.adapters is None:
            return super().parameters(k, stage)
        adapter = self.adapters.parameters_of(k)
        if stage.trainable is Trainable.TASK_SPECIFIC:
            return [self.parser.action_embedding, *adapter]
        past = {id(p) for p in self.adapters.parameters()} - {id(p) for p in adapter}
        return [p for p in super().parameters(k, stage) if id(p) not in past]

    def penalty(self, k: int, stage: Stage) -> Tensor | float:
        return self.consolidation.add_gradient() if stage.penalty else 0.0

    def frozen_actions(self, k: int, stage: Stage) -> NDArray[np.bool_]:
        """θ_s of the tasks before k where all moves: rows of actions that one of them alone has."""
        if stage.trainable is Trainable.ALL:
            specific: NDArray[np.bool_] = self.parser.grammar.specific_to(k)[:k].any(axis=0)
            return specific
        return super().frozen_actions(k, stage)

    def end_task(self, k: int) -> None:
        if self.options.penalty == "ewc":
            self.consolidation.consolidate(self.memories(k + 1), self.should_stop)

    def state(self) -> dict[str, Any]:
        return self.consolidation.state()

    def restore(self, state: dict[str, Any]) -> None:
        self.consolidation.restore(state)
