"""Gold steps as the parser sees them, teacher-forced: P(gold action | gold history, utterance)."""

from dataclasses import dataclass

import numpy as np
import torch

from core.parser.batch import Batch, split_by_length
from core.parser.model import MASKED, Parser
from core.parser.modes import evaluating
from core.stopping import ShouldStop, check, never

ROWS = 128  # scored at once
SCORING_WORK = 0.3  # a row whose gold steps are scored, in units of a row trained on (measured)


@dataclass(frozen=True)
class GoldSteps:
    """The gold steps of n rows of up to T steps; a form that no grammar writes has none."""

    log_probs: np.ndarray  # log P(a_t | a_<t, x) (n, T), 0 at padding
    likeliest: np.ndarray  # whether no action has a higher score (n, T), True at padding
    real: np.ndarray  # which are steps (n, T)

    @property
    def probabilities(self) -> np.ndarray:
        """P(a_t | a_<t, x): (n, T) float64, 1 at padding."""
        return np.exp(self.log_probs.astype(np.float64))

    @property
    def covered(self) -> np.ndarray:
        """Which rows' forms consist of applicable actions alone: (n,) of bool."""
        return self.real[:, 0] & (self.log_probs > MASKED / 2).all(axis=1)


@torch.no_grad()
def score_gold_steps(parser: Parser, rows: Batch, should_stop: ShouldStop = never) -> GoldSteps:
    """Score the gold steps of these rows; equal rows are scored once."""
    table = torch.column_stack([rows.words, rows.actions, rows.tasks]).cpu().numpy()
    _, first, where = np.unique(table, axis=0, return_index=True, return_inverse=True)
    distinct = rows.take(first)
    shape = (len(distinct), rows.actions.shape[1])
    log_probs, likeliest = np.zeros(shape, dtype=np.float32), np.ones(shape, dtype=bool)
    with evaluating(parser):
        for part in split_by_length(distinct, ROWS):
            check(should_stop)
            batch = distinct.take(part)
            scores = parser.step_scores(batch)  # (steps in all, actions)
            row, step = np.nonzero(_real(batch))
            log_probs[part[row], step] = parser.log_probs(batch, scores).cpu().numpy()[row, step]
            likeliest[part[row], step] = (scores.argmax(dim=1) == batch.gold).cpu().numpy()
    places = where.reshape(-1)
    return GoldSteps(log_probs[places], likeliest[places], _real(rows))


def _real(rows: Batch) -> np.ndarray:
    return np.arange(rows.actions.shape[1]) < rows.steps.numpy()[:, None]
