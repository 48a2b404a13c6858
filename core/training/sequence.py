"""A run: the sequence of tasks, learned, evaluated and recorded as events.

`train` owns the loop over tasks, stages, epochs and steps; the method says what the steps are. A
position (task, stages and epochs done) and the states of everything that changes make a
checkpoint; going on from one gives the same bits as never having stopped (on a CPU).
"""

import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import torch

from core.config import RunConfig
from core.evaluation import EVALUATION_WORK, hypotheses_by_task, matches
from core.events import Accuracy, Diagnostics, Epoch, Event, MemoryStored, Progress, StageTime
from core.methods.base import Stage
from core.registry import methods
from core.samplers.base import select
from core.stopping import ShouldStop, check, never
from core.training.assembly import Learner
from core.training.devices import choose_device, own_stream
from core.training.losses import EpochLosses
from core.training.position import Position
from core.training.precision import products
from core.training.resuming import restore, restore_optimizer
from core.training.stage_optimizer import StageOptimizer, learning_rate, run_optimizer

Record = Callable[[Event], None]
Checkpoint = dict[str, Any]  # plain values and tensors


class TrainingFailed(ValueError):  # noqa: N818 - what happened, not a kind of error
    """The run can't go on: the message says where it was and what to try."""


class _Run:
    """The loop of `train`, with what it needs to report and to save."""

    def __init__(
        self,
        learner: Learner,
        record: Record,
        should_stop: ShouldStop,
        save: Callable[[Checkpoint], None] | None,
        save_parser: Callable[[int, Checkpoint], None] | None,
    ) -> None:
        self.learner, self.method, self.parser = learner, learner.method, learner.parser
        self.record, self.should_stop = record, should_stop
        self.save, self.save_parser = save, save_parser
        self.recorder, self.workload = learner.recorder, learner.workload
        self.method.should_stop = should_stop
        self.kept = run_optimizer(self.method)
        self.total = self.workload.total()
        self.done = 0.0
        self.stage_seconds, self.recording_seconds = 0.0, 0.0

    def go(self, resume: Checkpoint | None) -> None:
        """From the start, or from where a checkpoint stands, to the end."""
        position, optimizer_state = Position(), None
        if resume is not None:
            position, optimizer_state = Position(*resume["position"]), resume["optimizer"]
            self.stage_seconds, self.recording_seconds = resume.get("seconds", (0.0, 0.0))
            self.done = self.workload.done(position.task, position.stage, position.epoch)
            if self.kept is not None:
                restore_optimizer(self.kept, optimizer_state)
                optimizer_state = None
        self._note(self.recorder.at_start())
        for k in range(position.task, len(self.learner.tasks)):
            start = position if k == position.task else Position(k)
            self.parser.set_known_tasks(k)
            if start == Position(k):
                self.method.begin_task(k)
                self.recording_seconds = 0.0
            for number, stage in enumerate(self.method.stages(k)):
                first = start.epoch if number == start.stage else 0
                if number >= start.stage:
                    self._stage(k, number, stage, first, optimizer_state if first else None)
            self._finish_task(k)

    def _stage(self, k: int, number: int, stage: Stage, first: int, optimizer_state: Any) -> None:
        kept = [self.kept] if self.kept is not None else []
        optimizer = StageOptimizer(self.method, k, stage, *kept)
        if optimizer_state is not None:
            restore_optimizer(optimizer.adam, optimizer_state)
        self.stage_seconds = self.stage_seconds if first else 0.0
        for epoch in range(first, stage.epochs):
            self._epoch(k, number, stage, epoch, optimizer)
            errors = self.recorder.after_epoch(k, stage.name, epoch, stage.epochs, number)
            self._note(errors, self.workload.errors(k, epoch, stage.epochs))
            is_last = epoch + 1 == stage.epochs
            if is_last:
                work = self.workload.stage(k, stage)
                self.record(StageTime(k, stage.name, self.stage_seconds, work))
            after = Position(k, number + 1, 0) if is_last else Position(k, number, epoch + 1)
            self._checkpoint(after, None if is_last else optimizer.adam.state_dict())
        optimizer.end()

    def _epoch(
        self, k: int, number: int, stage: Stage, epoch: int, optimizer: StageOptimizer
    ) -> None:
        began, start = time.perf_counter(), self.done
        optimizer.set_rate(learning_rate(self.learner.config, epoch, stage.epochs))
        work = self.method.work(k, stage)
        losses, trained, mean = EpochLosses(self.learner.device), 0, 0.0
        self.parser.train()
        for step in self.method.steps(k, stage):
            check(self.should_stop)
            losses.add(optimizer.step(step), step.n_current)
            trained += len(step.batch) + step.extra_rows
            self.done = start + min(trained, work)
            if losses.due:
                mean = self._finite(losses.means(), k, stage, epoch)["current"]
            self._progress(k, stage, epoch, mean)
        means = self._finite(losses.means(), k, stage, epoch)
        self.done = start + work
        seconds = time.perf_counter() - began
        self.stage_seconds += seconds
        loss = sum(means.values())
        self.record(Epoch(k, stage.name, epoch, loss, losses.n_current, seconds, means, number))

    def _finite(
        self, means: dict[str, float], k: int, stage: Stage, epoch: int
    ) -> dict[str, float]:
        """The parts of the loss; TrainingFailed where they are not finite."""
        if math.isfinite(sum(means.values())):
            return means
        raise TrainingFailed(
            f"the loss is not finite in task {k + 1} ({self.learner.tasks[k].name}), stage "
            f"{stage.name}, epoch {epoch + 1}: try a lower learning_rate, a lower clip_norm or a "
            "lower penalty weight."
        )

    def _finish_task(self, k: int) -> None:
        learner = self.learner
        # the memory of the task
        if methods[learner.config.method].memory:
            began = time.perf_counter()
            rng, examples = learner.generators.for_arrays("sampler"), learner.tasks[k].train
            chosen = select(learner.config, examples, rng, self.parser, self.should_stop)
            learner.memory.keep(k, chosen)
            self.record(MemoryStored(k, chosen.indices, chosen.trace))
            self.record(StageTime(k, "sampling", time.perf_counter() - began, 0.0))
        self.method.end_task(k)
        diagnostics = self.method.diagnostics(k)
        if diagnostics:
            self.record(Diagnostics(k, tuple(diagnostics), tuple(diagnostics.values())))
        # acc[k, ·]
        stages = self.method.stages(k)
        if stages:
            self._evaluate(k)
            self._progress(k, stages[-1], stages[-1].epochs, None)
            if self.save_parser:
                self.save_parser(k, {"parser": self.parser.state_dict(), "task": k})
        self._checkpoint(Position(k + 1), None)

    def _evaluate(self, k: int) -> None:
        seconds, recorder, workload, learner = 0.0, self.recorder, self.workload, self.learner
        parsed = hypotheses_by_task(self.parser, learner.test_batches[: k + 1], self.should_stop)
        for i in range(k + 1):
            began = time.perf_counter()
            parses = next(parsed)
            correct = matches(parses, learner.tasks[i].test, learner.writer)
            self.record(Accuracy(k, i, int(correct.sum()), len(correct)))
            self.done += EVALUATION_WORK * len(correct)
            seconds += time.perf_counter() - began
            events = recorder.after_parsing(k, i, parses, correct, self.should_stop)
            self._note(events, workload.predictions(k, i))
            self._note(recorder.after_task(k, i, self.should_stop), workload.actions(k, i))
        self.record(StageTime(k, "evaluation", seconds, workload.evaluation(k)))
        if work := workload.recording(k):
            self.record(StageTime(k, "recording", self.recording_seconds, work))

    def _note(self, events: Iterable[Event], work: float = 0.0) -> None:
        """Record what the recorder reads; its time counts for itself."""
        began = time.perf_counter()
        for event in events:
            self.record(event)
        self.recording_seconds += time.perf_counter() - began
        self.done += work

    def _progress(self, k: int, stage: Stage, epoch: int, loss: float | None) -> None:
        self.record(Progress(self.done, self.total, k, stage.name, epoch, stage.epochs, loss))

    def _checkpoint(self, position: Position, optimizer: Any) -> None:
        if self.save:
            if self.kept is not None:
                optimizer = self.kept.state_dict()
            seconds = [self.stage_seconds, self.recording_seconds]
            at = [position.task, position.stage, position.epoch]
            state = {"position": at, "seconds": seconds, "optimizer": optimizer}
            self.save({**state, **self.learner.state()})


def train(
    config: RunConfig,
    record: Record,
    should_stop: ShouldStop = never,
    *,
    resume: Checkpoint | None = None,
    save: Callable[[Checkpoint], None] | None = None,
    save_parser: Callable[[int, Checkpoint], None] | None = None,
) -> Learner:
    """Learn the run's tasks one after the other and record events; returns what was learned.

    `save` takes a checkpoint at every epoch's and task's end, `resume` is such a checkpoint,
    `save_parser(k, state)` takes the parser after task k. Stopped, TrainingFailed, ConfigError,
    DataError and CheckpointMismatch end it early; after Stopped the last checkpoint is that of the
    last epoch's end.
    """
    torch.set_num_threads(config.threads)
    device = choose_device(config.device)
    with own_stream(device), products(config.precision, device):
        learner = Learner(config)
        if resume is not None:
            restore(learner, resume)
        record(learner.facts())
        _Run(learner, record, should_stop, save, save_parser).go(resume)
    return learner
