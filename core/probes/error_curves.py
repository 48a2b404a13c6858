"""Error on a fixed sample of rows: 1 − exact match, and negative log-likelihood (notes §8).

The sample holds as many training and test rows of each task, the same ones all along.
"""

from collections.abc import Sequence

import numpy as np

from core.config import RunConfig
from core.data.base import Example, Task
from core.evaluation import EVALUATION_WORK, FormWriter, correct
from core.events import ErrorCounts
from core.generators import Generators
from core.parser.batch import Batch, join
from core.parser.model import Parser
from core.probes.gold import SCORING_WORK, GoldSteps, score_gold_steps

SPLITS = ("train", "test")


class ErrorSample:
    """The sampled rows of all tasks, task after task, training rows before test rows."""

    def __init__(
        self,
        config: RunConfig,
        tasks: Sequence[Task],
        train_batches: Sequence[Batch],
        test_batches: Sequence[Batch],
        parser: Parser,
        writer: FormWriter,
    ) -> None:
        """`config.error_rows` of each task and split, all where there are no more."""
        self.parser, self.writer = parser, writer
        rng = Generators(config.seed).for_arrays("error rows")  # anew, so nothing is to be kept
        self.examples: list[Example] = []
        parts: list[Batch] = []
        for task, train, test in zip(tasks, train_batches, test_batches, strict=True):
            for rows, batch in ((task.train, train), (task.test, test)):
                size = min(config.error_rows, len(rows))
                chosen = np.sort(rng.choice(len(rows), size, replace=False))
                self.examples += [rows[row] for row in chosen]
                parts.append(batch.take(chosen))
        self.rows = join(parts)
        self.sizes = np.array([len(part) for part in parts])
        greedy = config.beam_size == 1 and not config.idioms
        one_way = [parser.grammar.writes_one_way(example.derivation) for example in self.examples]
        self.scored = greedy & np.array(one_way)  # (rows,) the others have to be decoded
        self._work = np.cumsum(np.where(self.scored, SCORING_WORK, SCORING_WORK + EVALUATION_WORK))

    def work(self, k: int) -> float:
        """Work of the errors on tasks 0 … k, in rows trained on."""
        return float(self._work[self._count(k) - 1])

    def _count(self, k: int) -> int:
        return int(self.sizes[: len(SPLITS) * (k + 1)].sum())

    def measure(self, k: int, stage: str, epoch: int, number: int = 0) -> ErrorCounts:
        """The errors on tasks 0 … k as the parser stands, in one padded batch."""
        sizes = self.sizes[: len(SPLITS) * (k + 1)]
        part = np.repeat(np.arange(len(sizes)), sizes)  # of each row: its task and split
        rows = self.rows.take(range(self._count(k)))
        gold = score_gold_steps(self.parser, rows)
        writable = gold.covered
        losses = np.where(writable, -gold.log_probs.sum(axis=1, dtype=np.float64), 0.0)
        add = lambda values: np.bincount(part, values, len(sizes))  # noqa: E731
        count = lambda values: tuple(add(values).astype(int).tolist())  # noqa: E731
        return ErrorCounts(
            task=k,
            stage=stage,
            epoch=epoch,
            on=tuple(i for i in range(k + 1) for _ in SPLITS),
            split=SPLITS * (k + 1),
            correct=count(self._exact(rows, gold)),
            total=tuple(sizes.tolist()),
            nll=tuple(add(losses).tolist()),
            covered=count(writable),
        )

    def _exact(self, rows: Batch, gold: GoldSteps) -> np.ndarray:
        """Which rows' top hypothesis is the gold form, as `correct` has it: (n,) of bool.

        Greedy decoding takes the likeliest action at every step. It therefore writes a form that
        can be written in one way just where every gold action is the likeliest.
        """
        fits = rows.steps.numpy() <= self.parser.max_steps
        right = gold.covered & gold.likeliest.all(axis=1) & fits
        decoded = np.flatnonzero(~self.scored[: len(rows)])
        if len(decoded):
            examples = [self.examples[row] for row in decoded]
            right[decoded] = correct(self.parser, examples, rows.take(decoded), self.writer)
        return right
