"""Logical forms as trees. How they are written is the business of `core/language/notations/`."""

from dataclasses import dataclass, field
from typing import cast

from core.registry import notations

MAX_DEPTH = 200  # levels of nesting; benchmark forms have about ten


class LogicalFormError(ValueError):
    """Text that is no logical form: what is wrong, and in which column (from 1)."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class Node:
    """A node of a logical form: a label and its children.

    `children` is None for a bare token `x` and () for brackets with nothing in them, `( x )`;
    `read(text, notation)` and `str(node)` are inverse on text with single blanks.
    """

    label: str
    children: tuple["Node", ...] | None = None
    notation: str = field(default="s_expression", hash=False)  # registered; hashing it is slow

    def __str__(self) -> str:
        return cast(str, notations[self.notation].value.write(self))

    @property
    def is_ground(self) -> bool:
        """Whether the node is a leaf or all its children are leaves."""
        return all(child.children is None for child in self.children or ())


def read(text: str, notation: str) -> Node:
    """The tree that `text` writes; LogicalFormError where it writes none."""
    return cast(Node, notations[notation].value.read(text))
