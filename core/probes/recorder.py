"""Reads a parser at the ends of epochs and tasks and records it, as far as the plan says."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig
from core.data.base import Task
from core.evaluation import FormWriter, small_together
from core.events import ActionProbabilities, ActionsKnown, ErrorCounts, Predictions
from core.parser.batch import Batch
from core.parser.hypothesis import Parse
from core.parser.model import Parser
from core.probes.error_curves import ErrorSample
from core.probes.gold import GoldSteps, score_together
from core.probes.plan import RecordingPlan
from core.stopping import ShouldStop, never


class Recorder:
    """What a run records beside accuracy; each method gives the events that are due, or none."""

    def __init__(
        self,
        config: RunConfig,
        plan: RecordingPlan,
        tasks: Sequence[Task],
        train_batches: Sequence[Batch],
        test_batches: Sequence[Batch],
        parser: Parser,
        writer: FormWriter,
    ) -> None:
        self.plan, self.tasks, self.parser = plan, tasks, parser
        self.train_batches, self.test_batches = train_batches, test_batches
        self._scored: dict[tuple[bool, int, int], tuple[Batch, GoldSteps]] = {}
        self.errors: ErrorSample | None = None
        if plan.error_rows:
            self.errors = ErrorSample(
                config, tasks, train_batches, test_batches, parser, writer, plan.error_rows
            )

    def at_start(self) -> Iterator[ActionsKnown]:
        """What the action numbers of the other events stand for."""
        if self.plan.actions or self.plan.predictions:
            texts = tuple(map(str, self.parser.grammar.actions))
            yield ActionsKnown(tuple(range(len(texts))), texts)

    def after_epoch(
        self, k: int, stage: str, epoch: int, epochs: int, number: int = 0
    ) -> Iterator[ErrorCounts]:
        """Errors on the sampled examples after an epoch of a stage of so many."""
        if self.errors and self.plan.measures(epoch, epochs):
            yield self.errors.measure(k, stage, epoch, number, self.plan.looked_at(k))

    def after_parsing(
        self,
        k: int,
        i: int,
        parses: Sequence[Parse],
        correct: NDArray[np.bool_],
        should_stop: ShouldStop = never,
    ) -> Iterator[Predictions]:
        """The top hypotheses of task i's test examples after task k, and which are correct."""
        if not self.plan.predictions or i not in self.plan.looked_at(k):
            return
        rows = self.plan.indices(len(parses))
        batch, scored = self._score(False, k, i, should_stop)
        probabilities = _rounded(scored.probabilities).tolist()
        gold, chosen, right = self._gold(i), [parses[row] for row in rows], correct[rows].tolist()
        first_wrong = [
            None if is_right else first_difference(parse.actions, gold[row])
            for row, parse, is_right in zip(rows, chosen, right, strict=True)
        ]
        yield Predictions(
            after=k,
            on=i,
            row=tuple(rows.tolist()),
            correct=tuple(right),
            parse=tuple(parse.actions for parse in chosen),
            complete=tuple(parse.complete for parse in chosen),
            log_prob=tuple(parse.log_prob for parse in chosen),
            first_wrong=tuple(first_wrong),
            gold=tuple(
                tuple(row[:n]) for row, n in zip(probabilities, batch.steps.tolist(), strict=True)
            ),
        )

    def after_task(
        self, k: int, i: int, should_stop: ShouldStop = never
    ) -> Iterator[ActionProbabilities]:
        """The probabilities of the actions in task i's training examples after task k."""
        if not self.plan.actions or i not in self.plan.looked_at(k):
            return
        batch, gold = self._score(True, k, i, should_stop)
        actions = batch.actions.cpu().numpy()[gold.real]
        sums, counts = np.bincount(actions, gold.probabilities[gold.real]), np.bincount(actions)
        present = np.flatnonzero(counts)
        mean, count = (sums[present] / counts[present]).tolist(), counts[present].tolist()
        yield ActionProbabilities(k, i, tuple(present.tolist()), tuple(mean), tuple(count))

    def _score(
        self, of_training: bool, k: int, i: int, should_stop: ShouldStop
    ) -> tuple[Batch, GoldSteps]:
        """Task i's examples and their gold steps after task k, scored with those of small tasks
        that are looked at next.
        """
        if (of_training, k, i) not in self._scored:
            batches = self.train_batches if of_training else self.test_batches
            later = [task for task in self.plan.looked_at(k) if task >= i]
            taken = (batches[task].take(self.plan.indices(len(batches[task]))) for task in later)
            group = next(small_together(taken))
            scored = zip(group, score_together(self.parser, group, should_stop), strict=True)
            keys = ((of_training, k, task) for task in later)
            self._scored = dict(zip(keys, scored, strict=False)) | self._scored
        return self._scored.pop((of_training, k, i))

    def _gold(self, i: int) -> list[tuple[int, ...]]:
        """Action numbers of task i's test derivations, -1 for what training never shows."""
        action_ids, examples = self.parser.grammar.action_ids, self.tasks[i].test
        derivations = {example.derivation for example in examples}
        numbers = {d: tuple(action_ids.get(rule.action, -1) for rule in d) for d in derivations}
        return [numbers[example.derivation] for example in examples]


def first_difference(parse: Sequence[int], gold: Sequence[int]) -> int | None:
    """The first step at which two sequences differ or only one goes on; None where they agree."""
    for step, (left, right) in enumerate(zip(parse, gold, strict=False)):
        if left != right:
            return step
    return None if len(parse) == len(gold) else min(len(parse), len(gold))


def _rounded(values: NDArray[Any], digits: int = 5) -> NDArray[Any]:
    """To so many significant digits: written out, they take a third of the bytes."""
    exponents = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    scale = 10.0 ** (digits - 1 - exponents)
    rounded: NDArray[Any] = np.round(values * scale) / scale
    return rounded
