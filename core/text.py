"""Text from outside (names, messages of servers), made fit for store, terminal and figures."""

import unicodedata
from collections.abc import Sequence

NAME_LENGTH = 200  # characters of a run's name
_BREAKS = {"Cc", "Zl", "Zp", "Zs"}  # control characters, line and paragraph breaks, blanks
_UNSEEN = frozenset("\u061c\u180e\u200b\u200e\u200f\u2060\ufeff\u00ad")  # marks without a shape


def clean(text: str, limit: int = NAME_LENGTH) -> str:
    """The text on one line of at most `limit` characters, in Unicode's composed form (NFC).

    Control characters and breaks become single blanks; what turns the direction of writing or has
    no shape is left out, as are halves of characters. Joiners stay: scripts and emoji need them.
    """
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    head = text[: 20 * limit]  # so that a huge one costs nothing
    shown = "".join(_shown(character) for character in unicodedata.normalize("NFC", head))
    line = " ".join(shown.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def counted(count: int, noun: str) -> str:
    """`1 run`, `3 runs`."""
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def first_few(texts: Sequence[str], most: int) -> str:
    """`a, b, c and 4 more`: the first ones, and how many the others are."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def middle_cut(text: str, most: int) -> str:
    """The text with its middle left out where it has more than so many letters."""
    if len(text) <= most:
        return text
    head = most // 2
    return text[:head].rstrip() + "…" + text[len(text) - (most - 1 - head) :].lstrip()


def cut_apart(texts: Sequence[str], most: int) -> list[str]:
    """The texts with their middles left out, a letter more of each until different ones differ."""
    count = len(set(texts))
    while True:
        cut = [middle_cut(text, most) for text in texts]
        if len(set(cut)) == count:
            return cut
        most += 1


def _shown(character: str) -> str:
    kind = unicodedata.category(character)
    if kind in _BREAKS:
        return " "
    turns = "\u202a" <= character <= "\u202e" or "\u2066" <= character <= "\u206f"
    return "" if kind == "Cs" or turns or character in _UNSEEN else character


def bar(share: float, width: int = 24) -> str:
    """`██████░░░░░░░░░░░░░░░░░░`, in characters, for a terminal."""
    return f"{'█' * round(share * width):░<{width}}"
