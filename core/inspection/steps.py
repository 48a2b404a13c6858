"""What a parser does with one utterance, step by step: slot, applicable actions, attention.

Along the parser's own best hypothesis or, teacher-forced, along a given derivation. PyTorch is
loaded when something is parsed, not before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.inspection.utterances import best, row_of, unread, words_of, written
from core.language.derivation import Rule
from core.language.grammar import Grammar

if TYPE_CHECKING:
    from core.parser.model import Parser

BEST = 5  # actions told of each step


@dataclass(frozen=True)
class StepTrace:
    """One step: the action, how probable it was, and what else could have been.

    `probability` is P(action | the actions before, utterance), exactly 0 where it isn't applicable;
    `rank` is its place among the applicable ones, from 1; 0 where it isn't among them.
    """

    slot: str
    action: str  # empty where the parser's own derivation finds A_t empty and ends
    probability: float
    rank: int
    applicable: int  # how many actions A_t has
    best: tuple[tuple[str, float], ...]  # the most probable ones of A_t, BEST at most
    attention: NDArray[np.float32]  # (words,), sums to 1; of one unknown word where there are none


@dataclass(frozen=True)
class Trace:
    """A derivation step by step, for an utterance read as one of task number `task` (from 0)."""

    words: tuple[str, ...]
    known: tuple[bool, ...]  # which words the vocabulary has
    task: int
    steps: tuple[StepTrace, ...]
    logical_form: str | None  # None where slots stay open
    unread: int = 0  # of the last words nothing is known: a transformer's limit

    @property
    def complete(self) -> bool:
        return self.logical_form is not None

    @property
    def probability(self) -> float:
        """P of all steps together."""
        return math.prod(step.probability for step in self.steps)


def explain(
    parser: Parser, utterance: str, task: int, steps: Sequence[Rule] | None = None
) -> Trace:
    """What the parser does with the utterance, read as one of task number `task` (from 0).

    Along `steps` or, without them, along the parser's best hypothesis. A task that is not learned
    yet is read as the last one that is; a step whose action no training data show ends the trace.
    Dropout is off and the parser is left as it was.
    """
    import torch

    from core.parser.modes import evaluating

    words = words_of(utterance)
    task = min(task, parser.known_tasks)
    with evaluating(parser), torch.no_grad():
        if steps is None:
            hypothesis = best(parser, words, task)
            actions, closed = list(hypothesis.actions), hypothesis.complete
            unknown = None if closed else ""
        else:
            actions, unknown = _numbers(parser.grammar, steps)
            closed = unknown is None and not _open_slots(parser.grammar, actions)[1]
        traced = _along(parser, words, task, actions, unknown)
        if unknown == "" and traced[-1].applicable:  # it was cut, not for want of an action
            traced = traced[:-1]
    known = tuple(word in parser.vocabulary for word in words)
    form = written(parser.grammar, actions) if closed else None
    return Trace(tuple(words), known, task, traced, form, unread(parser, words))


def _numbers(grammar: Grammar, steps: Sequence[Rule]) -> tuple[list[int], str | None]:
    """Action numbers up to the first action that the grammar doesn't have, and that action."""
    numbers: list[int] = []
    for step in steps:
        if step.action not in grammar.action_ids:
            return numbers, str(step.action)
        numbers.append(grammar.action_ids[step.action])
    return numbers, None


def _open_slots(grammar: Grammar, actions: Sequence[int]) -> tuple[list[int], list[int]]:
    """The slot that each action fills, and the slots open after the last, the next one last."""
    filled, still = [], [0]  # number 0 is the slot of the whole form
    for action in actions:
        filled.append(still.pop())
        still += [grammar.slot_ids[slot] for slot in reversed(grammar.actions[action].slots)]
    return filled, still


def _along(
    parser: Parser, words: Sequence[str], task: int, actions: Sequence[int], unknown: str | None
) -> tuple[StepTrace, ...]:
    """A trace of each action, and of the unknown one after them where there is one."""
    import torch

    from core.parser.output import dense_scores

    grammar = parser.grammar
    slots, still = _open_slots(grammar, actions)
    given = list(actions)
    if unknown is not None:
        slots.append(still[-1])
        given.append(0)  # s_t does not depend on the action of its own step
    if not given:
        return ()
    row = row_of(parser, words, task, slots, given)
    states, attention = parser.teacher_forced(row)
    bias = parser.applicable.bias(row.slots[0], row.task_of_step)
    log_probs = torch.log_softmax(dense_scores(states, bias, parser.rows()), dim=1)
    log_probs = log_probs.masked_fill(bias < 0, -torch.inf)
    logs = log_probs.cpu().numpy().astype(np.float64)  # (steps, actions)
    weights = attention[0].cpu().numpy()
    names = [str(grammar.actions[number]) for number in actions]
    names += [] if unknown is None else [unknown]
    numbers = [*actions, *([] if unknown is None else [-1])]
    return tuple(
        _step(grammar, *each) for each in zip(slots, numbers, names, logs, weights, strict=True)
    )


def _step(
    grammar: Grammar,
    slot: int,
    action: int,
    name: str,
    logs: NDArray[np.float64],
    weights: NDArray[np.float32],
) -> StepTrace:
    applicable = int(np.isfinite(logs).sum())
    order = np.argsort(-logs, kind="stable")[: min(BEST, applicable)]
    log = logs[action] if action >= 0 else -math.inf
    return StepTrace(
        slot=str(grammar.slots[slot]),
        action=name,
        probability=math.exp(log),
        rank=int((logs > log).sum()) + 1 if math.isfinite(log) else 0,
        applicable=applicable,
        best=tuple((str(grammar.actions[at]), math.exp(logs[at])) for at in order),
        attention=weights,
    )
