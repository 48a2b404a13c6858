"""ProtoParser (Li et al., 2021, "Few-shot semantic parsing for new predicates") with replay.

As Total Recall's paper customises it: trained on each task's rows together with the memories.

- A new task's actions: before the first step of a task (but the first), the embedding of each
  action that no earlier task has shown becomes its prototype, c_a ← p_a, the mean of s_t over the
  occurrences of a in the new task's training rows, dropout off.
- Episodes: after every plain step (as in EMR) comes one episode, as in their code. It draws
  `episode_forms` logical forms that have two rows or more among the current task's rows and those
  in memory; of each form one row is support, up to `episode_queries` others are queries. Support
  rows give prototypes, p_a = mean of s_t over their occurrences of a, and the loss is that of the
  queries with c'_a · s_t for c_a · s_t: c'_a = p_a where the support shows a, but c_a with
  probability `predicate_dropout`, and c_a elsewhere. Gradients flow through prototypes and
  embeddings; dropout is on. The decoder's inputs are the embeddings c_a throughout.
- Prediction is the parser's own, by embeddings.

Left out: their attention regularisation and label smoothing, which need alignment statistics that
these data don't have and which Total Recall's paper does not mention.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts.prototypes import means, prototypes
from core.methods.parts.replay import Replay, ReplayOptions
from core.options import option
from core.parser.batch import Batch, join
from core.registry import methods


@dataclass(frozen=True)
class ProtoParserOptions(ReplayOptions):
    """Replay, and the episodes."""

    episode_forms: int = option(30, "logical forms of an episode (source: 30)", low=1, high=4096)
    episode_queries: int = option(
        15, "rows at most that are asked of each form (source: 15)", low=1, high=4096
    )
    predicate_dropout: float = option(
        0.5, "share of prototypes replaced by embeddings (source: 0.5)", low=0.0, high=1.0
    )


class Forms:
    """Rows by their logical form, for drawing episodes."""

    def __init__(self, rows: Batch) -> None:
        self.rows = rows
        _, self._form = np.unique(rows.actions.cpu().numpy(), axis=0, return_inverse=True)
        self._form = self._form.reshape(-1)
        self.sizes = np.bincount(self._form)
        self.askable = np.flatnonzero(self.sizes > 1)

    def draw(self, forms: int, queries: int, rng: np.random.Generator) -> tuple[Batch, int]:
        """Rows of an episode, a support row of each form first, and how many those are."""
        drawn = rng.choice(self.askable, min(forms, len(self.askable)), replace=False)
        rows = np.flatnonzero(np.isin(self._form, drawn))
        rows = rows[np.lexsort((rng.random(len(rows)), self._form[rows]))]
        form = self._form[rows]
        rank = np.arange(len(rows)) - np.searchsorted(form, form)  # among the rows of its form
        support, query = rows[rank == 0], rows[(rank > 0) & (rank <= queries)]
        return self.rows.take(np.concatenate([support, query])), len(support)

    def expected(self, forms: int, queries: int) -> float:
        """Rows of an episode in the mean."""
        sizes = self.sizes[self.askable]
        asked = 1 + np.minimum(sizes - 1, queries)
        return float(min(forms, len(sizes)) * asked.mean()) if len(sizes) else 0.0


@methods.register(
    "protoparser", label="ProtoParser", rank=36, memory=True, sampler="random",
    internals="states s_t",
)  # fmt: skip
class ProtoParser(Method):
    """Starts new actions from prototypes and learns in episodes, with the memories replayed."""

    Options = ProtoParserOptions

    def set_up(self) -> None:
        self.rng = self.generators.for_arrays("episodes")
        replayed = self.generators.for_arrays("replay")
        self.replay = Replay(self.options, self.memory, self.data, replayed)
        self._expected: dict[int, float] = {}

    @torch.no_grad()
    def begin_task(self, k: int) -> None:
        if k == 0:  # nothing has been learned that prototypes could be made of
            return
        table, _ = prototypes(self.parser, self.data[k])
        unseen = torch.from_numpy(self.parser.grammar.unseen(k)).to(table.device)
        self.parser.action_embedding[unseen] = table[unseen]

    def steps(self, k: int, stage: Stage) -> Iterator[TrainingStep]:
        forms = Forms(join([self.data[k], *self.memories(k)]))
        for step in self.replay.steps(k, self.batches(k)):
            yield step
            if len(forms.askable):
                yield self.episode(forms)

    def episode(self, forms: Forms) -> TrainingStep:
        """The rows of one episode; those of the support have weight 0."""
        options = self.options
        batch, support = forms.draw(options.episode_forms, options.episode_queries, self.rng)
        weights = torch.zeros(len(batch))
        weights[support:] = 1 / (len(batch) - support)
        return TrainingStep(batch, weights.to(batch.words.device), 0, "episode")

    def loss(self, k: int, stage: Stage, step: TrainingStep) -> dict[str, Tensor]:
        if step.kind != "episode":
            return super().loss(k, stage, step)
        parser, batch = self.parser, step.batch
        support = int((step.weights == 0).sum())
        states, embedding = parser.teacher_forced(batch)[0], parser.action_embedding
        steps = int(batch.steps[:support].sum())  # those of the support come first
        table, times = means(states[:steps], batch.gold[:steps], len(embedding))
        kept = self.rng.random(len(embedding)) >= self.options.predicate_dropout
        used = (times > 0) & torch.from_numpy(kept).to(times.device)
        table = torch.where(used[:, None], table, embedding)
        scores = torch.addmm(parser.step_bias(batch), states, table.t())
        loss = self.weighted_losses(step, scores).sum()
        return {"current": loss.new_zeros(()), "episode": loss}

    def work(self, k: int, stage: Stage) -> float:
        if k not in self._expected:
            options = self.options
            drawn = Forms(self.data[k])
            self._expected[k] = drawn.expected(options.episode_forms, options.episode_queries)
        rows, size = len(self.training_batch(k)), self.config.batch_size
        replayed = self.replay.work(k, rows, size, self.config.memory_size)
        return replayed + -(-rows // size) * self._expected[k]
