"""Functional terms: NLMap, FunQL.

`f ( g ( x ) , y )`; a token between single quotes may hold blanks, brackets and commas and ends at
the quote that stands before a comma, a closing bracket or the end.
"""

import re
from collections.abc import Iterator
from itertools import chain

from core.language.notations.base import Notation, check_depth
from core.language.tree import LogicalFormError, Node, leaf
from core.registry import notations

_TOKEN = re.compile(r"(?s:'.*?')(?=\s*(?:[,)]|$))|[(),]|[^\s(),]+")
_BARE_TOKEN = re.compile(r"[(),]|[^\s(),]+")
_LAST_QUOTE = re.compile(r"(?s:.*)'(?=\s*(?:[,)]|$))")
_FOREIGN = re.compile(r'["\[\]{};\\]')


@notations.register("functional", label="functional terms", rank=20)
class Functional(Notation):
    """Functional terms, as in NLMap and FunQL."""

    example = "f ( g ( x ) , y )"

    @staticmethod
    def recognises(text: str) -> bool:
        return re.match(r"\s*[^\s(),]+\s*\(", text) is not None and not _FOREIGN.search(text)

    @staticmethod
    def read(text: str) -> Node:
        return _read(text)

    @staticmethod
    def parts(node: Node) -> list[str | Node]:
        if node.children is None:
            return [node.label]
        return [node.label, "(", *separated(node.children, ","), ")"]


def separated(children: tuple[Node, ...], sign: str) -> list[str | Node]:
    """The children with the sign between them."""
    parts: list[str | Node] = []
    for child in children:
        parts += [sign, child]
    return parts[1:]


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Tokens in linear time: behind the last quote that can close, none is looked for."""
    last = _LAST_QUOTE.match(text)
    end = last.end() if last else 0
    return chain(_TOKEN.finditer(text, 0, end), _BARE_TOKEN.finditer(text, end))


def _check(token: str, column: int) -> None:
    """LogicalFormError where a token shows that the text is written otherwise."""
    quoted = len(token) > 1 and token[0] == token[-1] == "'"
    if quoted and not re.search(r"(?<!\\)(?:\\\\)*\\'$", token):
        return
    sign = _FOREIGN.search(token)
    if sign:
        raise LogicalFormError(
            f"'{sign.group()}', which functional terms don't have; expected f ( x , 'a b' ), or "
            "Prolog in every row",
            column + sign.start(),
        )


def _read(text: str) -> Node:
    open_at: list[int] = []
    frames: list[tuple[str, list[Node]]] = [("", [])]
    before = ""  # kind of the token before: '', 'term', '(' or ','
    for match in _tokens(text):
        token, column = match.group(), match.start() + 1
        if len(frames) == 1 and before == "term" and token != "(":
            what = "a ')' without its '('" if token == ")" else "text after the end of the form"
            raise LogicalFormError(f"{what}: '{token}'", column)
        if token == "(":
            if before != "term" or frames[-1][1][-1].children is not None:
                raise LogicalFormError(
                    "a '(' that does not follow a label; expected f ( x , y ), or Prolog in every "
                    "row",
                    column,
                )
            frames.append((frames[-1][1].pop().label, []))
            open_at.append(column)
            check_depth(len(open_at), column)
        elif token == ")":
            if before == "," or not open_at:
                wrong = "a ')' after a comma" if open_at else "a ')' without its '('"
                raise LogicalFormError(wrong, column)
            label, children = frames.pop()
            open_at.pop()
            frames[-1][1].append(Node(label, tuple(children), "functional"))
            token = "term"
        elif token == ",":
            if before != "term":
                raise LogicalFormError("a comma with no term before it", column)
        else:
            if before == "term":
                raise LogicalFormError(f"expected ',' or ')' before '{token}'", column)
            _check(token, column)
            frames[-1][1].append(leaf(token, "functional"))
            token = "term"
        before = token
    if open_at:
        raise LogicalFormError("a '(' that is never closed", open_at[-1])
    if not frames[0][1]:
        raise LogicalFormError(f"no logical form; expected one such as {Functional.example}", 1)
    return frames[0][1][0]
