"""What a run holds once its data are read."""

from collections.abc import Sequence
from typing import Any

from core.config import RunConfig
from core.data.base import Example
from core.data.deriving import derived_tasks
from core.evaluation import FormWriter, grammar_coverage
from core.events import RunStarted
from core.generators import Generators
from core.language.grammar import Grammar
from core.language.lemmas import normaliser
from core.methods.base import Method
from core.parser.batch import Batch, Vocabulary, encode_examples
from core.parser.embeddings import vectors_of
from core.parser.model import Parser
from core.parser.pieces import OpenVocabulary
from core.parser.transformer import transformer_of
from core.probes.recorder import Recorder
from core.registry import methods
from core.samplers.base import Memory
from core.training.devices import choose_device
from core.training.workload import Workload


class Learner:
    """What a run holds: tasks, parser, method, memory, generators."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.device = choose_device(config.device)
        self.tasks = derived_tasks(config)
        self.generators = Generators(config.seed)
        derivations = [[e.derivation for e in task.train] for task in self.tasks]
        self.grammar = Grammar(derivations, config.applicable)
        utterances = [e.words for task in self.tasks for e in task.train]
        self.transformer = transformer_of(config)
        vocabulary = (
            OpenVocabulary(utterances, self.transformer.cutter)
            if self.transformer
            else Vocabulary(utterances, normaliser(config.lemmas))
        )
        vectors = vectors_of(config, vocabulary.words[2:])  # but padding and unknown
        self.parser = Parser(
            config,
            vocabulary,
            self.grammar,
            self.generators,
            vectors,
            self.device,
            self.transformer,
        )
        self.train_batches = [self._encode(task.train, k) for k, task in enumerate(self.tasks)]
        self.test_batches = [self._encode(task.test, k) for k, task in enumerate(self.tasks)]
        self.memory = Memory(config.memory_size)
        self.workload = Workload(config, self.tasks, self.grammar)
        self.method: Method = self.workload.method
        self.method.attach(self.parser, self.train_batches, self.memory, self.generators)
        self.writer = FormWriter(self.grammar)
        self.recorder = Recorder(
            config,
            self.workload.plan,
            self.tasks,
            self.train_batches,
            self.test_batches,
            self.parser,
            self.writer,
        )

    def _encode(self, examples: Sequence[Example], task: int) -> Batch:
        rows = encode_examples(examples, task, self.parser.vocabulary, self.grammar)
        return self.parser.placed(rows)

    def facts(self) -> RunStarted:
        """What can be said once the data are read."""
        count = len(self.tasks)
        covered = [grammar_coverage(self.grammar, task.test, count) for task in self.tasks]
        return RunStarted(
            tasks=tuple(task.name for task in self.tasks),
            n_train=tuple(len(task.train) for task in self.tasks),
            n_test=tuple(len(task.test) for task in self.tasks),
            covered=tuple(tuple(covered[i][k] for i in range(k + 1)) for k in range(count)),
            actions=len(self.grammar.actions),
            slots=len(self.grammar.slots),
            parameters=sum(p.numel() for p in self.parser.parameters()),
            device=str(self.device),
            task_parameters=self.method.task_parameters(),
            keeps_memory=methods[self.config.method].memory,
            reduced=self.workload.recording_text() if self.workload.is_reduced else "",
        )

    def state(self) -> dict[str, Any]:
        return {
            "parser": self.parser.state_dict(),
            "method": self.method.state(),
            "memory": self.memory.state(),
            "generators": self.generators.state(),
            "transformer": self.transformer.digest if self.transformer else "",
        }

    def restore(self, state: dict[str, Any]) -> None:
        self.generators.restore(state["generators"], self.device)
        self.parser.load_state_dict(state["parser"])
        self.memory.restore(state["memory"])
        self.method.restore(state["method"])
