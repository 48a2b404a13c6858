"""One utterance, greedily: the same hypothesis as a beam of one, by fewer operations a step.

Open slots are a list of Python, and of all actions those of A_t alone are scored.
"""

import torch
from torch import Tensor

from core.parser.applicable import MASKED
from core.parser.batch import Batch
from core.parser.hypothesis import Parse, most_open
from core.parser.model import Parser
from core.parser.output import Rows
from core.parser.recurrent import step, word_by_word


def greedy(parser: Parser, row: Batch) -> list[Parse]:
    """The hypothesis for a batch of one row, in a list."""
    reader, task = _Reader(parser, row), int(row.tasks)
    still, total, most = [0], 0.0, most_open(parser)  # number 0: the root's slot
    actions: list[int] = []
    while still and len(actions) < parser.max_steps:
        applicable = parser.applicable.of_task(still.pop(), task)
        if not len(applicable):
            return [Parse(tuple(actions), MASKED, False)]
        action, log_prob = reader.likeliest(applicable)
        actions.append(action)
        total += log_prob
        still += parser.opened[action, : int(parser.arity[action])].tolist()
        if len(still) > most:
            return [Parse(tuple(actions), MASKED, False)]
        reader.take(action)
    return [Parse(tuple(actions), total, not still)]


class _Reader:
    """The decoder, an action after the other."""

    def __init__(self, parser: Parser, row: Batch) -> None:
        self.parser, self.tasks = parser, row.tasks
        self.encoding = parser.encode(row.words, row.lengths, word_by_word)
        self.rows: Rows = parser.rows()
        self.h = self.encoding.decoder_start  # (1, hidden)
        self.c = torch.zeros_like(self.h)
        self.input = parser.start[None]  # (1, action size)
        self.summary = torch.zeros_like(self.input)  # s_{t-1}

    def likeliest(self, applicable: Tensor) -> tuple[int, float]:
        """The best of these actions at the next step, and its log P."""
        parser, x = self.parser, self.input
        if parser.input_feeding:
            x = torch.cat([x, self.summary], dim=1)
        self.h, self.c = step(parser.decoder, x, self.h, self.c)
        attended, _ = parser.attend(self.h[None], self.encoding, self.tasks)
        self.summary = parser.attentional_state(attended[0])
        scores = self.rows.table.index_select(0, applicable) @ self.summary[0]
        if self.rows.offset is not None:
            scores += self.rows.offset[applicable]
        log_prob, index = torch.log_softmax(scores, dim=0).max(dim=0)
        return int(applicable[index]), float(log_prob)

    def take(self, action: int) -> None:
        self.input = self.parser.action_embedding[action][None]
