"""A run: the sequence of tasks, learned, evaluated and told as events.

`train` owns the loop over tasks, stages, epochs and steps; the method says what the steps are. A
position (task, stages and epochs done) and the states of everything that changes make a
checkpoint; going on from one gives the same bits as never having stopped (on a CPU).
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core.config import RunConfig
from core.evaluation import correct
from core.events import Accuracy, Epoch, Event, MemoryStored, Progress, StageTime
from core.learner import EVALUATION_WORK, Learner, method_entry
from core.methods.base import Stage, Step
from core.samplers.base import select

Record = Callable[[Event], None]


class Stopped(Exception):  # noqa: N818 - it is an outcome, not a fault
    """The run was asked to stop; the last checkpoint is that of the last epoch's end."""


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
        should_stop: Callable[[], bool],
        save: Callable[[dict], None] | None,
        keep: Callable[[int, dict], None] | None,
    ) -> None:
        self.learner, self.method, self.parser = learner, learner.method, learner.parser
        self.record, self.should_stop, self.save, self.keep = record, should_stop, save, keep
        self.total = learner.work()
        self.done = 0.0
        self.stage_seconds = 0.0

    def go(self, position: Position, optimizer_state: dict | None) -> None:
        for k in range(len(self.learner.tasks)):
            stages = self.method.stages(k)
            if k < position.task:
                self.done += sum(self.learner.stage_work(k, stage) for stage in stages)
                self.done += self.learner.evaluation_work(k)
                continue
            at = position if k == position.task else Position(k)
            self.parser.know(k)
            if at == Position(k):
                self.method.begin_task(k)
            for number, stage in enumerate(stages):
                first = at.epoch if number == at.stage else 0
                if number < at.stage:
                    self.done += self.learner.stage_work(k, stage)
                    continue
                self._stage(k, number, stage, first, optimizer_state if first else None)
            self._finish_task(k)

    def _stage(
        self, k: int, number: int, stage: Stage, first: int, optimizer_state: dict | None
    ) -> None:
        moving = self.method.parameters(k, stage)
        for parameter in self.parser.parameters():
            parameter.requires_grad_(any(parameter is one for one in moving))
        optimizer = torch.optim.Adam(moving, lr=self.learner.config.learning_rate, fused=True)
        if optimizer_state is not None:
            optimizer.load_state_dict(optimizer_state)
        frozen = torch.from_numpy(np.flatnonzero(self.method.frozen_actions(k, stage)))
        frozen = frozen.to(self.learner.device)
        self.done += first * self.method.work(k, stage)
        self.stage_seconds = 0.0
        for epoch in range(first, stage.epochs):
            self._epoch(k, stage, epoch, optimizer, frozen)
            over = epoch + 1 == stage.epochs
            after = Position(k, number + 1, 0) if over else Position(k, number, epoch + 1)
            self._checkpoint(after, None if over else optimizer.state_dict())
        for parameter in self.parser.parameters():
            parameter.requires_grad_(True)
        if first == 0:
            work = self.learner.stage_work(k, stage)
            self.record(StageTime(k, stage.name, self.stage_seconds, work))

    def _epoch(
        self, k: int, stage: Stage, epoch: int, optimizer: torch.optim.Optimizer, frozen: Tensor
    ) -> None:
        began, start = time.perf_counter(), self.done
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(self.learner.config, epoch, stage.epochs)
        work = self.method.work(k, stage)
        sums: dict[str, float] = {"current": 0.0}
        rows, steps, trained = 0, 0, 0
        self.parser.train()
        for step in self.method.steps(k, stage):
            if self.should_stop():
                raise Stopped
            parts = self._step(k, stage, step, optimizer, frozen)
            if not math.isfinite(sum(parts.values())):
                raise TrainingFailed(
                    f"the loss is not finite in task {k + 1} "
                    f"({self.learner.tasks[k].name}), stage {stage.name}, epoch {epoch + 1}: "
                    "try a lower learning_rate, a lower clip_norm or a lower penalty weight."
                )
            rows, steps, trained = rows + step.current, steps + 1, trained + len(step.batch)
            sums["current"] += parts.pop("current") * step.current
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
        self.record(Epoch(k, stage.name, epoch, sum(parts.values()), rows, seconds, parts))

    def _step(
        self, k: int, stage: Stage, step: Step, optimizer: torch.optim.Optimizer, frozen: Tensor
    ) -> dict[str, float]:
        """One optimizer step; the parts of its loss, `current` being the current rows' mean."""
        optimizer.zero_grad(set_to_none=True)
        losses = self.method.loss(k, stage, step)
        torch.stack(list(losses.values())).sum().backward()
        self.method.edit_gradients(k, stage, step)
        penalty = self.method.penalty(k, stage)
        gradient = self.parser.action_embedding.grad
        if gradient is not None and len(frozen):
            gradient[frozen] = 0
        moving = optimizer.param_groups[0]["params"]
        torch.nn.utils.clip_grad_norm_(moving, self.learner.config.clip_norm)
        optimizer.step()
        self.method.after_step(k, stage)
        parts = {name: float(part.detach()) for name, part in losses.items()}
        parts["penalty"] = parts.get("penalty", 0.0) + penalty
        return parts

    def _finish_task(self, k: int) -> None:
        learner, tasks = self.learner, self.learner.tasks
        if method_entry(learner.config).traits["memory"]:
            began = time.perf_counter()
            chosen = select(
                learner.config,
                tasks[k].train,
                learner.generators.for_arrays("sampler"),
                self.parser,
            )
            learner.memory.keep(k, chosen)
            self.record(MemoryStored(k, chosen.rows, chosen.trace))
            self.record(StageTime(k, "sampling", time.perf_counter() - began, 0.0))
        self.method.end_task(k)
        if self.method.stages(k):
            self._evaluate(k)
            if self.keep:
                self.keep(k, {"parser": self.parser.state_dict(), "task": k})
        self._checkpoint(Position(k + 1), None)

    def _evaluate(self, k: int) -> None:
        began = time.perf_counter()
        for i in range(k + 1):
            if self.should_stop():
                raise Stopped
            learner = self.learner
            right = correct(
                self.parser, learner.tasks[i].test, learner.test_rows[i], learner.writer
            )
            self.record(Accuracy(k, i, int(right.sum()), len(right)))
            self.done += EVALUATION_WORK * len(right)
        seconds = time.perf_counter() - began
        self.record(StageTime(k, "evaluation", seconds, self.learner.evaluation_work(k)))

    def _checkpoint(self, position: Position, optimizer: dict | None) -> None:
        if self.save:
            where = [position.task, position.stage, position.epoch]
            self.save({"position": where, "optimizer": optimizer, **self.learner.state()})


def train(
    config: RunConfig,
    record: Record,
    should_stop: Callable[[], bool] = lambda: False,
    *,
    resume: dict | None = None,
    save: Callable[[dict], None] | None = None,
    keep: Callable[[int, dict], None] | None = None,
) -> Learner:
    """Learn the run's tasks one after the other and tell it as events; returns what was learned.

    `save` takes a checkpoint at every epoch's and task's end, `resume` is such a checkpoint,
    `keep(k, state)` takes the parser after task k. Stopped, TrainingFailed, ConfigError and
    DataError end it early.
    """
    torch.set_num_threads(config.threads)
    learner = Learner(config)
    record(learner.facts())
    position, optimizer = Position(), None
    if resume is not None:
        learner.restore(resume)
        position, optimizer = Position(*resume["position"]), resume["optimizer"]
    _Run(learner, record, should_stop, save, keep).go(position, optimizer)
    return learner
