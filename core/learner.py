"""What a run holds once its data are read, and what can be said before it starts."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from core.config import RunConfig
from core.data.base import Example, Task, load_tasks
from core.evaluation import Writer, reachable
from core.events import RunStarted
from core.generators import Generators
from core.language import idioms
from core.language.grammar import Grammar
from core.methods.base import Method, Stage
from core.options import ConfigError
from core.parser.batch import Batch, Vocabulary, encode_rows
from core.parser.embeddings import EmbeddingsError, read_glove
from core.parser.model import Parser
from core.registry import Entry, methods
from core.samplers.base import Memory

EVALUATION_WORK = 0.4  # a parsed row, in units of a row trained on (measured)


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
    method = method_entry(config)
    config.options("method")
    config.options("sampler")
    choose_device(config.device)
    if method.traits["memory"] and not config.memory_size:
        raise ConfigError(
            f"memory_size = 0: {method.label} needs a memory; expected at least 1 row a task."
        )
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


def method_entry(config: RunConfig) -> Entry:
    """The registered method of a config; ConfigError where there is none of that name."""
    try:
        return methods[config.method]
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _derive(tasks: Sequence[Task], merges: int) -> tuple[Task, ...]:
    """The tasks with larger idioms collapsed: each task's own after those of the tasks before."""
    learned: tuple[idioms.Idiom, ...] = ()
    derived = []
    for task in tasks:
        rows = [idioms.apply(example.steps, learned) for example in task.train]
        learned += idioms.learn(rows, merges)
        memo: dict[tuple, tuple] = {}

        def cut(example: Example, memo: dict = memo, known: tuple = learned) -> Example:
            if example.steps not in memo:
                memo[example.steps] = idioms.apply(example.steps, known)
            return replace(example, steps=memo[example.steps])

        derived.append(
            replace(
                task,
                train=tuple(map(cut, task.train)),
                valid=tuple(map(cut, task.valid)),
                test=tuple(map(cut, task.test)),
            )
        )
    return tuple(derived)


class Learner:
    """What a run holds: tasks, parser, method, memory, generators."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.device = choose_device(config.device)
        tasks = load_tasks(config)
        self.tasks = _derive(tasks, config.idioms) if config.idioms else tasks
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
        self.method: Method = method_entry(config).value(
            config, self.parser, self.train_rows, self.memory, self.generators
        )
        self.writer = Writer(self.grammar)

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
        )

    def stage_work(self, k: int, stage: Stage) -> float:
        return stage.epochs * self.method.work(k, stage)

    def evaluation_work(self, k: int) -> float:
        """Work of acc[k, ·]; nothing where task k is not learned by itself."""
        if not self.method.stages(k):
            return 0.0
        return EVALUATION_WORK * sum(len(rows) for rows in self.test_rows[: k + 1])

    def work(self) -> float:
        """The whole run, in rows trained on."""
        return sum(
            sum(self.stage_work(k, stage) for stage in self.method.stages(k))
            + self.evaluation_work(k)
            for k in range(len(self.tasks))
        )

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
