"""Lispress with typed calls: SMCalFlow and TreeDST (Semantic Machines et al., 2020; Platanios et
al., 2021).

An s-expression with three signs more. `#(Number 1)` is a literal: a node labelled `#Number`. The
type before a name, as in `(^(Unit) Yield x)` and `(^Event x0)`, belongs to the name, as does the
one behind it in `(Constraint[Event])`: a call with another type is another function. Lispress
without any is an s-expression.
"""

import re
from collections.abc import Callable

from core.language.notations.base import Notation
from core.language.notations.s_expression import STRING, bracketed, read_brackets
from core.language.tree import LogicalFormError, Node
from core.registry import notations

_INSIDE = r"\[(?:[\w.]|\[[\w.]*\])+\]"  # `[Event]`, brackets up to two deep
_TYPE = (  # brackets up to three deep, or a name
    r"\^\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)" + rf"|\^[\w.]+(?:{_INSIDE})?(?=\s)"
)
_TOKEN = re.compile(rf"{STRING}|(?:{_TYPE})\s*[^\s()\"]+|#\(\s*[^\s()\"]+|[#^]\(|[()]|[^\s()]+")
_NAME = rf"[^\s()\"^#,;\[\]][^\s()\",;\[\]]*(?:{_INSIDE})?"
_LABEL = re.compile(rf"{STRING}|({_TYPE})\s*({_NAME})|{_NAME}")
_SIGN = re.compile(rf"[#^]\s*\(|\(\s*\^\w|\w{_INSIDE}")


@notations.register("lispress", label="Lispress with typed calls", rank=40)
class Lispress(Notation):
    """Lispress with literals and typed calls, as in SMCalFlow."""

    example = "( ^(Unit) Yield #( Number 1 ) )"

    @staticmethod
    def recognises(text: str) -> bool:
        return text.lstrip().startswith("(") and _SIGN.search(text) is not None

    @staticmethod
    def read(text: str) -> Node:
        return read_brackets(text, "lispress", _TOKEN, _label)

    @staticmethod
    def parts(node: Node) -> list[str | Node]:
        if node.children is None or not node.label.startswith("#"):
            return bracketed(node, "(")
        return ["#(", node.label[1:], *node.children, ")"]


def _label(token: str, column: Callable[[], int]) -> str:
    match = _LABEL.fullmatch(token)
    if match is None:
        raise LogicalFormError(
            f"'{token[:40]}' is no name of Lispress: expected f, f[Day], (^(Unit) f x), "
            '#(Number 1) or "text"',
            column(),
        )
    if match[1] is None:
        return token
    types = re.sub(r"\s*([()])\s*", r" \1 ", match[1].replace("^", "")).split()
    return f"^{' '.join(types)} {match[2]}".replace("( ", "(").replace(" )", ")")
