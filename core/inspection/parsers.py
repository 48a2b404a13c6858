"""The parsers that a run has kept, one after each task; its data and grammar are read once for all.

A parser is built as the run built it, with whatever its method attaches, and takes its parameters
from the file. PyTorch is loaded with the first parser.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from core.config import RANDOM_VECTORS
from core.data.base import DataError, Task
from core.inspection.steps import Trace, explain
from core.language.derivation import Rule
from core.runs import checkpoints
from core.runs.checkpoints import CheckpointError
from core.runs.run import Run

if TYPE_CHECKING:
    from core.parser.model import Parser

MOST_STATES = 12  # parameters held in memory, of 8 to 30 MB each


class NoParser(ValueError):  # noqa: N818 - it is a state that pages show, not a fault
    """A run has kept no parser after a task."""


class Parsers:
    """The parsers of one run, on the CPU; any thread may ask, one at a time is served.

    NoParser where the run has kept none; CheckpointError, DataError or ConfigError where a file or
    the data can't be read.
    """

    def __init__(self, run: Run, **changes: Any) -> None:
        """`changes` are settings of decoding that are other than the run's."""
        from core.training.assembly import Learner

        self.run = run
        self._states: OrderedDict[int, dict[str, Any]] = OrderedDict()
        self._lock = threading.RLock()
        saved = checkpoints.saved_parsers(run.id)
        if not saved:
            raise NoParser(f"Run {run.id} has kept no parser.")
        # words have their vectors from the file, so that the GloVe file need not be here
        config = run.config.with_(device="cpu", embeddings=RANDOM_VECTORS, **changes)
        vectors = self._state(saved[-1]).get("word_embedding")
        if vectors is not None:
            config = config.with_(word_size=vectors.shape[1])
        self._learner = Learner(config)
        self.tasks: tuple[Task, ...] = self._learner.tasks  # as the run learned them
        if [task.name for task in self.tasks] != list(run.tasks):
            raise self._changed()

    @contextmanager
    def after(self, k: int) -> Iterator[Parser]:
        """The parser as it was after task number k (from 0); it is this one inside `with` only."""
        with self._lock:
            state = self._state(k)
            try:
                self._learner.parser.load_state_dict(state)
            except RuntimeError as error:  # other sizes: another vocabulary or grammar
                raise self._changed() from error
            self._learner.parser.set_known_tasks(k)
            self._learner.parser.eval()
            yield self._learner.parser

    def explain(
        self, k: int, utterance: str, task: int, steps: Sequence[Rule] | None = None
    ) -> Trace:
        """`steps.explain` of the parser after task number k."""
        with self.after(k) as parser:
            return explain(parser, utterance, task, steps)

    def derivation(self, logical_form: str) -> tuple[Rule, ...] | None:
        """The steps of a row of the run's data that has this form; None where none has."""
        for task in self.tasks:
            for example in (*task.train, *task.test):
                if example.logical_form == logical_form:
                    return tuple(example.derivation)
        return None

    def exact(self, k: int, on: int) -> tuple[int, int]:
        """acc[k, on] as counts: task `on`'s test rows that the parser after task k gets right; all.

        The rows of a task that is not learned yet are read as those of the last one that is.
        """
        from core.evaluation import correct
        from core.parser.batch import encode_examples

        with self.after(k) as parser:
            examples = self.tasks[on].test
            rows = encode_examples(examples, min(on, k), parser.vocabulary, parser.grammar)
            right = correct(parser, examples, rows, self._learner.writer)
            return int(right.sum()), len(right)

    def _state(self, k: int) -> dict[str, Any]:
        with self._lock:
            if k not in self._states:
                state = checkpoints.load_parser(self.run.id, k)
                if state is None:
                    raise NoParser(f"Run {self.run.id} has kept no parser after task {k + 1}.")
                parser = state.get("parser")
                vectors = parser.get("action_embedding") if isinstance(parser, dict) else None
                if not isinstance(parser, dict) or getattr(vectors, "ndim", 0) != 2:
                    raise CheckpointError(f"What run {self.run.id} has kept is not a parser.")
                self._states[k] = parser
                while len(self._states) > MOST_STATES:
                    self._states.popitem(last=False)
            self._states.move_to_end(k)
            return self._states[k]

    def _changed(self) -> DataError:
        return DataError(
            f"The data (or the method as it is written) are no longer those that run {self.run.id} "
            "learned."
        )
