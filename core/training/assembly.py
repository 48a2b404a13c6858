"""What a run holds once its data are read."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.config import RunConfig
from core.data.base import Example
from core.data.deriving import derived_tasks
from core.evaluation import EVALUATION_WORK, FormWriter, grammar_coverage
from core.events import RunStarted
from core.generators import Generators
from core.language.grammar import Grammar
from core.methods.base import Method, Stage
from core.options import ConfigError
from core.parser.batch import Batch, Vocabulary, encode_examples
from core.parser.embeddings import EmbeddingsError, read_glove
from core.parser.model import Parser
from core.probes.recorder import Recorder
from core.registry import methods
from core.samplers.base import Memory
from core.training.devices import choose_device


class Learner:
    """What a run holds: tasks, parser, method, memory, generators."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.device = choose_device(config.device)
        self.tasks = derived_tasks(config)
        self.generators = Generators(config.seed)
        self.grammar = Grammar([[row.derivation for row in task.train] for task in self.tasks])
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
        self.train_batches = [self._encode(task.train, k) for k, task in enumerate(self.tasks)]
        self.test_batches = [self._encode(task.test, k) for k, task in enumerate(self.tasks)]
        self.memory = Memory(config.memory_size)
        self.method: Method = methods[config.method].value(
            config, self.parser, self.train_batches, self.memory, self.generators
        )
        self.writer = FormWriter(self.grammar)
        self.recorder = Recorder(
            config, self.tasks, self.train_batches, self.test_batches, self.parser, self.writer
        )

    def _encode(self, examples: Sequence[Example], task: int) -> Batch:
        rows = encode_examples(examples, task, self.parser.vocabulary, self.grammar)
        return rows.to(self.device)

    def facts(self) -> RunStarted:
        """What can be said once the data are read."""
        count = len(self.tasks)
        by_task = [grammar_coverage(self.grammar, task.test, count) for task in self.tasks]
        return RunStarted(
            tasks=tuple(task.name for task in self.tasks),
            n_train=tuple(len(task.train) for task in self.tasks),
            n_test=tuple(len(task.test) for task in self.tasks),
            covered=tuple(tuple(by_task[i][k] for i in range(k + 1)) for k in range(count)),
            actions=len(self.grammar.actions),
            slots=len(self.grammar.slots),
            parameters=sum(p.numel() for p in self.parser.parameters()),
            device=str(self.device),
            task_parameters=self.method.task_parameters(),
            keeps_memory=methods[self.config.method].memory,
        )

    def stage_work(self, k: int, stage: Stage) -> float:
        return stage.epochs * self.method.work(k, stage)

    def evaluation_work(self, k: int) -> float:
        """Work of acc[k, ·]; nothing where task k is not learned by itself."""
        if not self.method.stages(k):
            return 0.0
        return EVALUATION_WORK * sum(len(rows) for rows in self.test_batches[: k + 1])

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
