"""What a parser gets right: exact match of the logical form as text, top hypothesis (notes §6)."""

from collections.abc import Sequence

import numpy as np

from core.data.base import Example
from core.language.grammar import NEVER, Grammar, actions_to_logical_form
from core.parser.batch import Batch
from core.parser.decode import Parse, parse
from core.parser.model import Parser


class Writer:
    """Action numbers → text of the logical form, each distinct derivation once."""

    def __init__(self, grammar: Grammar) -> None:
        self._actions = grammar.actions
        self._texts: dict[tuple[int, ...], str] = {}

    def text(self, found: Parse) -> str | None:
        """The form that the hypothesis writes; None where it never came to an end."""
        if not found.complete:
            return None
        if found.actions not in self._texts:
            actions = [self._actions[number] for number in found.actions]
            self._texts[found.actions] = str(actions_to_logical_form(actions))
        return self._texts[found.actions]


def predictions(parser: Parser, rows: Batch, writer: Writer) -> list[str | None]:
    """The top hypothesis of each row as text; equal utterances are parsed once."""
    _, first, where = np.unique(
        rows.words.cpu().numpy(), axis=0, return_index=True, return_inverse=True
    )
    texts = [writer.text(found) for found in parse(parser, rows.take(first))]
    return [texts[number] for number in where.reshape(-1)]


def correct(parser: Parser, examples: Sequence[Example], rows: Batch, writer: Writer) -> np.ndarray:
    """Which rows' top hypothesis is the gold form, text by text: (n,) of bool."""
    found = predictions(parser, rows, writer)
    gold = [example.logical_form for example in examples]
    return np.array([text == form for text, form in zip(found, gold, strict=True)], dtype=bool)


def reachable(grammar: Grammar, examples: Sequence[Example], tasks: int) -> tuple[int, ...]:
    """The ceiling: how many rows' forms can be written once tasks 0 … k are known, for each k."""
    first = {e.steps: grammar.first_known(e.steps) for e in examples}
    since = np.array([first[e.steps] for e in examples], dtype=np.int64)
    return tuple(int((since[since != NEVER] <= k).sum()) for k in range(tasks))
