"""A run: the sequence of tasks, learned, evaluated and told as events.

`train` owns the loop over tasks, stages, epochs and steps; the method says what the steps are. A
position (task, stages and epochs done) and the states of everything that changes make a
checkpoint; going on from one gives the same bits as never having stopped (on a CPU).
"""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch

from core.config import RunConfig
from core.evaluation import EVALUATION_WORK, hypotheses, matches
from core.events import Accuracy, Diagnostics, Epoch, Event, MemoryStored, Progress, StageTime
from core.methods.base import Stage
from core.registry import methods
from core.samplers.base import select
from core.stopping import ShouldStop, check, never
from core.training.assembly import Learner
from core.training.stage_optimizer import StageOptimizer

Record = Callable[[Event], None]


class TrainingFailed(ValueError):  # noqa: N818 - as above
    """The run can't go on: the message says where it was and what to try."""


@dataclass(frozen=True)
class Position:
    """Where a run is: task k, so many stages of it done, so many epochs of the next one done."""

    task: int = 0
    stage: int = 0
    epoch: int = 0


def learning_rate(config: RunConfig, epoch: int, epochs: int) -> float:
    """Adam's step size in an epoch (from 0) of a stage of so many."""
    left = 1 - epoch / epochs if config.schedule == "linear" else 1.0
    return config.learning_rate * left


