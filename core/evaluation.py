"""What a parser gets right: exact match of the logical form as text, top hypothesis."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.data.base import Example
from core.language.derivation import actions_to_logical_form
from core.language.grammar import NEVER, Grammar
from core.parser.batch import Batch, join
from core.parser.decode import parse
from core.parser.hypothesis import Parse
from core.parser.model import Parser
from core.stopping import ShouldStop, never

EVALUATION_WORK = 0.4  # a parsed row, in units of a row trained on (measured)
ROWS_TOGETHER = 64


class FormWriter:
    """Action numbers → text of the logical form, each distinct derivation once."""

    def __init__(self, grammar: Grammar) -> None:
        self._actions = grammar.actions
        self._texts: dict[tuple[int, ...], str] = {}

    def text(self, parsed: Parse) -> str | None:
        """The form that the hypothesis writes; None where it never came to an end."""
        if not parsed.complete:
            return None
        if parsed.actions not in self._texts:
            actions = [self._actions[number] for number in parsed.actions]
            self._texts[parsed.actions] = str(actions_to_logical_form(actions))
        return self._texts[parsed.actions]


def hypotheses(parser: Parser, rows: Batch, should_stop: ShouldStop = never) -> list[Parse]:
    """The top hypothesis of each row; equal utterances (of one task) are parsed once."""
    known = np.column_stack([rows.words.cpu().numpy(), rows.tasks.numpy()])
    _, first, where = np.unique(known, axis=0, return_index=True, return_inverse=True)
    parsed = parse(parser, rows.take(first), should_stop=should_stop)
    return [parsed[number] for number in where.reshape(-1)]


def hypotheses_by_task(
    parser: Parser, tasks: Sequence[Batch], should_stop: ShouldStop = never
) -> Iterator[list[Parse]]:
    """`hypotheses` of each task's rows; tasks of few rows that stand side by side are read at once.

    After task k all of 0 … k are parsed: with many small tasks most of it was beginning to parse.
    """
    for group in small_together(tasks):
        parses = iter(hypotheses(parser, join(group), should_stop))
        for rows in group:
            yield list(islice(parses, len(rows)))


def small_together(batches: Iterable[Batch]) -> Iterator[list[Batch]]:
    """The batches in order, as many together as have at most ROWS_TOGETHER rows, or one."""
    group: list[Batch] = []
    for rows in batches:
        if group and sum(map(len, group)) + len(rows) > ROWS_TOGETHER:
            yield group
            group = []
        group.append(rows)
    if group:
        yield group


def predictions(parser: Parser, rows: Batch, writer: FormWriter) -> list[str | None]:
    """The top hypothesis of each row as text."""
    return [writer.text(parsed) for parsed in hypotheses(parser, rows)]


def matches(
    parses: Sequence[Parse], examples: Sequence[Example], writer: FormWriter
) -> NDArray[np.bool_]:
    """Which hypotheses write the gold form, text by text: (n,) of bool."""
    pairs = zip(parses, examples, strict=True)
    return np.array([writer.text(parse) == row.logical_form for parse, row in pairs], dtype=bool)


def correct(
    parser: Parser, examples: Sequence[Example], rows: Batch, writer: FormWriter
) -> NDArray[np.bool_]:
    """Which rows' top hypothesis is the gold form: (n,) of bool."""
    return matches(hypotheses(parser, rows), examples, writer)


def grammar_coverage(grammar: Grammar, examples: Sequence[Example], tasks: int) -> tuple[int, ...]:
    """Upper bound: how many rows' forms can be written once tasks 0 … k are known, for each k."""
    first = {e.derivation: grammar.first_writable_task(e.derivation) for e in examples}
    since = np.array([first[e.derivation] for e in examples], dtype=np.int64)
    return tuple(int((since[since != NEVER] <= k).sum()) for k in range(tasks))
