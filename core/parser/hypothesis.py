"""What decoding finds, and how far it goes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.parser.model import Parser

MAX_OPEN = 64  # open slots that a hypothesis may have at least; see `most_open`


@dataclass(frozen=True)
class Parse:
    """The best hypothesis for an utterance: action numbers, log P, whether no slot is open."""

    actions: tuple[int, ...]
    log_prob: float
    complete: bool


def most_open(parser: "Parser") -> int:
    """Open slots a hypothesis may have; more is taken for a derivation gone astray.

    No derivation of the training data has more open slots than steps.
    """
    return max(MAX_OPEN, parser.grammar.longest)
