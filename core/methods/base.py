"""What a method is: stages, the steps of an epoch, and what happens to gradients.

A method is one file: a class that registers itself, declares its options and overrides the hooks
that it needs. What methods share they hold (a Replay, a Penalty); they do not inherit from one
another.

Traits to register: `memory`, whether it needs examples of past tasks, and then `sampler`, the one
that chooses them in the method's own paper; `past`, what it needs of past tasks beside a memory;
`fisher`, whether it needs Fisher information (or under which option, in words); `internals`, what
of the parser's inside it reaches into.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.config import RunConfig
from core.generators import Generators
from core.methods.parts.sizes import Sizes
from core.parser.batch import Batch, shuffled_parts
from core.parser.model import Parser
from core.registry import NoOptions
from core.samplers.base import Memory
from core.stopping import ShouldStop, never


class Trainable(Enum):
    """Which parameters a stage trains."""

    ALL = "all"
    UNSEEN_ACTIONS = "the embeddings of the task's unseen actions"
    TASK_SPECIFIC = "these, and whatever else the task has for itself, such as its adapter"


@dataclass(frozen=True)
class Stage:
    """So many epochs on a task, and which parameters they train. TypeError: no Trainable."""

    name: str
    epochs: int
    trainable: Trainable = Trainable.ALL
    replay: bool = True  # whether memories take part, where the method has them
    penalty: bool = True  # whether a penalty holds the parameters, where the method has one

    def __post_init__(self) -> None:
        if not isinstance(self.trainable, Trainable):
            expected = ", ".join(map(str, Trainable))
            raise TypeError(f"stage {self.name}: {self.trainable!r}; expected one of {expected}.")


@dataclass(frozen=True)
class TrainingStep:
    """One optimizer step: examples, and the weight of each one's loss in the step's loss.

    The first `n_current` examples are the current task's, the others come from memories.
    """

    batch: Batch
    weights: Tensor  # (n,)
    n_current: int
    kind: str = ""  # for methods whose steps are not all of one kind
    memory_indices: Tensor | None = None  # of memory examples in the pool of all, on the CPU
    extra_rows: int = 0  # further examples that the method reads, to edit the gradients


def plain_step(batch: Batch) -> TrainingStep:
    """The mean loss of the examples."""
    n = len(batch)
    return TrainingStep(batch, torch.full((n,), 1 / n, device=batch.device), n)


class Method:
    """Learns one task after another; the base learns each by plain training, like fine-tuning.

    `data[i]` are the training examples of task i on the parser's device; a method may read those
    of the current task and, of past ones, those in memory (Oracle: all). A method that was made
    and not attached has `config`, `options` and `sizes` alone: enough for `stages` and `work`.
    """

    Options: type = NoOptions

    parser: Parser
    data: Sequence[Batch]
    memory: Memory
    generators: Generators

    def __init__(self, config: RunConfig, sizes: Sizes) -> None:
        self.config, self.sizes = config, sizes
        self.options: Any = config.options("method")
        self.should_stop: ShouldStop = never  # the run's: to be asked in what takes long

    def attach(
        self, parser: Parser, data: Sequence[Batch], memory: Memory, generators: Generators
    ) -> None:
        """Take hold of what is trained."""
        self.parser, self.data, self.memory, self.generators = parser, data, memory, generators
        self.set_up()

    def set_up(self) -> None:
        """Make what the method holds; the parser, data, memory and generators are there."""

    @classmethod
    def label(cls, options: Any) -> str:
        """What people call the method with these options; empty: its registered label."""
        return ""

    def task_parameters(self) -> int:
        """How many parameters the parser has for each task alone, embeddings of actions aside."""
        return 0

    # What is learned, in which stages. `stages`, `n_examples` and `work` need no parser.

    def stages(self, k: int) -> tuple[Stage, ...]:
        """The stages of task k; none where the task is not learned by itself."""
        return (Stage("train", self.config.epochs),)

    def n_examples(self, k: int) -> int:
        """How many examples `training_batch` has."""
        return self.sizes.train[k]

    def n_kept(self, i: int) -> int:
        """How many examples of task i its memory has once the task is learned."""
        return min(self.config.memory_size, self.sizes.train[i])

    def work(self, k: int, stage: Stage) -> float:
        """Examples that an epoch goes forwards and back through, memories included."""
        return float(self.n_examples(k))

    def begin_task(self, k: int) -> None:
        """Before the first stage of task k; task k's actions are known already."""

    def training_batch(self, k: int) -> Batch:
        """The examples that task k is learned from."""
        return self.data[k]

    def batches(self, k: int) -> Iterator[Batch]:
        """An epoch's batches of `training_batch(k)`, in a fresh random order."""
        examples = self.training_batch(k)
        rng = self.generators.for_arrays("order")
        for indices in shuffled_parts(examples, self.config.batch_size, rng):
            yield examples.take(indices)

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        """The steps of one epoch."""
        for batch in self.batches(k):
            yield plain_step(batch)

    # How parameters move, in the order in which a step calls it.

    def parameters(self, k: int, stage: Stage) -> list[torch.nn.Parameter]:
        """The parameters that the stage's optimizer sees; the others have no gradient."""
        if stage.trainable is Trainable.UNSEEN_ACTIONS:
            return [self.parser.action_embedding]
        return list(self.parser.parameters())

    def frozen_actions(self, k: int, stage: Stage) -> NDArray[np.bool_]:
        """(actions,) of bool: rows of the action embedding that stay as they are in this stage."""
        if stage.trainable is not Trainable.ALL:
            return ~self.parser.grammar.unseen(k)
        return np.zeros(len(self.parser.grammar.actions), dtype=bool)

    def loss(self, k: int, stage: Stage, step: TrainingStep) -> dict[str, Tensor]:
        """The step's loss in parts, whose sum is differentiated; `current` and `replay` at least.

        `current` is the mean loss of the current task's examples.
        """
        losses = self.weighted_losses(step)
        return {"current": losses[: step.n_current].sum(), "replay": losses[step.n_current :].sum()}

    def weighted_losses(self, step: TrainingStep, log_probs: Tensor | None = None) -> Tensor:
        """Each example's loss times its weight: (n,), by these log P of the steps or its own."""
        return self.parser.row_losses(step.batch, log_probs) * step.weights

    def edit_gradients(self, k: int, stage: Stage, step: TrainingStep) -> None:
        """Change the gradients that the loss has left."""

    def penalty(self, k: int, stage: Stage) -> Tensor | float:
        """Add a penalty's gradient to the gradients and return the penalty.

        Then the rows of `frozen_actions` lose theirs, the gradients are clipped, and Adam steps.
        """
        return 0.0

    def after_step(self, k: int, stage: Stage) -> None:
        """After the optimizer has moved the parameters."""

    # What is kept.

    def memories(self, k: int) -> list[Batch]:
        """The examples in the memory of each of the tasks before k."""
        return [self.data[i].take(self.memory.indices[i]) for i in range(k)]

    def end_task(self, k: int) -> None:
        """After the last stage of task k and after its memory has been chosen."""

    def diagnostics(self, k: int) -> dict[str, float]:
        """Numbers that describe the method after task k, named as people read them."""
        return {}

    def state(self) -> dict[str, Any]:
        """Tensors and plain values that `restore` needs to go on with the same bits."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Take back what `state` gave."""
