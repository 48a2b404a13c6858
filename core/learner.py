"""What a run holds once its data are read, and what can be said before it starts."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from core.config import RunConfig, entry_of
from core.data.base import Example, load_tasks
from core.data.deriving import derived_tasks
from core.evaluation import EVALUATION_WORK, Writer, reachable
from core.events import RunStarted
from core.generators import Generators
from core.language.grammar import Grammar
from core.methods.base import Method, Stage
from core.needs import refuse
from core.options import ConfigError
from core.parser.batch import Batch, Vocabulary, encode_rows
from core.parser.embeddings import EmbeddingsError, read_glove
from core.parser.model import Parser
from core.recorder.recorder import Recorder
from core.samplers.base import Memory


def choose_device(name: str) -> torch.device:
    """The device of a config; ConfigError names it where this machine has none such."""
    if name == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ConfigError(f"device = '{name}': expected auto, cpu or cuda:N.") from None
    if device.type not in ("cpu", "cuda"):
        raise ConfigError(f"device = '{name}': expected auto, cpu or cuda:N.")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if device.type == "cuda" and (device.index or 0) >= count:
        raise ConfigError(f"device = '{name}': this machine has {count} CUDA devices.")
    return device


def validate(config: RunConfig) -> None:
    """Check everything that can be checked before a run starts, its data included.

    ConfigError names option, value and range; DataError says what is wrong with the data.
    """
    refuse(config)
    choose_device(config.device)
    if config.embeddings and not Path(config.embeddings).is_file():
        raise ConfigError(
            f"embeddings = '{config.embeddings}': there is no such file; expected a GloVe text "
            "file, or nothing for random vectors."
        )
    tasks = load_tasks(config)
    if len(tasks) < 2:
        raise ConfigError(
            f"task_order: {len(tasks)} task; learning one after the other takes at least 2."
        )


class Learner:
    """What a run holds: tasks, parser, method, memory, generators."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.device = choose_device(config.device)
        self.tasks = derived_tasks(config)
        self.generators = Generators(config.seed)
        self.grammar = Grammar([[row.steps for row in task.train] for task in self.tasks])
        vocabulary = Vocabulary([row.words for task in self.tasks for row in task.train])
        try:
            vectors = (
                read_glove(Path(config.embeddings), vocabulary.words) if config.embeddings else None
            )
        except EmbeddingsError as error:
            raise ConfigError(str(error)) from error
        self.parser = Parser(
            config, vocabulary, self.grammar, self.generators, vectors, self.device
        )
        self.train_rows = [self._encode(task.train, k) for k, task in enumerate(self.tasks)]
        self.test_rows = [self._encode(task.test, k) for k, task in enumerate(self.tasks)]
        self.memory = Memory(config.memory_size)
        self.method: Method = entry_of("method", config.method).value(
            config, self.parser, self.train_rows, self.memory, self.generators
        )
        self.writer = Writer(self.grammar)
        self.recorder = Recorder(
            config, self.tasks, self.train_rows, self.test_rows, self.parser, self.writer
        )

    def _encode(self, examples: Sequence[Example], task: int) -> Batch:
        rows = encode_rows(examples, task, self.parser.vocabulary, self.grammar)
        return rows.to(self.device)

    def facts(self) -> RunStarted:
        """What can be said once the data are read."""
        count = len(self.tasks)
        by_task = [reachable(self.grammar, task.test, count) for task in self.tasks]
        return RunStarted(
            tasks=tuple(task.name for task in self.tasks),
            train_rows=tuple(len(task.train) for task in self.tasks),
            test_rows=tuple(len(task.test) for task in self.tasks),
            reachable=tuple(tuple(by_task[i][k] for i in range(k + 1)) for k in range(count)),
            actions=len(self.grammar.actions),
            slots=len(self.grammar.slots),
            parameters=sum(p.numel() for p in self.parser.parameters()),
            device=str(self.device),
            task_parameters=self.method.task_parameters(),
            keeps_memory=entry_of("method", self.config.method).traits["memory"],
        )

    def stage_work(self, k: int, stage: Stage) -> float:
        return stage.epochs * self.method.work(k, stage)

    def evaluation_work(self, k: int) -> float:
        """Work of acc[k, ·]; nothing where task k is not learned by itself."""
        if not self.method.stages(k):
            return 0.0
        return EVALUATION_WORK * sum(len(rows) for rows in self.test_rows[: k + 1])

    def recording_work(self, k: int) -> float:
        """Work of all that is recorded beside acc[k, ·], errors after task k's epochs included."""
        return self.recorder.task_work(k, sum(stage.epochs for stage in self.method.stages(k)))

    def work(self) -> float:
        """The whole run, in rows trained on."""
        return self.work_done(len(self.tasks))

    def work_done(self, k: int, stages: int = 0, epochs: int = 0) -> float:
        """All of the tasks before k, so many stages of k and so many epochs of the next one."""
        done = 0.0
        for i in range(k):
            done += sum(self.stage_work(i, stage) for stage in self.method.stages(i))
            done += self.evaluation_work(i) + self.recording_work(i)
        for number, stage in enumerate(self.method.stages(k) if stages or epochs else ()):
            over = stage.epochs if number < stages else epochs if number == stages else 0
            done += over * (self.method.work(k, stage) + self.recorder.epoch_work(k))
        return done

    def state(self) -> dict[str, Any]:
        return {
            "parser": self.parser.state_dict(),
            "method": self.method.state(),
            "memory": self.memory.state(),
            "generators": self.generators.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.generators.restore(state["generators"], self.device)
        self.parser.load_state_dict(state["parser"])
        self.memory.restore(state["memory"])
        self.method.restore(state["method"])


def work(config: RunConfig) -> float:
    """The work of a run, in rows trained on: the unit of Progress and StageTime."""
    return Learner(config.with_(device="cpu", embeddings="")).work()


def calibrate(config: RunConfig, seconds: float = 1.0) -> float:
    """Work a second of the run's parser on its device: a few real steps on its first task."""
    torch.set_num_threads(config.threads)
    learner = Learner(config.with_(embeddings=""))
    method, optimizer = learner.method, torch.optim.Adam(learner.parser.parameters(), fused=True)
    learner.parser.train()
    rows, began, warm = 0, 0.0, False
    for batch in method.batches(0):
        learner.parser.loss(batch).backward()
        optimizer.step()
        optimizer.zero_grad()
        rows += len(batch) * warm
        if not warm:  # the first step pays for allocations
            warm, began = True, time.perf_counter()
        elif time.perf_counter() - began > seconds:
            break
    return rows / max(time.perf_counter() - began, 1e-9) if rows else 0.0
