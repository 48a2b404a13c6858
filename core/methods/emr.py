"""Episodic memory replay (Wang et al., 2019; Chaudhry et al., 2019)."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.methods.base import Method, Stage, Trainable, TrainingStep
from core.methods.parts.replay import Replay, ReplayOptions, replay_work
from core.options import option
from core.registry import methods


@dataclass(frozen=True)
class EMROptions(ReplayOptions):
    """Replay, and a fast stage before it."""

    fast_epochs: int = option(
        0,
        "epochs before the others in which the embeddings of unseen actions alone are trained, "
        "without replay (the paper's release: 5)",
        low=0,
        high=1000,
        label="Passes in a fast stage",
    )


@methods.register("emr", label="EMR", rank=30, memory=True, sampler="random")
class EMR(Method):
    """Trains on each new task together with the memories of the tasks before it."""

    Options = EMROptions

    def set_up(self) -> None:
        self.replay = Replay(self)

    def stages(self, k: int) -> tuple[Stage, ...]:
        epochs = self.options.fast_epochs
        fast = Stage("fast", epochs, Trainable.UNSEEN_ACTIONS, replay=False)
        return (fast,) * bool(epochs) + super().stages(k)

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        return self.replay.steps(k if stage.replay else 0, self.batches(k))

    def work(self, k: int, stage: Stage) -> float:
        return replay_work(self, k) if stage.replay else super().work(k, stage)
