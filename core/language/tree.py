"""Logical forms as trees. How they are written is the business of `core/language/notations/`."""

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, TypeVar, cast

from core.registry import notations

MAX_DEPTH = 200  # levels of nesting; benchmark forms have about ten


T = TypeVar("T")


def hashed_once(cls: type[T]) -> type[T]:
    """Decorator: a frozen dataclass whose hash is computed once an object, and never copied: it
    holds in this process only.
    """
    names = tuple(item.name for item in fields(cast(Any, cls)))
    compute = cast(Any, cls).__hash__

    def __hash__(self: Any) -> int:  # noqa: N807
        value: int | None = self.__dict__.get("_hash")
        if value is None:
            value = self.__dict__["_hash"] = compute(self)
        return value

    def __reduce__(self: Any) -> tuple[type, tuple[Any, ...]]:  # noqa: N807
        return cls, tuple(getattr(self, name) for name in names)

    cast(Any, cls).__hash__, cast(Any, cls).__reduce__ = __hash__, __reduce__
    return cls


class LogicalFormError(ValueError):
    """Text that is no logical form: what is wrong, and in which column (from 1); `form` is the text
    where a reader of rows has set it.
    """

    form = ""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.column = column


@hashed_once
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


@lru_cache(maxsize=1 << 17)
def leaf(token: str, notation: str) -> Node:
    """A bare token; equal ones are one object."""
    return Node(token, None, notation)


def read(text: str, notation: str) -> Node:
    """The tree that `text` writes; LogicalFormError where it writes none."""
    return cast(Node, notations[notation].value.read(text))
