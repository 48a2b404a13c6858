"""Two logical forms (or utterances) token by token: what only one of them has, and where."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

TOKEN = re.compile(r"[()\[\]{},:]|[^\s()\[\]{},:]+")
CUT = "…"
AROUND = 2  # tokens that an excerpt shows before the first difference


@dataclass(frozen=True)
class Token:
    """A token as it stands in its text, with the blanks before it."""

    text: str
    blank: str
    differs: bool = False  # the other text does not have it there


def tokens(text: str) -> list[Token]:
    """Brackets, commas and colons alone, other runs of letters whole; joined they are the text."""
    ends = [0, *(match.end() for match in TOKEN.finditer(text))]
    return [
        Token(match.group(), text[end : match.start()])
        for end, match in zip(ends, TOKEN.finditer(text), strict=False)
    ]


def differences(left: str, right: str) -> tuple[list[Token], list[Token]]:
    """The tokens of both, matched as difflib does, with those marked that the other lacks there."""
    pair = tokens(left), tokens(right)
    left_words, right_words = ([token.text for token in side] for side in pair)
    matcher = difflib.SequenceMatcher(None, left_words, right_words, autojunk=False)
    for name, i, j, p, q in matcher.get_opcodes():
        if name != "equal":
            for side, start, end in ((pair[0], i, j), (pair[1], p, q)):
                side[start:end] = [Token(t.text, t.blank, True) for t in side[start:end]]
    return pair


def written(side: Sequence[Token]) -> str:
    """The tokens as text again."""
    return "".join(token.blank + token.text for token in side).strip()


def excerpt(text: str, beside: str, most: int) -> str:
    """The text where it has at most so many letters, else what stands around its first difference
    from `beside`, with CUT for what is left out on either side; where both are equal its beginning.
    """
    if len(text) <= most:
        return text
    side, other = differences(text, beside)
    first = next((at for at, token in enumerate(side) if token.differs), len(side))
    if first == len(side) and any(token.differs for token in other):  # only something is missing
        first = _missing_at(side, other)
    start = 0 if first == len(side) else max(0, first - AROUND)
    shown = written(side[start:])
    head = f"{CUT} " if start else ""
    room = most - len(head)
    return head + (shown if len(shown) <= room else shown[: room - 2].rstrip() + f" {CUT}")


def _missing_at(side: Sequence[Token], other: Sequence[Token]) -> int:
    """Before which token of `side` the first one that only `other` has would stand."""
    first = next(at for at, token in enumerate(other) if token.differs)
    return min(first, len(side) - 1)
