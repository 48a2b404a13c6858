"""Prolog terms: GeoQuery, Jobs and Restaurants as they were published (Zelle and Mooney, 1996).

`answer(A, (city(A), \\+ loc(A, B)))`: compounds, lists, `a, b` and `a ; b` with as many parts as
stand side by side, operators at their priorities in ISO Prolog, both kinds of quotes. A list is a
node `[]`, with a tail `[|]`; an operator is a node labelled by it. Brackets around one term say
nothing that the tree does not.
"""

import re

from core.language.notations.base import Notation, check_depth
from core.language.tree import LogicalFormError, Node, leaf
from core.registry import notations

_EQUALS = ("=", "\\=", "==", "\\==", "is", "=:=", "=\\=", "=..")
_ORDERS = ("<", ">", "=<", ">=", "@<", "@>", "@=<", "@>=")
_INFIX = {  # priority, and by how much less its left and its right operand must have
    ":-": (1200, 1, 1),
    ";": (1100, 1, 1),
    "->": (1050, 1, 0),
    ",": (1000, 1, 1),
    **dict.fromkeys((*_EQUALS, *_ORDERS), (700, 1, 1)),
    **dict.fromkeys(("+", "-"), (500, 0, 1)),
    **dict.fromkeys(("*", "/", "//", "mod", "rem"), (400, 0, 1)),
    "**": (200, 1, 1),
    **dict.fromkeys(("^", ":"), (200, 1, 0)),
}
_PREFIX = {"\\+": 900, "-": 200}
_CHAINED = (",", ";")  # as many parts as stand side by side
_ARGUMENT = 999
_ANY = 1200
_BEHIND_AN_ATOM = ("", ",", ";", ")", "]", "|")
_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|\d+\.\d+(?:[eE][+-]?\d+)?|\w+|[()\[\],;|!]"""
    r"""|[-+*/\\^<>=~:.?@#&$]+|\S"""
)
_ATOM = re.compile(r"""'.*'|".*"|\w.*|!""", re.DOTALL)
_SYMBOL = re.compile(r"[-+*/\\^<>=~:.?@#&$]+")
_END = re.compile(r"\.\s*$")


@notations.register("prolog", label="Prolog terms", rank=30)
class Prolog(Notation):
    """Prolog terms with lists, conjunctions and both kinds of quotes, as in GeoQuery and Jobs."""

    example = "answer(A, (city(A), \\+ loc(A, 'new town')))"

    @staticmethod
    def recognises(text: str) -> bool:
        return (
            re.match(r"\s*[\w'(\\\[]", text) is not None
            and re.search(r"[,;\[\"\\]", text) is not None
        )

    @staticmethod
    def read(text: str) -> Node:
        return _Reader(text).form()

    @staticmethod
    def parts(node: Node) -> list[str | Node]:
        return _parts(node)


