"""Logical forms as trees, in the two notations of the benchmarks.

S-expressions (Overnight): `( f ( g x ) y )`; `( ( f x ) y )` opens a node without a label.
Functional terms (NLMap): `f ( g ( x ) , y )`; a quoted token may hold blanks, brackets and commas
and ends at the quote that stands before a comma, a closing bracket or the end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

MAX_DEPTH = 200  # levels of nesting; benchmark forms have about ten


class Notation(StrEnum):
    """How a logical form is written."""

    S_EXPRESSION = "s-expression"
    FUNCTIONAL = "functional"


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
    notation: Notation = field(default=Notation.S_EXPRESSION, hash=False)  # hashing it is slow

    def __str__(self) -> str:
        return " ".join(_tokens(self))

    @property
    def is_ground(self) -> bool:
        """Whether the node is a leaf or all its children are leaves."""
        return all(child.children is None for child in self.children or ())


def _tokens(node: Node) -> Iterator[str]:
    rest: list[Node | str] = [node]  # what is still to be written, the next one last
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            yield one
        elif one.children is None:
            yield one.label
        elif one.notation is Notation.S_EXPRESSION:
            yield "("
            if one.label:
                yield one.label
            rest += [")", *reversed(one.children)]
        else:
            yield one.label
            yield "("
            rest.append(")")
            for index, child in reversed(list(enumerate(one.children))):
                rest += [child, ","] if index else [child]


def detect_notation(text: str) -> Notation:
    """S-expression where the text opens with a bracket, else functional."""
    opens = text.lstrip().startswith("(")
    return Notation.S_EXPRESSION if opens else Notation.FUNCTIONAL


def read(text: str, notation: Notation) -> Node:
    """The tree that `text` writes; LogicalFormError where it writes none."""
    reader = _read_s_expression if notation is Notation.S_EXPRESSION else _read_functional
    return reader(text)


_S_TOKEN = re.compile(r"[()]|[^\s()]+")
_F_TOKEN = re.compile(r"(?s:'.*?')(?=\s*(?:[,)]|$))|[(),]|[^\s(),]+")
_F_BARE_TOKEN = re.compile(r"[(),]|[^\s(),]+")
_F_LAST_QUOTE = re.compile(r"(?s:.*)'(?=\s*(?:[,)]|$))")


def _functional_tokens(text: str) -> Iterator[re.Match[str]]:
    """Tokens in linear time: behind the last quote that can close, none is looked for."""
    last = _F_LAST_QUOTE.match(text)
    end = last.end() if last else 0
    return chain(_F_TOKEN.finditer(text, 0, end), _F_BARE_TOKEN.finditer(text, end))


def _deeper(depth: int, column: int) -> None:
    if depth > MAX_DEPTH:
        raise LogicalFormError(
            f"brackets are nested more than {MAX_DEPTH} deep; a logical form this deep is not "
            "supported",
            column,
        )


def _read_s_expression(text: str) -> Node:
    kind = Notation.S_EXPRESSION
    open_at: list[int] = []
    frames: list[list] = [[None, []]]  # [label or None while not known, children]
    for match in _S_TOKEN.finditer(text):
        token, column = match.group(), match.start() + 1
        if len(frames) == 1 and frames[0][1]:
            raise LogicalFormError(f"text after the end of the logical form: '{token}'", column)
        if token == "(":
            if frames[-1][0] is None:
                frames[-1][0] = ""  # a bracket where the label would stand: no label
            frames.append([None, []])
            open_at.append(column)
            _deeper(len(open_at), column)
        elif token == ")":
            if not open_at:
                raise LogicalFormError("a ')' without its '('", column)
            label, children = frames.pop()
            open_at.pop()
            frames[-1][1].append(Node(label or "", tuple(children), kind))
        elif open_at and frames[-1][0] is None:
            frames[-1][0] = token
        else:
            frames[-1][1].append(Node(token, None, kind))
    if open_at:
        raise LogicalFormError("a '(' that is never closed", open_at[-1])
    if not frames[0][1]:
        raise LogicalFormError("no logical form; expected one such as ( f x )", 1)
    return frames[0][1][0]


def _read_functional(text: str) -> Node:
    kind = Notation.FUNCTIONAL
    open_at: list[int] = []
    frames: list[tuple[str, list[Node]]] = [("", [])]
    before = ""  # kind of the token before: '', 'term', '(' or ','
    for match in _functional_tokens(text):
        token, column = match.group(), match.start() + 1
        if len(frames) == 1 and before == "term" and token != "(":
            what = "a ')' without its '('" if token == ")" else "text after the end of the form"
            raise LogicalFormError(f"{what}: '{token}'", column)
        if token == "(":
            if before != "term" or frames[-1][1][-1].children is not None:
                raise LogicalFormError("a '(' that does not follow a label", column)
            frames.append((frames[-1][1].pop().label, []))
            open_at.append(column)
            _deeper(len(open_at), column)
        elif token == ")":
            if before == "," or not open_at:
                wrong = "a ')' after a comma" if open_at else "a ')' without its '('"
                raise LogicalFormError(wrong, column)
            label, children = frames.pop()
            open_at.pop()
            frames[-1][1].append(Node(label, tuple(children), kind))
            token = "term"
        elif token == ",":
            if before != "term":
                raise LogicalFormError("a comma with no term before it", column)
        else:
            if before == "term":
                raise LogicalFormError(f"expected ',' or ')' before '{token}'", column)
            frames[-1][1].append(Node(token, None, kind))
            token = "term"
        before = token
    if open_at:
        raise LogicalFormError("a '(' that is never closed", open_at[-1])
    if not frames[0][1]:
        raise LogicalFormError("no logical form; expected one such as f ( x )", 1)
    return frames[0][1][0]
