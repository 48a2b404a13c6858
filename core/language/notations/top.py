"""TOP's brackets: intents and slots around the words of the utterance (Gupta et al., 2018).

`[IN:GET_EVENT [SL:CATEGORY_EVENT concerts ] in [SL:LOCATION Ghent ] ]`: a node for each bracket, a
leaf for each word. Also TOPv2 and MTOP, decoupled or not.
"""

import re

from core.language.notations.base import Notation, check_depth
from core.language.tree import LogicalFormError, Node, leaf
from core.registry import notations

_TOKEN = re.compile(r"\[\s*[^\s\[\]]*|\]|[^\s\[\]]+")
_OPENING = re.compile(r"\[\s*((?:IN|SL):[^\s\[\]]+)")


@notations.register("top", label="TOP's brackets", rank=50)
class Top(Notation):
    """TOP's brackets around words, as in TOP, TOPv2 and MTOP."""

    example = "[IN:GET_EVENT [SL:CATEGORY_EVENT concerts ] ]"

    @staticmethod
    def recognises(text: str) -> bool:
        return _OPENING.match(text.lstrip()) is not None

    @staticmethod
    def read(text: str) -> Node:
        return _read(text)

    @staticmethod
    def parts(node: Node) -> list[str | Node]:
        if node.children is None:
            return [node.label]
        return [f"[{node.label}", *node.children, "]"]


def _read(text: str) -> Node:
    open_at: list[int] = []
    frames: list[tuple[str, list[Node]]] = [("", [])]
    for match in _TOKEN.finditer(text):
        token, column = match.group(), match.start() + 1
        if len(frames) == 1 and (frames[0][1] or token[0] != "["):
            raise LogicalFormError(
                f"'{token}' outside of the brackets; expected a form such as {Top.example}", column
            )
        if token == "]":
            label, children = frames.pop()
            open_at.pop()
            frames[-1][1].append(Node(label, tuple(children), "top"))
        elif token[0] == "[":
            opening = _OPENING.fullmatch(token)
            if opening is None:
                raise LogicalFormError("expected [IN:… or [SL:… where a bracket opens", column)
            frames.append((opening[1], []))
            open_at.append(column)
            check_depth(len(open_at), column)
        else:
            frames[-1][1].append(leaf(token, "top"))
    if open_at:
        raise LogicalFormError("a '[' that is never closed", open_at[-1])
    if not frames[0][1]:
        raise LogicalFormError(f"no logical form; expected one such as {Top.example}", 1)
    return frames[0][1][0]
