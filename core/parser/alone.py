"""One utterance, greedily: the same hypothesis as a beam of one, by fewer operations a step.

Vectors in place of batches of one, open slots in a list of Python; of all actions those of A_t
alone are scored.
"""

import torch
from torch import Tensor

from core.parser.applicable import MASKED
from core.parser.batch import Batch
from core.parser.hypothesis import Parse, most_open
from core.parser.model import Parser
from core.parser.recurrent import one_sequence, weights_of


def greedy(parser: Parser, row: Batch) -> list[Parse]:
    """The hypothesis for a batch of one row, in a list."""
    reader, task, grammar = _Reader(parser, row), int(row.tasks), parser.grammar
    still, total, most = [0], 0.0, most_open(parser)  # number 0: the root's slot
    actions: list[int] = []
    while still and len(actions) < parser.max_steps:
        applicable = parser.applicable.of_task(still.pop(), task)
        if not len(applicable):
            return [Parse(tuple(actions), MASKED, False)]
        log_probs: list[float] = reader.log_probs(applicable).tolist()
        log_prob = max(log_probs)
        action = int(applicable[log_probs.index(log_prob)])
        actions.append(action)
        total += log_prob
        still += [grammar.slot_ids[slot] for slot in reversed(grammar.actions[action].slots)]
        if len(still) > most:
            return [Parse(tuple(actions), MASKED, False)]
        reader.take(action)
    return [Parse(tuple(actions), total, not still)]


class _Reader:
    """The decoder, an action after the other.

    What it reads of the parser is looked up once: a module's parameter is slow to find.
    """

    def __init__(self, parser: Parser, row: Batch) -> None:
        self.adapter, self.tasks, self.feeding = parser.adapter, row.tasks, parser.input_feeding
        self.weights, self.combine = weights_of(parser.decoder), parser.combine.weight
        self.actions, self.rows = parser.action_embedding, parser.rows()
        encoding = parser.encode(row.words, row.lengths, one_sequence)
        self.keys = encoding.keys[0]  # (L, hidden)
        self.states = encoding.states[0].t()  # (2 hidden, L)
        self.h = encoding.decoder_start  # (1, hidden)
        self.c = torch.zeros_like(self.h)
        self.input: Tensor = parser.start  # (action size,)
        self.summary = torch.zeros_like(self.input)  # s_{t-1}

    def log_probs(self, applicable: Tensor) -> Tensor:
        """log P of these actions, A_t of the next step: (A_t,)."""
        x = torch.cat([self.input, self.summary]) if self.feeding else self.input
        self.h, self.c = torch.lstm_cell(x[None], (self.h, self.c), *self.weights)
        h = self.h[0] if self.adapter is None else self.adapter(self.h[None], self.tasks)[0, 0]
        attention = torch.softmax(torch.mv(self.keys, h), dim=0)  # eq. 5, over words alone
        attended = torch.cat([h, torch.mv(self.states, attention)])
        self.summary = torch.mv(self.combine, attended).tanh_()  # eq. 4
        scores = torch.mv(self.rows.table.index_select(0, applicable), self.summary)
        if self.rows.offset is not None:
            scores += self.rows.offset[applicable]
        return torch.log_softmax(scores, dim=0)

    def take(self, action: int) -> None:
        self.input = self.actions[action]
