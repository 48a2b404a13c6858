"""Beam search over many utterances at once; a beam of one is greedy decoding.

Open slots are a tensor: each hypothesis has a stack of slot numbers, an action pops one and pushes
its child slots. A hypothesis is complete when no slot is open.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional as F

from core.parser.applicable import MASKED
from core.parser.batch import Batch
from core.parser.hypothesis import Parse, most_open
from core.parser.model import Parser
from core.parser.moving import moved
from core.parser.network import Encoding
from core.parser.output import Rows, Steps, likeliest

_SHRINK = 0.7  # finished utterances leave the batch once fewer than this share are still open


@dataclass
class _Beam:
    """w hypotheses for each of n utterances, flattened to n·w rows."""

    stack: Tensor  # (n w, most open + widest action) slot numbers
    open: Tensor  # (n w,) how many slots are open
    score: Tensor  # (n, w) log P
    hidden: tuple[Tensor, Tensor]  # (1, n w, hidden) twice
    fed: Tensor  # (n w, 1, action size) s_{t-1}
    inputs: Tensor  # (n w, 1, action size) c of a_{t-1}
    history: Tensor  # (n w, steps so far), -1 where a hypothesis was complete or lost

    def pick(self, rows: Tensor, score: Tensor) -> "_Beam":
        return _Beam(
            self.stack[rows],
            self.open[rows],
            score,
            (self.hidden[0][:, rows], self.hidden[1][:, rows]),
            self.fed[rows],
            self.inputs[rows],
            self.history[rows],
        )


def _start(parser: Parser, encoding: Encoding, width: int) -> _Beam:
    n = len(encoding.decoder_start)
    rows = n * width
    device = encoding.decoder_start.device
    score = torch.full((n, width), MASKED, device=device)
    score[:, 0] = 0
    size = parser.start.shape[0]
    first = encoding.decoder_start.repeat_interleave(width, dim=0)[None]
    return _Beam(
        stack=torch.zeros(
            rows, most_open(parser) + parser.opened.shape[1], dtype=torch.int64, device=device
        ),
        open=torch.ones(rows, dtype=torch.int64, device=device),  # the root's slot, number 0
        score=score,
        hidden=(first, torch.zeros_like(first)),
        fed=torch.zeros(rows, 1, size, device=device),
        inputs=parser.start.expand(rows, 1, size),
        history=torch.empty(rows, 0, dtype=torch.int64, device=device),
    )


def _advance(parser: Parser, beam: _Beam, rows: Rows, encoding: Encoding, tasks: Tensor) -> _Beam:
    """One step of every hypothesis. `encoding` and `tasks`, on the CPU, have a row a hypothesis."""
    x = torch.cat([beam.inputs, beam.fed], dim=2) if parser.input_feeding else beam.inputs
    h, hidden = parser.decoder(x, beam.hidden)
    fed = parser.attentional_state(parser.attend(h, encoding, tasks)[0])
    top = (beam.open - 1).clamp(min=0)
    slot = beam.stack.gather(1, top[:, None])[:, 0]
    steps = Steps(slot, moved(tasks, slot.device), slot)
    next_beam = _Beam(beam.stack, beam.open, beam.score, hidden, fed, beam.inputs, beam.history)
    next_beam, actions = _chosen(
        next_beam, *likeliest(fed[:, 0], rows, steps, parser.applicable, beam.score.shape[1])
    )
    return _taken(parser, next_beam, actions)


def _chosen(beam: _Beam, log_probs: Tensor, actions: Tensor) -> tuple[_Beam, Tensor]:
    """The hypotheses that go on, and the action that each takes.

    By log P of the likeliest next actions of each, and these: (n w, candidates).
    """
    n, width = beam.score.shape
    stay = torch.full_like(log_probs, MASKED)
    stay[:, 0] = 0
    log_probs = torch.where((beam.open == 0)[:, None], stay, log_probs)
    total = (beam.score.reshape(-1, 1) + log_probs).view(n, -1)
    if width == 1:
        return replace(beam, score=total), actions[:, 0]
    score, index = total.topk(width, dim=1)
    first = torch.arange(n, device=index.device)[:, None] * width
    parents = (first + index // log_probs.shape[1]).flatten()
    return beam.pick(parents, score), actions.view(n, -1).gather(1, index).flatten()


def _taken(parser: Parser, beam: _Beam, actions: Tensor) -> _Beam:
    """The hypotheses with an action more each, their scores with its log P already."""
    done, top = beam.open == 0, (beam.open - 1).clamp(min=0)
    arity, most = parser.arity[actions], most_open(parser)
    positions = top[:, None] + torch.arange(parser.opened.shape[1], device=top.device)
    stack = beam.stack.scatter(1, positions, parser.opened[actions])
    ended = done | (beam.score.flatten() <= MASKED / 2)
    lost = (top + arity > most) | ended
    return _Beam(
        stack=torch.where(done[:, None], beam.stack, stack),
        open=torch.where(done, beam.open, (top + arity).clamp(max=most)),
        score=beam.score.masked_fill((lost & ~done).view(beam.score.shape), MASKED),
        hidden=beam.hidden,
        fed=beam.fed,
        inputs=F.embedding(actions, parser.action_embedding)[:, None],
        history=torch.cat([beam.history, torch.where(ended, -1, actions)[:, None]], dim=1),
    )


def _finish(beam: _Beam, rows: Tensor, where: list[int], parses: dict[int, Parse]) -> None:
    """Note the best hypothesis of these utterances."""
    width = beam.score.shape[1]
    best = rows * width + beam.score[rows].argmax(dim=1)
    histories = beam.history[best].tolist()
    scores = beam.score.reshape(-1)[best].tolist()
    left = beam.open[best].tolist()
    for row, history, score, still in zip(rows.tolist(), histories, scores, left, strict=True):
        actions = tuple(action for action in history if action >= 0)
        parses[where[row]] = Parse(actions, score, still == 0 and score > MASKED / 2)


def search(parser: Parser, batch: Batch) -> list[Parse]:
    """The best hypothesis for each row, by beams as wide as the parser has them."""
    width, table = parser.beam_size, parser.rows()
    encoding, tasks = parser.encode(batch.words, batch.lengths), batch.tasks
    beam = _start(parser, encoding, width)
    if width > 1:
        rows = torch.arange(len(batch)).repeat_interleave(width)
        encoding, tasks = encoding.take(moved(rows, batch.device)), tasks[rows]
    where = list(range(len(batch)))
    parses: dict[int, Parse] = {}
    for _ in range(parser.max_steps):
        beam = _advance(parser, beam, table, encoding, tasks)
        n = beam.score.shape[0]
        best = beam.score.argmax(dim=1)
        # log P only falls, so an utterance is done when its best hypothesis is complete or lost
        over = beam.open.view(n, width).gather(1, best[:, None])[:, 0] == 0
        over |= beam.score.amax(dim=1) <= MASKED / 2
        still = ~over
        remaining = int(still.sum())
        if not remaining:
            break
        if remaining < _SHRINK * n:
            _finish(beam, torch.nonzero(over)[:, 0], where, parses)
            rows = torch.nonzero(still)[:, 0]
            flat = (rows[:, None] * width + torch.arange(width, device=rows.device)).reshape(-1)
            where = [where[row] for row in rows.tolist()]
            beam = beam.pick(flat, beam.score[rows])
            encoding, tasks = encoding.take(flat), tasks[flat.cpu()]
    _finish(beam, torch.arange(len(where), device=beam.score.device), where, parses)
    return [parses[row] for row in range(len(batch))]
