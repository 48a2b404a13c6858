"""Episodic memory activation and reconsolidation (Han et al., 2020), for the actions of a parser.

After a first stage of replay alone (`initial_epochs`), each epoch of task k is

1. prototypes: p_a = (c_a + Σ s_t) / (1 + n_a) over the n_a occurrences of a in the memories of all
   tasks up to k, dropout off, fixed during the epoch (their section 3.5);
2. activation: the examples of task k with the memories replayed, as in EMR (3.4);
3. reconsolidation: one pass over the examples in memory, each step classified by its similarity to
   the prototypes, L_R = −Σ_t log exp(p_{a_t} · s_t) / Σ_{a ∈ A_t} exp(p_a · s_t), mean over
   examples (3.5).

Prediction scores by p_a · s_t too (3.6), with prototypes computed anew when the task's memory has
been chosen. The similarity is the dot product, as in their code.

- In their prototypes the encoding of a relation's pattern counts as one more example, so that every
  class has one. An action's embedding c_a takes its place, as it does when Total Recall's release
  predicts. Without it (`pattern = none`) p_a is the mean of the states alone, and an action that no
  example in memory shows is predicted only where nothing else in A_t has a prototype.
- The memory of task k is chosen when the task ends; until then as many of its examples, drawn anew
  at every epoch, stand in for it.
- Evaluated within a task, the parser predicts by the prototypes of the epoch; in the first stage
  by its embeddings.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep, plain_step
from core.methods.parts.prototypes import PrototypeReadout, prototypes
from core.methods.parts.replay import Replay, ReplayOptions, replay_work
from core.options import option
from core.parser.batch import Batch, join, shuffled_parts
from core.registry import methods


@dataclass(frozen=True)
class EMAROptions(ReplayOptions):
    """Replay, and how prototypes are used."""

    initial_epochs: int = option(
        1,
        "epochs on a new task before prototypes are used (paper: 1)",
        low=0,
        high=1000,
        label="Passes before prototypes",
    )
    pattern: str = option(
        "embedding",
        "embedding: an action's embedding counts as one of its occurrences; none: prototypes are "
        "of states in memory alone",
        choices=("embedding", "none"),
        label="Prototypes are of",
    )


@methods.register("emar", label="EMAR", rank=32, memory=True, sampler="fss", internals="states s_t")
class EMAR(Method):
    """Replays memories, then learns to tell their actions by prototypes; predicts by prototypes."""

    Options = EMAROptions

    def set_up(self) -> None:
        self.rng = self.generators.for_arrays("reconsolidation")
        self.replay = Replay(self)
        self.readout = PrototypeReadout(self.parser)
        self.parser.readout = self.readout

    def stages(self, k: int) -> tuple[Stage, ...]:
        initial = Stage("initial", self.options.initial_epochs)
        return (initial,) * bool(initial.epochs) + (Stage("train", self.config.epochs),)

    def work(self, k: int, stage: Stage) -> float:
        replayed = replay_work(self, k)
        if stage.name == "initial":
            return replayed
        return replayed + sum(map(self.n_kept, range(k + 1)))

    def begin_task(self, k: int) -> None:
        self.readout.clear()

    def steps(self, k: int, stage: Stage) -> Iterator[TrainingStep]:
        if stage.name == "initial":
            yield from self.replay.steps(k, self.batches(k))
            return
        # 1. prototypes
        pool = join([*self.memories(k), self.stand_in(k)])
        self.hold(pool)
        # 2. activation
        yield from self.replay.steps(k, self.batches(k))
        # 3. reconsolidation
        for indices in shuffled_parts(pool, self.config.batch_size, self.rng):
            step = plain_step(pool.take(indices))
            yield TrainingStep(step.batch, step.weights, 0, "reconsolidation")

    def stand_in(self, k: int) -> Batch:
        """As many examples of task k as its memory will have."""
        examples = self.data[k]
        return examples.take(self.rng.choice(len(examples), self.n_kept(k), replace=False))

    def loss(self, k: int, stage: Stage, step: TrainingStep) -> dict[str, Tensor]:
        if step.kind != "reconsolidation":
            return super().loss(k, stage, step)
        rows = self.readout(self.parser.action_embedding)
        log_probs = self.parser.gold_log_probs(step.batch, rows=rows)
        loss = self.weighted_losses(step, log_probs).sum()
        return {"current": loss.new_zeros(()), "reconsolidation": loss}

    def end_task(self, k: int) -> None:
        self.hold(join(self.memories(k + 1)))

    def hold(self, pool: Batch) -> None:
        """Score by the prototypes of these examples from now on."""
        table, times = prototypes(self.parser, pool, self.should_stop)
        if self.options.pattern == "embedding":
            sums = table * times[:, None] + self.parser.action_embedding.detach()
            times = times + 1
            table = sums / times[:, None]
        self.readout.hold(table, times)
