"""What a run records beside accuracy, when, and how much work that is."""

from collections.abc import Iterator, Sequence

import numpy as np

from core.config import RunConfig
from core.data.base import Task
from core.evaluation import FormWriter
from core.events import ActionProbabilities, ActionsKnown, ErrorCounts, Predictions
from core.parser.batch import Batch
from core.parser.decode import Parse
from core.parser.model import Parser
from core.probes.error_curves import ErrorSample
from core.probes.gold import SCORING_WORK, score_gold_steps
from core.stopping import ShouldStop, never


class Recorder:
    """Reads the parser at the ends of epochs and tasks, as far as the run's config asks for it.

    Each method gives the event that is to be told at that place, or none.
    """

    def __init__(
        self,
        config: RunConfig,
        tasks: Sequence[Task],
        train_batches: Sequence[Batch],
        test_batches: Sequence[Batch],
        parser: Parser,
        writer: FormWriter,
    ) -> None:
        self.config, self.tasks, self.parser = config, tasks, parser
        self.train_batches, self.test_batches = train_batches, test_batches
        self.errors: ErrorSample | None = None
        if config.error_rows:
            self.errors = ErrorSample(config, tasks, train_batches, test_batches, parser, writer)

    def epoch_work(self, k: int) -> float:
        """Work of what follows an epoch on task k, in rows trained on."""
        return self.errors.work(k) if self.errors else 0.0

    def predictions_work(self, i: int) -> float:
        """Work of what follows the parsing of task i's test rows."""
        return SCORING_WORK * len(self.test_batches[i]) * self.config.record_predictions

    def actions_work(self, i: int) -> float:
        """Work of the action probabilities on task i's training rows."""
        return SCORING_WORK * len(self.train_batches[i]) * self.config.record_actions

    def task_work(self, k: int, epochs: int) -> float:
        """Work of all that is recorded of task k, whose stages have so many epochs together."""
        after = sum(self.predictions_work(i) + self.actions_work(i) for i in range(k + 1))
        return epochs * self.epoch_work(k) + after if epochs else 0.0

    def at_start(self) -> Iterator[ActionsKnown]:
        """What the action numbers of the other events stand for."""
        if self.config.record_actions or self.config.record_predictions:
            texts = tuple(map(str, self.parser.grammar.actions))
            yield ActionsKnown(tuple(range(len(texts))), texts)

    def after_epoch(self, k: int, stage: str, epoch: int, number: int = 0) -> Iterator[ErrorCounts]:
        """Errors on the sampled rows of the tasks so far."""
        if self.errors:
            yield self.errors.measure(k, stage, epoch, number)

    def after_parsing(
        self,
        k: int,
        i: int,
        found: Sequence[Parse],
        right: np.ndarray,
        should_stop: ShouldStop = never,
    ) -> Iterator[Predictions]:
        """The top hypotheses `found` of task i's test rows after task k, `right` or not."""
        if not self.config.record_predictions:
            return
        rows = self.test_batches[i]
        probabilities = _rounded(
            score_gold_steps(self.parser, rows, should_stop).probabilities
        ).tolist()
        wrong = [
            None if fine else first_difference(one.actions, gold)
            for one, fine, gold in zip(found, right.tolist(), self._gold(i), strict=True)
        ]
        yield Predictions(
            after=k,
            on=i,
            row=tuple(range(len(found))),
            correct=tuple(right.tolist()),
            parse=tuple(one.actions for one in found),
            complete=tuple(one.complete for one in found),
            log_prob=tuple(one.log_prob for one in found),
            first_wrong=tuple(wrong),
            gold=tuple(
                tuple(row[:n]) for row, n in zip(probabilities, rows.steps.tolist(), strict=True)
            ),
        )

    def after_task(
        self, k: int, i: int, should_stop: ShouldStop = never
    ) -> Iterator[ActionProbabilities]:
        """The probabilities of the actions in task i's training rows after task k."""
        if not self.config.record_actions:
            return
        gold = score_gold_steps(self.parser, self.train_batches[i], should_stop)
        actions = self.train_batches[i].actions.cpu().numpy()[gold.real]
        sums, counts = np.bincount(actions, gold.probabilities[gold.real]), np.bincount(actions)
        there = np.flatnonzero(counts)
        mean, count = (sums[there] / counts[there]).tolist(), counts[there].tolist()
        yield ActionProbabilities(k, i, tuple(there.tolist()), tuple(mean), tuple(count))

    def _gold(self, i: int) -> list[tuple[int, ...]]:
        """Action numbers of task i's test derivations, -1 for what training never shows."""
        numbers, rows = self.parser.grammar.action_ids, self.tasks[i].test
        forms = dict.fromkeys(row.derivation for row in rows)
        known = {form: tuple(numbers.get(step.action, -1) for step in form) for form in forms}
        return [known[row.derivation] for row in rows]


def first_difference(found: Sequence[int], gold: Sequence[int]) -> int | None:
    """The first step at which two sequences differ or only one goes on; None where they agree."""
    for step, (one, other) in enumerate(zip(found, gold, strict=False)):
        if one != other:
            return step
    return None if len(found) == len(gold) else min(len(found), len(gold))


def _rounded(values: np.ndarray, digits: int = 5) -> np.ndarray:
    """To so many significant digits: written out, they take a third of the room."""
    exponents = np.floor(np.log10(np.where(values > 0, values, 1.0)))
    scale = 10.0 ** (digits - 1 - exponents)
    return np.round(values * scale) / scale
