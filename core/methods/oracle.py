"""The Oracle: one training on the examples of all tasks so far, the upper bound."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.methods.base import Method, Stage, Trainable
from core.methods.parts.adapters import adapters_option, attach, formula_option
from core.methods.parts.variants import variant
from core.options import option, plain
from core.parser.batch import Batch, join
from core.registry import methods


@dataclass(frozen=True)
class OracleOptions:
    """When the Oracle trains, and whether tasks have adapters."""

    retrain: str = option(
        "last",
        "last: once, on all tasks together, as in the paper; every: from scratch at every task, "
        "on all tasks so far, for a whole curve",
        choices=("last", "every"),
        label="Trained",
    )
    fast_epochs: int = option(
        0,
        "epochs in which action embeddings alone are trained, first (none in the release)",
        low=0,
        high=1000,
        earlier=5,
        label="Passes in a fast stage",
    )
    adapters: str = adapters_option()
    adapter_formula: str = formula_option()


@methods.register(
    "oracle",
    label="Oracle",
    rank=90,
    memory=False,
    past="all training rows of past tasks",
    internals="decoder states h with adapters = full or without_cross",
)
class Oracle(Method):
    """Trains once on the examples of all tasks; nothing continual about it."""

    Options = OracleOptions

    def set_up(self) -> None:
        self.adapters = attach(self)

    @classmethod
    def label(cls, options: OracleOptions) -> str:
        return "Oracle" + variant(plain(options))

    def task_parameters(self) -> int:
        return 0 if self.adapters is None else self.adapters.n_per_task

    def stages(self, k: int) -> tuple[Stage, ...]:
        if self.options.retrain == "last" and k < len(self.sizes.tasks) - 1:
            return ()
        fast = Stage("fast", self.options.fast_epochs, Trainable.UNSEEN_ACTIONS)
        return (fast,) * bool(fast.epochs) + (Stage("train", self.config.epochs),)

    def begin_task(self, k: int) -> None:
        if k and self.stages(k):
            self.parser.initialise()
            if self.adapters is not None:
                self.adapters.initialise()

    def n_examples(self, k: int) -> int:
        return sum(self.sizes.train[: k + 1])

    def training_batch(self, k: int) -> Batch:
        return join(self.data[: k + 1])

    def frozen_actions(self, k: int, stage: Stage) -> NDArray[np.bool_]:
        """The start is from scratch: all known actions are unseen."""
        return ~self.parser.grammar.known(k)
