"""Error on a fixed sample of examples: 1 − exact match, and negative log-likelihood.

The sample holds as many training and test examples of each task, the same ones all along.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.config import RunConfig
from core.data.base import Example, Task
from core.evaluation import EVALUATION_WORK, FormWriter, correct
from core.events import ErrorCounts
from core.generators import Generators
from core.language.grammar import Grammar
from core.parser.batch import Batch, join
from core.parser.model import Parser
from core.probes.gold import GoldSteps, score_gold_steps
from core.probes.plan import SCORING_WORK

SPLITS = ("train", "test")


def sample(config: RunConfig, tasks: Sequence[Task], n_rows: int) -> list[NDArray[np.int64]]:
    """Indices of so many examples (all where there are no more), task by task, split by split."""
    rng = Generators(config.seed).for_arrays("error rows")  # anew, so nothing is to be kept
    sizes = (len(examples) for task in tasks for examples in (task.train, task.test))
    return [np.sort(rng.choice(size, min(n_rows, size), replace=False)) for size in sizes]


def sampled(tasks: Sequence[Task], chosen: Sequence[NDArray[np.int64]]) -> list[list[Example]]:
    """The examples at these indices, task by task, split by split."""
    splits = (examples for task in tasks for examples in (task.train, task.test))
    return [[split[i] for i in indices] for split, indices in zip(splits, chosen, strict=True)]


def scored_only(
    config: RunConfig, grammar: Grammar, examples: Sequence[Example]
) -> NDArray[np.bool_]:
    """Which examples' exact match follows from their gold steps; the others have to be decoded.

    Greedy decoding takes the likeliest action at every step. It therefore writes a form that can
    be written in one way just where every gold action is the likeliest. (n,) of bool.
    """
    if config.beam_size > 1 or config.idioms:
        return np.zeros(len(examples), dtype=bool)
    one_way = [grammar.writes_one_way(example.derivation) for example in examples]
    return np.array(one_way, dtype=bool)


def error_work(
    config: RunConfig, tasks: Sequence[Task], grammar: Grammar, n_rows: int
) -> list[float]:
    """Work of measuring each task's error once on so many examples of each split."""
    parts = sampled(tasks, sample(config, tasks, n_rows))
    scored = [scored_only(config, grammar, part) for part in parts]
    work = [float(np.where(s, SCORING_WORK, SCORING_WORK + EVALUATION_WORK).sum()) for s in scored]
    return [work[i] + work[i + 1] for i in range(0, len(work), len(SPLITS))]


@dataclass(frozen=True)
class _Part:
    """The sampled examples of one task and split, as they lie in the sample's batch."""

    task: int
    split: str
    rows: range


class ErrorSample:
    """The sampled examples of all tasks, task after task, training before test examples."""

    def __init__(
        self,
        config: RunConfig,
        tasks: Sequence[Task],
        train_batches: Sequence[Batch],
        test_batches: Sequence[Batch],
        parser: Parser,
        writer: FormWriter,
        n_rows: int,
    ) -> None:
        """`n_rows` of each task and split, all where there are no more."""
        self.parser, self.writer = parser, writer
        chosen = sample(config, tasks, n_rows)
        self.examples = [e for part in sampled(tasks, chosen) for e in part]
        pairs = zip(train_batches, test_batches, strict=True)
        splits = (batch for pair in pairs for batch in pair)
        self.batch = join([b.take(i) for b, i in zip(splits, chosen, strict=True)])
        self.sizes = np.array([len(indices) for indices in chosen])
        ends = list(accumulate(self.sizes.tolist()))
        starts = [end - size for end, size in zip(ends, self.sizes.tolist(), strict=True)]
        self._parts = [
            _Part(number // len(SPLITS), SPLITS[number % len(SPLITS)], range(start, end))
            for number, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]
        self.scored = scored_only(config, parser.grammar, self.examples)

    def measure(
        self, k: int, stage: str, epoch: int, number: int = 0, looked_at: Sequence[int] = ()
    ) -> ErrorCounts:
        """The errors on tasks 0 … k, or on these, as the parser stands, in one padded batch."""
        looked_at = looked_at or range(k + 1)
        parts = [part for part in self._parts if part.task in set(looked_at)]
        rows = [row for part in parts for row in part.rows]
        of_part = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
        batch = self.batch.take(rows)
        gold = score_gold_steps(self.parser, batch)
        losses = np.where(gold.covered, -gold.log_probs.sum(axis=1, dtype=np.float64), 0.0)

        def add(values: NDArray[Any]) -> NDArray[Any]:
            return np.bincount(of_part, values, len(parts))

        def count(mask: NDArray[np.bool_]) -> tuple[int, ...]:
            return tuple(add(mask).astype(int).tolist())

        return ErrorCounts(
            task=k,
            stage=stage,
            epoch=epoch,
            on=tuple(part.task for part in parts),
            split=tuple(part.split for part in parts),
            correct=count(self._exact(rows, batch, gold)),
            total=tuple(len(part.rows) for part in parts),
            nll=tuple(add(losses).tolist()),
            covered=count(gold.covered),
            stage_number=number,
        )

    def _exact(self, rows: Sequence[int], batch: Batch, gold: GoldSteps) -> NDArray[np.bool_]:
        """Which examples' top hypothesis is the gold form, as `correct` has it: (n,) of bool."""
        fits = batch.steps.numpy() <= self.parser.max_steps
        right: NDArray[np.bool_] = gold.covered & gold.likeliest.all(axis=1) & fits
        decoded = np.flatnonzero(~self.scored[np.array(rows)])
        if len(decoded):
            examples = [self.examples[rows[i]] for i in decoded]
            right[decoded] = correct(self.parser, examples, batch.take(decoded), self.writer)
        return right
