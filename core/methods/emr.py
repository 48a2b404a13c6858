"""Episodic memory replay (Wang et al., 2019; Chaudhry et al., 2019)."""

from collections.abc import Iterable

from core.methods.base import Method, Stage, TrainingStep
from core.methods.parts.replay import Replay, ReplayOptions, replay_work
from core.registry import methods


@methods.register("emr", label="EMR", rank=30, memory=True, sampler="random")
class EMR(Method):
    """Trains on each new task together with the memories of the tasks before it."""

    Options = ReplayOptions

    def set_up(self) -> None:
        self.replay = Replay(self)

    def steps(self, k: int, stage: Stage) -> Iterable[TrainingStep]:
        return self.replay.steps(k, self.batches(k))

    def work(self, k: int, stage: Stage) -> float:
        return replay_work(self, k)