class _Run:
    """The loop of `train`, with what it needs to report and to save."""

    def __init__(
        self,
        learner: Learner,
        record: Record,
        should_stop: ShouldStop,
        save: Callable[[dict], None] | None,
        save_parser: Callable[[int, dict], None] | None,
    ) -> None:
        self.learner, self.method, self.parser = learner, learner.method, learner.parser
        self.record, self.should_stop = record, should_stop
        self.save, self.save_parser = save, save_parser
        self.recorder = learner.recorder
        self.total = learner.work()
        self.done = 0.0
        self.stage_seconds, self.recording_seconds = 0.0, 0.0

    def go(self, resume: dict | None) -> None:
        """From the start, or from where a checkpoint stands, to the end."""
        position, optimizer_state = Position(), None
        if resume is not None:
            position, optimizer_state = Position(*resume["position"]), resume["optimizer"]
            self.stage_seconds, self.recording_seconds = resume.get("seconds", (0.0, 0.0))
            self.done = self.learner.work_done(position.task, position.stage, position.epoch)
        self._note(self.recorder.at_start())
        for k in range(position.task, len(self.learner.tasks)):
            at = position if k == position.task else Position(k)
            self.parser.set_known_tasks(k)
            if at == Position(k):
                self.method.begin_task(k)
                self.recording_seconds = 0.0
            for number, stage in enumerate(self.method.stages(k)):
                first = at.epoch if number == at.stage else 0
                if number >= at.stage:
                    self._stage(k, number, stage, first, optimizer_state if first else None)
            self._finish_task(k)

    def _stage(
        self, k: int, number: int, stage: Stage, first: int, optimizer_state: dict | None
    ) -> None:
        descent = StageOptimizer(self.method, k, stage)
        if optimizer_state is not None:
            descent.optimizer.load_state_dict(optimizer_state)
        self.stage_seconds = self.stage_seconds if first else 0.0
        for epoch in range(first, stage.epochs):
            self._epoch(k, number, stage, epoch, descent)
            errors = self.recorder.after_epoch(k, stage.name, epoch, number)
            self._note(errors, self.recorder.epoch_work(k))
            over = epoch + 1 == stage.epochs
            if over:
                work = self.learner.stage_work(k, stage)
                self.record(StageTime(k, stage.name, self.stage_seconds, work))
            after = Position(k, number + 1, 0) if over else Position(k, number, epoch + 1)
            self._checkpoint(after, None if over else descent.optimizer.state_dict())
        descent.end()

    def _epoch(
        self, k: int, number: int, stage: Stage, epoch: int, descent: StageOptimizer
    ) -> None:
        began, start = time.perf_counter(), self.done
        descent.set_rate(learning_rate(self.learner.config, epoch, stage.epochs))
        work = self.method.work(k, stage)
        sums: dict[str, float] = {"current": 0.0}
        rows, steps, trained = 0, 0, 0
        self.parser.train()
        for step in self.method.steps(k, stage):
            check(self.should_stop)
            parts = descent.step(step)
            if not math.isfinite(sum(parts.values())):
                raise TrainingFailed(
                    f"the loss is not finite in task {k + 1} "
                    f"({self.learner.tasks[k].name}), stage {stage.name}, epoch {epoch + 1}: "
                    "try a lower learning_rate, a lower clip_norm or a lower penalty weight."
                )
            rows, steps, trained = (
                rows + step.n_current,
                steps + 1,
                trained + len(step.batch) + step.extra_rows,
            )
            sums["current"] += parts.pop("current") * step.n_current
            for name, part in parts.items():
                sums[name] = sums.get(name, 0.0) + part
            self.done = start + min(trained, work)
            mean = sums["current"] / max(rows, 1)
            self.record(Progress(self.done, self.total, k, stage.name, epoch, stage.epochs, mean))
        self.done = start + work
        seconds = time.perf_counter() - began
        self.stage_seconds += seconds
        counts = {"current": rows}
        parts = {name: part / max(counts.get(name, steps), 1) for name, part in sums.items()}
        self.record(Epoch(k, stage.name, epoch, sum(parts.values()), rows, seconds, parts, number))

    def _finish_task(self, k: int) -> None:
        learner, tasks = self.learner, self.learner.tasks
        if methods[learner.config.method].memory:
            began = time.perf_counter()
            rng = learner.generators.for_arrays("sampler")
            chosen = select(learner.config, tasks[k].train, rng, self.parser, self.should_stop)
            learner.memory.keep(k, chosen)
            self.record(MemoryStored(k, chosen.indices, chosen.trace))
            self.record(StageTime(k, "sampling", time.perf_counter() - began, 0.0))
        self.method.end_task(k)
        told = self.method.diagnostics(k)
        if told:
            self.record(Diagnostics(k, tuple(told), tuple(told.values())))
        if self.method.stages(k):
            self._evaluate(k)
            if self.save_parser:
                self.save_parser(k, {"parser": self.parser.state_dict(), "task": k})
        self._checkpoint(Position(k + 1), None)

    def _evaluate(self, k: int) -> None:
        seconds = 0.0
        for i in range(k + 1):
            began, learner = time.perf_counter(), self.learner
            found = hypotheses(self.parser, learner.test_batches[i], self.should_stop)
            right = matches(found, learner.tasks[i].test, learner.writer)
            self.record(Accuracy(k, i, int(right.sum()), len(right)))
            self.done += EVALUATION_WORK * len(right)
            seconds += time.perf_counter() - began
            told = self.recorder.after_parsing(k, i, found, right, self.should_stop)
            self._note(told, self.recorder.predictions_work(i))
            self._note(
                self.recorder.after_task(k, i, self.should_stop), self.recorder.actions_work(i)
            )
        self.record(StageTime(k, "evaluation", seconds, self.learner.evaluation_work(k)))
        work = self.learner.recording_work(k)
        if work:
            self.record(StageTime(k, "recording", self.recording_seconds, work))

    def _note(self, events: Iterable[Event], work: float = 0.0) -> None:
        """Tell what the recorder reads; its time counts for itself."""
        began = time.perf_counter()
        for event in events:
            self.record(event)
        self.recording_seconds += time.perf_counter() - began
        self.done += work

    def _checkpoint(self, position: Position, optimizer: dict | None) -> None:
        if self.save:
            where = [position.task, position.stage, position.epoch]
            seconds = [self.stage_seconds, self.recording_seconds]
            told = {"position": where, "seconds": seconds, "optimizer": optimizer}
            self.save({**told, **self.learner.state()})


def train(
    config: RunConfig,
    record: Record,
    should_stop: ShouldStop = never,
    *,
    resume: dict | None = None,
    save: Callable[[dict], None] | None = None,
    save_parser: Callable[[int, dict], None] | None = None,
) -> Learner:
    """Learn the run's tasks one after the other and tell it as events; returns what was learned.

    `save` takes a checkpoint at every epoch's and task's end, `resume` is such a checkpoint,
    `save_parser(k, state)` takes the parser after task k. Stopped, TrainingFailed, ConfigError and
    DataError end it early; after Stopped the last checkpoint is that of the last epoch's end.
    """
    torch.set_num_threads(config.threads)
    learner = Learner(config)
    record(learner.facts())
    if resume is not None:
        learner.restore(resume)
    _Run(learner, record, should_stop, save, save_parser).go(resume)
    return learner
