"""Beam search over many utterances at once; a beam of one is greedy decoding.

Open slots are a tensor: each hypothesis has a stack of slot numbers, an action pops one and pushes
its child slots. A hypothesis is complete when no slot is open.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from core.parser import by_task
from core.parser.applicable import MASKED
from core.parser.batch import Batch, split_by_length
from core.parser.model import Parser
from core.parser.modes import evaluating
from core.parser.moving import moved
from core.parser.network import Encoding
from core.parser.output import dense_scores
from core.stopping import ShouldStop, check, never

MAX_OPEN = 64  # open slots that a hypothesis may have at least; see `most_open`
_SHRINK = 0.7  # finished utterances leave the batch once fewer than this share are still open


@dataclass(frozen=True)
class Parse:
    """The best hypothesis for an utterance: action numbers, log P, whether no slot is open."""

    actions: tuple[int, ...]
    log_prob: float
    complete: bool


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


def most_open(parser: Parser) -> int:
    """Open slots a hypothesis may have; more is taken for a derivation gone astray.

    No derivation of the training data has more open slots than steps.
    """
    return max(MAX_OPEN, parser.grammar.longest)


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


def _advance(parser: Parser, beam: _Beam, encoding: Encoding, tasks: Tensor) -> _Beam:
    """One step of every hypothesis. `encoding` and `tasks`, on the CPU, have a row a hypothesis."""
    n, width = beam.score.shape
    x = torch.cat([beam.inputs, beam.fed], dim=2) if parser.input_feeding else beam.inputs
    h, hidden = parser.decoder(x, beam.hidden)
    fed = parser.attentional_state(parser.attend(h, encoding, tasks)[0])
    top = (beam.open - 1).clamp(min=0)
    slot = beam.stack.gather(1, top[:, None])[:, 0]
    bias = parser.applicable.bias(slot, moved(tasks, slot.device))
    scores = dense_scores(fed[:, 0], bias, parser.rows())  # (n w, actions)
    log_probs = F.log_softmax(scores, dim=1)
    log_probs = torch.where(bias < 0, bias, log_probs)  # with an empty A_t there is no action
    done = beam.open == 0
    stay = torch.full_like(log_probs, MASKED)
    stay[:, 0] = 0
    log_probs = torch.where(done[:, None], stay, log_probs)
    total = (beam.score.reshape(-1, 1) + log_probs).view(n, -1)
    score, index = total.topk(width, dim=1)
    actions = (index % log_probs.shape[1]).reshape(-1)
    parents = torch.arange(n, device=index.device)[:, None] * width + index // log_probs.shape[1]
    parents = parents.reshape(-1)
    next_beam = _Beam(beam.stack, beam.open, score, hidden, fed, beam.inputs, beam.history)
    next_beam = next_beam.pick(parents, score)
    done, top = done[parents], top[parents]
    arity = parser.arity[actions]
    places = top[:, None] + torch.arange(parser.opened.shape[1], device=top.device)
    stack = next_beam.stack.scatter(1, places, parser.opened[actions])
    ended = done | (score.reshape(-1) <= MASKED / 2)
    most = most_open(parser)
    lost = (top + arity > most) | ended
    return _Beam(
        stack=torch.where(done[:, None], next_beam.stack, stack),
        open=torch.where(done, next_beam.open, (top + arity).clamp(max=most)),
        score=score.masked_fill((lost & ~done).view(n, width), MASKED),
        hidden=next_beam.hidden,
        fed=next_beam.fed,
        inputs=F.embedding(actions, parser.action_embedding)[:, None],
        history=torch.cat([next_beam.history, torch.where(ended, -1, actions)[:, None]], dim=1),
    )


def _finish(beam: _Beam, rows: Tensor, where: list[int], found: dict[int, Parse]) -> None:
    """Note the best hypothesis of these utterances."""
    width = beam.score.shape[1]
    best = rows * width + beam.score[rows].argmax(dim=1)
    histories = beam.history[best].tolist()
    scores = beam.score.reshape(-1)[best].tolist()
    left = beam.open[best].tolist()
    for row, history, score, still in zip(rows.tolist(), histories, scores, left, strict=True):
        actions = tuple(action for action in history if action >= 0)
        found[where[row]] = Parse(actions, score, still == 0 and score > MASKED / 2)


def _search(parser: Parser, batch: Batch, width: int, max_steps: int) -> list[Parse]:
    encoding = parser.encode(batch.words, batch.lengths)
    beam = _start(parser, encoding, width)
    rows = torch.arange(len(batch)).repeat_interleave(width)
    encoding = encoding.take(moved(rows, batch.words.device))
    tasks = batch.tasks.repeat_interleave(width)
    where = list(range(len(batch)))
    found: dict[int, Parse] = {}
    for _ in range(max_steps):
        beam = _advance(parser, beam, encoding, tasks)
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
            _finish(beam, torch.nonzero(over)[:, 0], where, found)
            rows = torch.nonzero(still)[:, 0]
            flat = (rows[:, None] * width + torch.arange(width, device=rows.device)).reshape(-1)
            where = [where[row] for row in rows.tolist()]
            beam = beam.pick(flat, beam.score[rows])
            encoding, tasks = encoding.take(flat), tasks[flat.cpu()]
    _finish(beam, torch.arange(len(where), device=beam.score.device), where, found)
    return [found[row] for row in range(len(batch))]


@torch.no_grad()
def parse(
    parser: Parser, batch: Batch, rows_at_once: int = 256, should_stop: ShouldStop = never
) -> list[Parse]:
    """The best hypothesis for each row of the batch, dropout off.

    A derivation ends unfinished at twice the longest that training shows.
    """
    found: dict[int, Parse] = {}
    with evaluating(parser):
        for rows, parses in _parts(parser, batch, rows_at_once, should_stop):
            found.update(zip(rows, parses, strict=True))
    return [found[row] for row in range(len(batch))]


def _parts(
    parser: Parser, batch: Batch, size: int, should_stop: ShouldStop
) -> Iterator[tuple[list[int], list[Parse]]]:
    width = parser.beam_size
    for rows in split_by_length(batch, max(1, size // width)):
        for task, own in by_task.parts(parser, batch.tasks[rows]):
            check(should_stop)
            part = batch.take(rows[own])
            found = by_task.call(parser, task, _search, parser, part, width, parser.max_steps)
            yield rows[own].tolist(), found
