"""What a notation is, and which of them a file of logical forms is written in."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection

from core.language.tree import MAX_DEPTH, LogicalFormError, Node
from core.registry import notations


class Notation(ABC):
    """How logical forms are written; `read` and `write` are inverse on trees."""

    example: str  # a form, for messages and pages

    @staticmethod
    @abstractmethod
    def recognises(text: str) -> bool:
        """Whether the text looks like a form in this notation, judged quickly."""

    @staticmethod
    @abstractmethod
    def read(text: str) -> Node:
        """The tree that the text writes; LogicalFormError where it writes none."""

    @staticmethod
    @abstractmethod
    def parts(node: Node) -> list[str | Node]:
        """What the node is written with, left to right: tokens, and its children."""

    @classmethod
    def write(cls, node: Node) -> str:
        """The node as text, single blanks between tokens, whatever its depth."""
        tokens: list[str] = []
        rest: list[str | Node] = [node]  # what is still to be written, the next last
        while rest:
            part = rest.pop()
            if isinstance(part, str):
                tokens.append(part)
            else:
                rest += reversed(cls.parts(part))
        return " ".join(tokens)


def check_depth(depth: int, column: int) -> None:
    """LogicalFormError where brackets are nested too deep."""
    if depth > MAX_DEPTH:
        raise LogicalFormError(
            f"brackets are nested more than {MAX_DEPTH} deep; a logical form this deep is not "
            "supported",
            column,
        )


def readable(text: str, notation: str) -> bool:
    """Whether the text is a form in this notation."""
    try:
        notations[notation].value.read(text)
    except LogicalFormError:
        return False
    return True


def detect(texts: Collection[str], reads: Callable[[str, str], bool] = readable) -> str:
    """The notation of forms that belong together: the first that reads them all, else the one that
    reads most of them and, of those, recognises most. `reads` takes a form and a notation.
    """
    for name in notations:
        if all(reads(text, name) for text in texts):
            return name
    counts = {
        name: (
            sum(reads(text, name) for text in texts),
            sum(entry.value.recognises(text) for text in texts),
        )
        for name, entry in notations.items()
    }
    return max(counts, key=lambda name: counts[name])
