"""Dark experience replay++ (Buzzega et al., 2020).

Memories keep the scores that the parser gave their examples when they were stored. The loss (their
eq. 6) is that of the new examples, plus α times how far the scores have moved, plus β times the
loss of the memory examples. Theirs draws two sets of memory examples a step, one a term; here both
terms take the same, which halves the cost and leaves the expectation as it is. Memories are chosen
at a task's end, not along the way, and weighted as in EMR: L = L_D + Σ_i (α D_Mi + β L_Mi).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts.replay import Replay, ReplayOptions, replay_work
from core.methods.parts.scores import PairScores, Scores, distances, join, scores_by_slot, scores_of
from core.options import option
from core.parser.batch import Batch
from core.parser.output import Steps, dense_scores, log_probs_of
from core.registry import methods


@dataclass(frozen=True)
class DERPlusPlusOptions(ReplayOptions):
    """Replay, and how its two terms weigh."""

    alpha: float = option(
        0.5,
        "α: weight of the squared change of the stored scores, mean over the actions that were "
        "applicable, summed over steps",
        low=0.0,
        high=1e6,
        label="Weight α of stored scores",
    )
    beta: float = option(
        1.0,
        "β: weight of the memory rows' loss",
        low=0.0,
        high=1e6,
        label="Weight β of memory rows' loss",
    )


@methods.register(
    "derpp",
    label="DER++",
    rank=31,
    memory=True,
    sampler="random",
    past="the scores that memories had when they were stored",
)
class DERPlusPlus(Method):
    """Replays memories, and keeps the scores that they had when they were stored."""

    Options = DERPlusPlusOptions

    def set_up(self) -> None:
        self.replay = Replay(self)
        self.stored: dict[int, Scores] = {}  # task → of its memory's rows
        self._joined: tuple[int, Scores] | None = None

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        return self.replay.steps(k, self.batches(k))

    def work(self, k: int, stage: Stage) -> float:
        return replay_work(self, k)

    def loss(self, k: int, stage: Stage, step: TrainingStep) -> dict[str, Tensor]:
        if step.memory_indices is None:
            return super().loss(k, stage, step)
        # the current task's examples come first, those of memories after them
        batch, n = step.batch, step.n_current
        log_probs, scores = self._scored(batch, int(batch.steps[:n].sum()))
        losses = self.weighted_losses(step, log_probs)
        replayed = batch.take(torch.arange(n, len(batch)))
        moved = distances(self._past(k), step.memory_indices, replayed, scores)
        return {
            "current": losses[:n].sum(),
            "replay": self.options.beta * losses[n:].sum(),
            "distillation": self.options.alpha * (moved * step.weights[n:]).sum(),
        }

    def _scored(self, batch: Batch, first: int) -> tuple[Tensor, PairScores]:
        """log P of the gold actions, and the scores of the steps from number `first` on."""
        parser, states = self.parser, self.parser.teacher_forced(batch)[0]
        steps, rows = parser.steps(batch), parser.rows()
        if parser.applicable.by_slot_pays(steps.slots):
            of_replayed = Steps(*(values[first:] for values in steps))
            scores = scores_by_slot(states[first:], rows, of_replayed, parser.applicable)
            return parser.gold_log_probs(batch, states), scores
        table = dense_scores(states, parser.step_bias(batch), rows)  # (steps in all, actions)
        log_probs = log_probs_of(table, batch.gold, parser.smoothing)
        return log_probs, lambda step, action: table[first + step, action]

    def _past(self, k: int) -> Scores:
        """The stored scores of the tasks before k, in the order of `Replay.pool`."""
        if self._joined is None or self._joined[0] != k:
            self._joined = (k, join([self.stored[i] for i in range(k)]))
        return self._joined[1]

    def end_task(self, k: int) -> None:
        self.stored[k] = scores_of(self.parser, self.memories(k + 1)[k])

    def state(self) -> dict[str, Any]:
        return {"scores": {task: vars(scores) for task, scores in self.stored.items()}}

    def restore(self, state: dict[str, Any]) -> None:
        device = self.parser.device
        stored = state["scores"].items()
        self.stored = {int(task): Scores(**values).to(device) for task, values in stored}
