"""A second, plain computation of the parser: one row, one step, one action at a time."""

import torch
from torch import Tensor

from core.data.base import Example
from core.parser.model import Parser


def lstm_step(x: Tensor, h: Tensor, c: Tensor, lstm: torch.nn.LSTM, suffix: str = ""):
    """One step of an LSTM from its definition, on vectors."""
    gates = (
        getattr(lstm, f"weight_ih_l0{suffix}") @ x
        + getattr(lstm, f"bias_ih_l0{suffix}")
        + getattr(lstm, f"weight_hh_l0{suffix}") @ h
        + getattr(lstm, f"bias_hh_l0{suffix}")
    )
    i, f, g, o = gates.chunk(4)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


class Reader:
    """An utterance encoded word by word; `advance` takes the decoder one action further."""

    def __init__(self, parser: Parser, words: list[str]) -> None:
        self.parser = parser
        hidden = parser.init_decoder.out_features
        vectors = [parser.word_embedding[i] for i in parser.vocabulary.encode(words)]
        forward, backward = [], []
        h = c = torch.zeros(hidden)
        for x in vectors:
            h, c = lstm_step(x, h, c, parser.encoder)
            forward.append(h)
        last = [c]
        h = c = torch.zeros(hidden)
        for x in reversed(vectors):
            h, c = lstm_step(x, h, c, parser.encoder, "_reverse")
            backward.insert(0, h)
        last.append(c)
        self.states = [torch.cat(pair) for pair in zip(forward, backward, strict=True)]
        self.h = torch.tanh(parser.init_decoder(torch.cat(last)))
        self.c = torch.zeros(hidden)
        self.input = parser.start
        self.s = torch.zeros(parser.start.shape)

    def scores(self) -> Tensor:
        """c_a · s_t for every action at the next step."""
        parser = self.parser
        x = torch.cat([self.input, self.s]) if parser.input_feeding else self.input
        self.h, self.c = lstm_step(x, self.h, self.c, parser.decoder)
        keys = [self.h @ parser.to_keys(e) for e in self.states]
        self.attention = torch.softmax(torch.stack(keys), 0)
        context = sum(w * e for w, e in zip(self.attention, self.states, strict=True))
        self.s = torch.tanh(parser.combine(torch.cat([self.h, context])))
        return parser.action_embedding @ self.s

    def take(self, action: int) -> None:
        self.input = self.parser.action_embedding[action]


def applicable(parser: Parser, slot: int, task: int) -> list[int]:
    """A_t from the grammar's definition."""
    grammar, k = parser.grammar, parser.known_tasks
    allowed = [grammar.action_ids[a] for a in grammar.applicable(grammar.slots[slot], k)]
    if parser.task_masking:
        users = {
            a: [i for i in range(k + 1) if grammar.counts[i, a]]
            for a in range(len(grammar.actions))
        }
        allowed = [a for a in allowed if len(users[a]) != 1 or users[a] == [task]]
    return allowed


@torch.no_grad()
def row_loss(parser: Parser, example: Example, task: int) -> float:
    """The negative log-likelihood of one row, step by step."""
    reader, total = Reader(parser, example.words), 0.0
    slots, actions = parser.grammar.encode(example.derivation)
    for slot, action in zip(slots, actions, strict=True):
        scores = reader.scores()
        allowed = applicable(parser, slot, task)
        total -= float(scores[action] - torch.logsumexp(scores[allowed], 0))
        reader.take(action)
    return total


@torch.no_grad()
def greedy(parser: Parser, words: list[str], task: int) -> tuple[list[int], float, bool]:
    """The greedy derivation of one utterance: action numbers, log P, whether it is complete."""
    reader, slots, actions, total = Reader(parser, words), [0], [], 0.0
    while slots and len(actions) < parser.max_steps:
        scores = reader.scores()
        allowed = applicable(parser, slots.pop(), task)
        if not allowed:  # task masking can leave nothing: the derivation has no end
            return actions, total, False
        best = max(allowed, key=lambda a: float(scores[a]))
        total += float(scores[best] - torch.logsumexp(scores[allowed], 0))
        actions.append(best)
        reader.take(best)
        children = parser.grammar.actions[best].slots
        slots += [parser.grammar.slot_ids[slot] for slot in reversed(children)]
    return actions, total, not slots
