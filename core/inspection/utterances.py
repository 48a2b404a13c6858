"""One utterance as a parser reads it, and the logical form that it writes.

PyTorch is loaded when something is parsed, not before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.data.base import normalise
from core.language.derivation import actions_to_logical_form
from core.language.grammar import Grammar
from core.text import counted

if TYPE_CHECKING:
    from torch import Tensor

    from core.parser.batch import Batch
    from core.parser.hypothesis import Parse
    from core.parser.model import Parser

MOST_WORDS, MOST_LETTERS = 100, 1000  # of what is typed; the benchmarks have 31 words at most


@dataclass(frozen=True)
class Written:
    """The logical form of an utterance, and how sure the parser is of it."""

    logical_form: str | None  # None where slots stay open
    probability: float  # P of all its steps together
    unknown: tuple[str, ...]  # words that the vocabulary has not
    unread: int  # words behind the limit of the transformer that the encoder reads


def cut(utterance: str) -> str:
    """The utterance's first words with single blanks between them: as much as is read."""
    words = normalise(utterance[: 20 * MOST_LETTERS]).split()
    return " ".join(words[:MOST_WORDS])[:MOST_LETTERS].rstrip()


def words_of(utterance: str) -> list[str]:
    """Its words, in lower case and in Unicode's composed form."""
    return normalise(utterance).lower().split()


def write(parser: Parser, utterance: str, task: int) -> Written:
    """What the parser writes for the utterance, read as one of task number `task` (from 0).

    A task that is not learned yet is read as the last one that is.
    """
    words = words_of(utterance)
    parsed = best(parser, words, min(task, parser.known_tasks))
    form = written(parser.grammar, parsed.actions) if parsed.complete else None
    unknown = tuple(word for word in words if word not in parser.vocabulary)
    return Written(form, math.exp(parsed.log_prob), unknown, unread(parser, words))


def unread(parser: Parser, words: Sequence[str]) -> int:
    """How many of the words lie behind the limit of the transformer that the encoder reads."""
    return parser.transformer.cutter.cut(tuple(words)).n_cut if parser.transformer else 0


def unread_text(count: int) -> str:
    """What so many unread words mean, in a sentence."""
    words = counted(count, "word")
    return f"Longer than the transformer reads: of the last {words} nothing is known."


def best(parser: Parser, words: Sequence[str], task: int) -> Parse:
    """The parser's best hypothesis."""
    from core.parser.decode import parse

    (parsed,) = parse(parser, row_of(parser, words, task, [], []))
    return parsed


def written(grammar: Grammar, actions: Sequence[int]) -> str:
    """The logical form of these action numbers."""
    return str(actions_to_logical_form([grammar.actions[number] for number in actions]))


def row_of(
    parser: Parser, words: Sequence[str], task: int, slots: Sequence[int], actions: Sequence[int]
) -> Batch:
    """The utterance with these steps as a batch of one row, on the parser's device."""
    import torch

    from core.parser.batch import Batch

    numbers = parser.vocabulary.encode(words)

    def table(row: Sequence[int]) -> Tensor:
        return torch.tensor([list(row)], dtype=torch.int64)

    row = Batch(
        words=table(numbers),
        lengths=torch.tensor([len(numbers)]),
        slots=table(slots),
        actions=table(actions),
        steps=torch.tensor([len(actions)]),
        tasks=torch.tensor([task]),
    )
    return parser.placed(row)