class _Reader:
    """Reads one form by operator precedence."""

    def __init__(self, text: str) -> None:
        matches = list(_TOKEN.finditer(_END.sub("", text)))
        self._tokens = [match.group() for match in matches] + [""]
        self._spans = [match.span() for match in matches] + [(len(text), len(text))]
        self._at = self._depth = 0

    def form(self) -> Node:
        if not self._tokens[0]:
            raise LogicalFormError(f"no logical form; expected one such as {Prolog.example}", 1)
        tree = self._term(_ANY)
        if self._tokens[self._at]:
            raise self._error(f"expected an operator before '{self._tokens[self._at]}'")
        return tree

    def _error(self, message: str, at: int | None = None) -> LogicalFormError:
        return LogicalFormError(message, self._spans[self._at if at is None else at][0] + 1)

    def _taken(self, *signs: str) -> bool:
        """Whether one of these tokens comes next, which is then behind us."""
        if self._tokens[self._at] not in signs:
            return False
        self._at += 1
        return True

    def _term(self, limit: int) -> Node:
        """A term of at most this priority."""
        check_depth(self._depth, self._spans[self._at][0] + 1)
        self._depth += 1
        left, priority = self._primary(limit)
        while sign := self._tokens[self._at]:
            mine, less, less_right = _INFIX.get(sign, (_ANY + 1, 0, 0))
            if mine > limit or priority > mine - less:
                break
            self._at += 1
            operands = [left, self._term(mine - less_right)]
            while sign in _CHAINED and self._taken(sign):
                operands.append(self._term(mine - less_right))
            left, priority = Node(sign, tuple(operands), "prolog"), mine
        self._depth -= 1
        return left

    def _primary(self, limit: int) -> tuple[Node, int]:
        """What stands before an infix operator, and its priority."""
        start, token = self._at, self._tokens[self._at]
        self._at += 1
        following = self._tokens[min(self._at, len(self._tokens) - 1)]
        beside = self._at < len(self._spans) and self._spans[start][1] == self._spans[self._at][0]
        is_symbol = _SYMBOL.fullmatch(token) is not None
        if token == "(":
            inner = self._term(_ANY)
            self._close(")", start)
            return inner, 0
        if token == "[":
            return self._list(start), 0
        if is_symbol and following in _BEHIND_AN_ATOM:
            return leaf(token, "prolog"), 0
        if token == "-" and beside and following[0].isdigit():
            self._at += 1
            return leaf(token + following, "prolog"), 0
        if token in _PREFIX and not (token == "-" and beside and following == "("):
            operand = self._term(min(limit, _PREFIX[token]))
            return Node(token, (operand,), "prolog"), min(limit, _PREFIX[token])
        if not is_symbol and not _ATOM.fullmatch(token):
            raise self._error(_wrong(token), start)
        if self._taken("("):
            return Node(token, self._arguments(start + 1), "prolog"), 0
        if is_symbol:
            raise self._error(f"expected a term before '{token}'", start)
        return leaf(token, "prolog"), 0

    def _arguments(self, opened: int) -> tuple[Node, ...]:
        if self._taken(")"):
            return ()
        children = [self._term(_ARGUMENT)]
        while self._taken(","):
            children.append(self._term(_ARGUMENT))
        self._close(")", opened)
        return tuple(children)

    def _list(self, opened: int) -> Node:
        if self._taken("]"):
            return leaf("[]", "prolog")
        children, label = [self._term(_ARGUMENT)], "[]"
        while self._taken(","):
            children.append(self._term(_ARGUMENT))
        if self._taken("|"):
            children.append(self._term(_ARGUMENT))
            label = "[|]"
        self._close("]", opened)
        return Node(label, tuple(children), "prolog")

    def _close(self, sign: str, opened: int) -> None:
        if not self._taken(sign):
            token = self._tokens[self._at]
            if token:
                raise self._error(f"expected ',' or '{sign}' before '{token}'")
            raise self._error(f"a '{self._tokens[opened]}' that is never closed", opened)


def _wrong(token: str) -> str:
    if token in ("", ")", "]", ",", "|"):
        return "expected a term before " + (f"'{token}'" if token else "the end")
    return f"'{token}', which Prolog's terms don't have; expected it between single quotes"


def _parts(node: Node) -> list[str | Node]:
    label, children = node.label, node.children
    if children is None:
        return [label]
    if label == "[]":
        return ["[", *_between(children, ","), "]"]
    if label == "[|]":
        return ["[", *_between(children[:-1], ","), "|", *_between(children[-1:], ","), "]"]
    if label in _PREFIX and len(children) == 1:
        return [label, *_operand(children[0], _PREFIX[label])]
    if label in _CHAINED and len(children) > 1:
        return ["(", *_between(children, label), ")"]
    if label in _INFIX and len(children) == 2:
        priority, less, less_right = _INFIX[label]
        left, right = children
        return [*_operand(left, priority - less), label, *_operand(right, priority - less_right)]
    return [label, "(", *_between(children, ","), ")"]


def _between(children: tuple[Node, ...], sign: str) -> list[str | Node]:
    """The children with a comma or semicolon between them."""
    parts: list[str | Node] = []
    for child in children:
        alone = child.children is None or _priority(child) < _INFIX[sign][0]
        parts += [sign, child] if alone else [sign, "(", child, ")"]
    return parts[1:]


def _operand(node: Node, limit: int) -> list[str | Node]:
    """The node, in brackets where its own operator binds less."""
    return ["(", node, ")"] if _priority(node) > limit else [node]


def _priority(node: Node) -> int:
    count = len(node.children or ())
    if count == 0:
        return _ANY + 1 if _SYMBOL.fullmatch(node.label) else 0
    if count == 1:
        return _PREFIX.get(node.label, 0)
    return (
        _INFIX[node.label][0]
        if count == 2 and node.label in _INFIX and node.label not in _CHAINED
        else 0
    )
