"""Gold steps as the parser sees them, teacher-forced: P(gold action | gold history, utterance)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.parser.applicable import MASKED
from core.parser.batch import Batch, join, split_by_length
from core.parser.model import Parser
from core.parser.modes import evaluating
from core.stopping import ShouldStop, check, never

ROWS = 128  # scored at once


@dataclass(frozen=True)
class GoldSteps:
    """The gold steps of n examples of up to T steps; a form that no grammar writes has none."""

    log_probs: NDArray[np.float32]  # log P(a_t | a_<t, x) (n, T), 0 at padding
    likeliest: NDArray[np.bool_]  # whether no action has a higher score (n, T), True at padding
    real: NDArray[np.bool_]  # which are steps (n, T)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """P(a_t | a_<t, x): (n, T) float64, 1 at padding."""
        return np.exp(self.log_probs.astype(np.float64))

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Which examples' forms consist of applicable actions alone: (n,) of bool."""
        covered: NDArray[np.bool_] = self.real[:, 0] & (self.log_probs > MASKED / 2).all(axis=1)
        return covered

    def of(self, rows: slice, n_steps: int) -> "GoldSteps":
        """Those of these examples, padded to fewer steps."""
        at = (rows, slice(n_steps))
        return GoldSteps(self.log_probs[at], self.likeliest[at], self.real[at])


def score_together(
    parser: Parser, batches: Sequence[Batch], should_stop: ShouldStop = never
) -> list[GoldSteps]:
    """The gold steps of each of some small batches, scored at once."""
    scored, end = score_gold_steps(parser, join(batches), should_stop), 0
    parts = []
    for batch in batches:
        end += len(batch)
        parts.append(scored.of(slice(end - len(batch), end), batch.actions.shape[1]))
    return parts


@torch.no_grad()
def score_gold_steps(parser: Parser, examples: Batch, should_stop: ShouldStop = never) -> GoldSteps:
    """Score the gold steps of these examples; equal ones are scored once."""
    parts = (examples.words.cpu(), examples.actions.cpu(), examples.tasks)
    table = torch.column_stack(parts).numpy()
    _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    distinct = examples.take(first)
    shape = (len(distinct), examples.actions.shape[1])
    log_probs, likeliest = np.zeros(shape, dtype=np.float32), np.ones(shape, dtype=bool)
    with evaluating(parser):
        for indices in split_by_length(distinct, ROWS):
            check(should_stop)
            batch = distinct.take(indices)
            row, step = np.nonzero(_real(batch))
            values, highest = parser.scored_gold(batch)
            log_probs[indices[row], step] = values.cpu().numpy()
            likeliest[indices[row], step] = highest.cpu().numpy()
    inverse = inverse.reshape(-1)
    return GoldSteps(log_probs[inverse], likeliest[inverse], _real(examples))


def _real(batch: Batch) -> NDArray[np.bool_]:
    real: NDArray[np.bool_] = np.arange(batch.actions.shape[1]) < batch.steps.numpy()[:, None]
    return real
