"""S-expressions: Overnight, and the lambda calculus of ATIS and GeoQuery.

`( f ( g x ) y )`; `( ( f x ) y )` opens a node without a label. Text between quotes is one token
and may hold blanks and brackets.
"""

import re
from collections.abc import Callable
from functools import partial
from itertools import islice

from core.language.notations.base import Notation, check_depth
from core.language.tree import MAX_DEPTH, LogicalFormError, Node, leaf
from core.registry import notations

STRING = r'"(?:[^"\\]|\\.)*"(?=[\s()]|$)' + r"|'[^']*'(?=[\s()]|$)"
_TOKEN = re.compile(rf"{STRING}|[#^]\(|[()]|[^\s()]+")
_STRING = re.compile(STRING)
_NUMBER = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_FOREIGN = re.compile(r'[",;\[\]{}]|\\\+|[#^]\(|^\^(?=\w)')
_TYPE = "a type of Lispress: expected (^(Unit) f x), and Lispress in every row"
_RIGHT = {
    '"': 'a double quote that is never closed, or inside a token; expected text such as "a b"',
    ",": "a comma, which s-expressions don't have: expected ( f x y ) or, in Prolog, f(x, y)",
    ";": "a semicolon, which s-expressions don't have: expected ( f x y ) or, in Prolog, (x ; y)",
    "\\+": "Prolog's negation in an s-expression: expected ( not x ), or Prolog in every row",
    "#(": "a literal of Lispress: expected #(Number 1), and Lispress in every row",
    "^(": _TYPE,
    "^": _TYPE,
}
_BRACKET = "a bracket that s-expressions don't have: expected round ones, ( f x y )"


@notations.register("s_expression", label="s-expressions", rank=10)
class SExpression(Notation):
    """S-expressions, as in Overnight, and the lambda calculus of ATIS and GeoQuery."""

    example = "( f ( g x ) y )"

    @staticmethod
    def recognises(text: str) -> bool:
        return text.lstrip().startswith("(")

    @staticmethod
    def read(text: str) -> Node:
        return read_brackets(text, "s_expression", _TOKEN, _label)

    @staticmethod
    def parts(node: Node) -> list[str | Node]:
        return bracketed(node, "(")


def _label(token: str, column: Callable[[], int]) -> str:
    sign = _FOREIGN.search(token)
    if sign and not _NUMBER.fullmatch(token) and not _STRING.fullmatch(token):
        raise LogicalFormError(_RIGHT.get(sign.group(), _BRACKET), column() + sign.start())
    return token


LabelOf = Callable[[str, Callable[[], int]], str]  # takes a token, and what gives its column


def bracketed(node: Node, opening: str) -> list[str | Node]:
    """A leaf, or brackets around label and children."""
    if node.children is None:
        return [node.label]
    return [opening, *([node.label] if node.label else []), *node.children, ")"]


def read_brackets(text: str, notation: str, pattern: re.Pattern[str], label_of: LabelOf) -> Node:
    """The tree of nested round brackets whose tokens the pattern finds.

    A token such as `#(f` opens a bracket with its label; `label_of` gives the label of any other
    token, or refuses it.
    """

    def column(number: int) -> int:
        return next(islice(pattern.finditer(text), number, None)).start() + 1

    open_at: list[int] = []  # numbers of the opening tokens
    labels: list[str | None] = [None]  # of the brackets that are open; None while not known
    children: list[list[Node]] = [[]]
    for number, token in enumerate(pattern.findall(text)):
        if not open_at and children[0]:
            raise LogicalFormError(
                f"text after the end of the logical form: '{token}'", column(number)
            )
        if token == ")":
            if not open_at:
                raise LogicalFormError("a ')' without its '('", column(number))
            open_at.pop()
            node = Node(labels.pop() or "", tuple(children.pop()), notation)
            children[-1].append(node)
        elif token == "(" or (token.startswith("#(") and len(token) > 2):
            if labels[-1] is None:
                labels[-1] = ""  # a bracket where the label would stand: no label
            labels.append(None if token == "(" else "#" + token[2:].lstrip())
            children.append([])
            open_at.append(number)
            if len(open_at) > MAX_DEPTH:
                check_depth(len(open_at), column(number))
        else:
            label = token if token.isalnum() else label_of(token, partial(column, number))
            if open_at and labels[-1] is None:
                labels[-1] = label
            else:
                children[-1].append(leaf(label, notation))
    if open_at:
        raise LogicalFormError("a '(' that is never closed", column(open_at[-1]))
    if not children[0]:
        raise LogicalFormError(f"no logical form; expected one such as {SExpression.example}", 1)
    return children[0][0]
