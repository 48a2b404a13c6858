"""What a run has to do, known before anything is built: its work, and what it records beside.

The unit of work is an example trained on. Counting takes the data, the method's stages and, for
examples whose error is measured, the grammar; no parser, nothing encoded.
"""

from collections.abc import Sequence
from functools import cache

from core.config import RunConfig
from core.data.base import Task
from core.evaluation import EVALUATION_WORK
from core.language.grammar import Grammar
from core.methods.base import Method, Stage
from core.methods.parts.sizes import Sizes
from core.probes.error_curves import error_work
from core.probes.plan import RecordingCosts, RecordingPlan, describe, everything, within
from core.registry import methods


class Workload:
    """The work of a run and of its parts, and the recording that its budget allows."""

    def __init__(
        self, config: RunConfig, tasks: Sequence[Task], grammar: Grammar | None = None
    ) -> None:
        """`grammar`: of the tasks, where it is built already."""
        sizes = Sizes(tuple(tasks))
        self.config, self.tasks = config, tasks
        self.method: Method = methods[config.method].value(config, sizes)
        self._test = sizes.test

        @cache
        def errors(n_rows: int) -> list[float]:
            derivations = [[e.derivation for e in task.train] for task in tasks]
            rules = grammar or Grammar(derivations, config.applicable)
            return error_work(config, tasks, rules, n_rows)

        stages = [self.method.stages(k) for k in range(len(tasks))]
        epochs = [tuple(stage.epochs for stage in of_task) for of_task in stages]
        self._costs = RecordingCosts(sizes.train, sizes.test, epochs, errors)
        self._whole = everything(config, self._costs)
        training = sum(
            self.stage(k, stage) for k, of_task in enumerate(stages) for stage in of_task
        )
        self.training = training
        budget = config.recording_budget * training
        self.plan: RecordingPlan = within(budget, self._whole, self._costs)

    def stage(self, k: int, stage: Stage) -> float:
        """All epochs of a stage of task k."""
        return stage.epochs * self.method.work(k, stage)

    def evaluation(self, k: int) -> float:
        """acc[k, ·]; nothing where task k is not learned by itself."""
        return EVALUATION_WORK * sum(self._test[: k + 1]) if self.method.stages(k) else 0.0

    def errors(self, k: int, epoch: int, epochs: int) -> float:
        """What is recorded after this epoch (from 0) of a stage of so many on task k."""
        return self._costs.errors(self.plan, k) if self.plan.measures(epoch, epochs) else 0.0

    def predictions(self, k: int, i: int) -> float:
        """What is recorded of task i's parses after task k."""
        return self._costs.predictions(self.plan, i) if i in self.plan.looked_at(k) else 0.0

    def actions(self, k: int, i: int) -> float:
        """What is recorded of task i's actions after task k."""
        return self._costs.actions(self.plan, i) if i in self.plan.looked_at(k) else 0.0

    def recording(self, k: int) -> float:
        """All that is recorded of task k beside acc[k, ·]."""
        return self._costs.task(self.plan, k)

    def total(self) -> float:
        """The whole run."""
        return self.done(len(self.tasks))

    def done(self, k: int, stages: int = 0, epochs: int = 0) -> float:
        """All of the tasks before k, so many stages of k and so many epochs of the next one."""
        work = 0.0
        for i in range(k):
            work += sum(self.stage(i, stage) for stage in self.method.stages(i))
            work += self.evaluation(i) + self.recording(i)
        for number, stage in enumerate(self.method.stages(k) if stages or epochs else ()):
            n = stage.epochs if number < stages else epochs if number == stages else 0
            recorded = sum(self.errors(k, epoch, stage.epochs) for epoch in range(n))
            work += n * self.method.work(k, stage) + recorded
        return work

    @property
    def is_reduced(self) -> bool:
        """Whether less is recorded than the settings ask for: the budget allows no more."""
        return self.plan != self._whole

    def recording_text(self) -> str:
        """What the run records, and its share of the work of training, in a sentence."""
        share = self._costs.total(self.plan) / max(self.training, 1.0)
        return describe(self.plan, self._whole, share)
