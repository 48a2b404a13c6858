"""ProtoParser (Li et al., 2021, "Few-shot semantic parsing for new predicates") with replay.

As Total Recall's paper customises it: trained on each task's examples together with the memories.

- A new task's actions: before the first step of a task (but the first), the embedding of each
  action that no earlier task has shown becomes its prototype, c_a ← p_a, the mean of s_t over the
  occurrences of a in the new task's training examples, dropout off.
- Episodes: one draws `episode_forms` logical forms that have two examples or more among the current
  task's and those in memory; of each form one example is support, up to `episode_queries` others
  are queries. Support examples give prototypes, p_a = mean of s_t over their occurrences of a, and
  the loss is that of the queries with c'_a · s_t for c_a · s_t: c'_a = p_a where the support shows
  a, but c_a with probability `predicate_dropout`, and c_a elsewhere. Gradients flow through
  prototypes and embeddings; dropout is on. The decoder's inputs are the embeddings c_a throughout.
  The loss of an episode joins every second step's (`episodes = joined`), so that there are as many
  updates as in EMR; or an episode is a step more after each (`extra`); or, as in Total Recall's
  release, there are none, and every second step first overwrites c_a with p_a (`overwrite`).
- Prediction is the parser's own, by embeddings.

Left out: their attention regularisation and label smoothing, which need alignment statistics that
these data don't have and which Total Recall's paper does not mention.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts.prototypes import means, prototypes
from core.methods.parts.replay import Replay, ReplayOptions, n_steps, replay_work
from core.options import option
from core.parser.batch import Batch, join
from core.parser.moving import moved
from core.parser.output import Rows
from core.registry import methods

_EPISODES = ("episodes", "joined", "extra")


@dataclass(frozen=True)
class ProtoParserOptions(ReplayOptions):
    """Replay, and the episodes."""

    episodes: str = option(
        "joined",
        "how prototypes are learned from. joined: every second step's loss has that of an episode "
        "in it, with as many updates as EMR; extra: an episode is an update more after each step; "
        "overwrite: every second step first sets the embeddings of its rows' actions to their "
        "prototypes, and there are no episodes (the paper's release)",
        choices=("joined", "extra", "overwrite"),
        earlier="extra",
    )
    episode_forms: int = option(
        30,
        "logical forms of an episode (source: 30)",
        low=1,
        high=4096,
        when=_EPISODES,
        label="Logical forms of an episode",
    )
    episode_queries: int = option(
        15,
        "rows at most that are asked of each form (source: 15)",
        low=1,
        high=4096,
        when=_EPISODES,
        label="Rows asked of each form",
    )
    predicate_dropout: float = option(
        0.5,
        "share of prototypes replaced by embeddings (source: 0.5)",
        low=0.0,
        high=1.0,
        label="Share of embeddings among prototypes",
    )


@dataclass(frozen=True)
class Episode(TrainingStep):
    """The examples of an episode; those of the support, with weight 0, come first."""

    n_support: int = 0


@dataclass(frozen=True)
class JoinedStep(TrainingStep):
    """A step whose loss has that of an episode in it."""

    episode: Episode | None = None


class Forms:
    """Examples by their logical form, for drawing episodes."""

    def __init__(self, examples: Batch) -> None:
        self.examples = examples
        _, form = np.unique(examples.actions.cpu().numpy(), axis=0, return_inverse=True)
        self._form = form.reshape(-1)  # of each example
        self.repeated = np.flatnonzero(np.bincount(self._form) > 1)

    def draw(self, n_forms: int, n_queries: int, rng: np.random.Generator) -> tuple[Batch, int]:
        """Examples of an episode, one support of each form first, and how many those are."""
        forms = rng.choice(self.repeated, min(n_forms, len(self.repeated)), replace=False)
        indices = np.flatnonzero(np.isin(self._form, forms))
        indices = indices[np.lexsort((rng.random(len(indices)), self._form[indices]))]
        form = self._form[indices]
        rank = np.arange(len(indices)) - np.searchsorted(form, form)  # among its form's examples
        support, queries = indices[rank == 0], indices[(rank > 0) & (rank <= n_queries)]
        return self.examples.take(np.concatenate([support, queries])), len(support)


def expected_size(sizes: Sequence[int], n_forms: int, n_queries: int) -> float:
    """Examples of an episode in the mean, where each form has so many examples."""
    repeated = [size for size in sizes if size > 1]
    if not repeated:
        return 0.0
    of_form = [1 + min(size - 1, n_queries) for size in repeated]  # support and queries
    return min(n_forms, len(repeated)) * float(np.mean(of_form))


@methods.register(
    "protoparser",
    label="ProtoParser",
    rank=36,
    memory=True,
    sampler="random",
    internals="states s_t",
)
class ProtoParser(Method):
    """Starts new actions from prototypes and learns in episodes, with the memories replayed."""

    Options = ProtoParserOptions

    def set_up(self) -> None:
        self.rng = self.generators.for_arrays("episodes")
        self.replay = Replay(self)

    def work(self, k: int, stage: Stage) -> float:
        options = self.options
        n: int = n_steps(self, k) + k * (options.replay == "sweep")  # one for each memory
        episode = expected_size(self.sizes.forms[k], options.episode_forms, options.episode_queries)
        n_episodes = {"joined": n // 2, "extra": n, "overwrite": 0}[options.episodes]
        return replay_work(self, k) + n_episodes * episode

    @torch.no_grad()
    def begin_task(self, k: int) -> None:
        if k == 0:  # nothing has been learned that prototypes could be made of
            return
        table, _ = prototypes(self.parser, self.data[k], self.should_stop)
        unseen = torch.from_numpy(self.parser.grammar.unseen(k)).to(table.device)
        self.parser.action_embedding[unseen] = table[unseen]

    def steps(self, k: int, stage: Stage) -> Iterator[TrainingStep]:
        forms = Forms(join([self.data[k], *self.memories(k)]))
        has_episodes = len(forms.repeated) > 0
        for number, step in enumerate(self.replay.steps(k, self.batches(k))):
            second = number % 2 == 1
            if self.options.episodes == "joined" and second and has_episodes:
                yield self.joined(step, self.episode(forms))
            elif self.options.episodes == "overwrite" and second:
                yield replace(step, kind="overwrite")
            else:
                yield step
            if self.options.episodes == "extra" and has_episodes:
                yield self.episode(forms)

    def joined(self, step: TrainingStep, episode: Episode) -> JoinedStep:
        """The step with an episode's loss in its own."""
        parts = {item.name: getattr(step, item.name) for item in fields(step)}
        more = {"kind": "joined", "extra_rows": len(episode.batch)}
        return JoinedStep(**{**parts, **more}, episode=episode)

    def episode(self, forms: Forms) -> Episode:
        """The examples of one episode; those of the support have weight 0."""
        options = self.options
        batch, n_support = forms.draw(options.episode_forms, options.episode_queries, self.rng)
        weights = torch.zeros(len(batch))
        weights[n_support:] = 1 / (len(batch) - n_support)
        weights = moved(weights, batch.device)
        return Episode(batch, weights, 0, "episode", n_support=n_support)

    def loss(self, k: int, stage: Stage, step: TrainingStep) -> dict[str, Tensor]:
        if isinstance(step, Episode):
            return {"current": step.weights.new_zeros(()), "episode": self.episode_loss(step)}
        if step.kind == "overwrite":
            self.overwrite(step.batch)
        losses = super().loss(k, stage, step)
        if isinstance(step, JoinedStep) and step.episode is not None:
            losses["episode"] = self.episode_loss(step.episode)
        return losses

    @torch.no_grad()
    def overwrite(self, batch: Batch) -> None:
        """c_a ← p_a of the actions that the examples show, but for a share drawn by chance."""
        table, times = prototypes(self.parser, batch)
        replaced = (times > 0) & self._not_dropped(times)
        embedding = self.parser.action_embedding
        embedding.copy_(torch.where(replaced[:, None], table, embedding))

    def _not_dropped(self, times: Tensor) -> Tensor:
        """Which actions keep their prototype: (actions,) of bool."""
        kept = self.rng.random(len(times)) >= self.options.predicate_dropout
        return moved(torch.from_numpy(kept), times.device)

    def episode_loss(self, step: Episode) -> Tensor:
        """The mean loss of an episode's queries, scored by the prototypes of its support."""
        parser, batch, embedding = self.parser, step.batch, self.parser.action_embedding
        states, _ = parser.teacher_forced(batch)
        # prototypes of the support, whose steps come first
        n_support_steps = int(batch.steps[: step.n_support].sum())
        gold = batch.gold[:n_support_steps]
        table, times = means(states[:n_support_steps], gold, len(embedding))
        # c'_a: the prototype, or by chance and where there is none the embedding
        used = (times > 0) & self._not_dropped(times)
        table = torch.where(used[:, None], table, embedding)
        # the loss of the queries
        log_probs = parser.gold_log_probs(batch, states, Rows(table))
        return self.weighted_losses(step, log_probs).sum()
