"""COGS's conjunctions (Kim and Linzen, 2020).

`* cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Ada )`: definite nouns,
each with a star and before a semicolon, then atoms between ANDs. The tree has a node `;` over
the parts, one `AND` over the atoms, and an atom's name, `see . agent`, is one label. `LAMBDA a . …`
is a node labelled `LAMBDA a` over the rest.
"""

import re

from core.language.notations.base import Notation, check_depth
from core.language.notations.functional import separated
from core.language.tree import LogicalFormError, Node, leaf
from core.registry import notations

_LAMBDA = re.compile(r"\s*LAMBDA\s+(\w+)\s*\.\s*")
_ARGUMENT = r"(?:x\s*_\s*\d+|[\w'-]+)"
_ATOM = re.compile(
    rf"\s*(\*\s*)?([\w'-]+(?:\s*\.\s*[\w'-]+)*)\s*"
    rf"(?:\(\s*({_ARGUMENT}(?:\s*,\s*{_ARGUMENT})*)\s*\))?\s*(;|AND\b|$)"
)
_SIGN = re.compile(r"\sAND\s|\s;\s|^\s*[*]|^\s*LAMBDA\s")


@notations.register("cogs", label="COGS's conjunctions", rank=60)
class Cogs(Notation):
    """Conjunctions of atoms with definite nouns before them, as in COGS."""

    example = "* cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 )"

    @staticmethod
    def recognises(text: str) -> bool:
        return _SIGN.search(text) is not None

    @staticmethod
    def read(text: str) -> Node:
        return _read(text)

    @staticmethod
    def parts(node: Node) -> list[str | Node]:
        if node.children is None:
            return [node.label]
        if node.label.startswith("LAMBDA "):
            return [node.label, ".", *node.children]
        if node.label in (";", "AND"):
            return separated(node.children, node.label)
        return [node.label, "(", *separated(node.children, ","), ")"]


def _read(text: str) -> Node:
    variables, at = [], 0
    while match := _LAMBDA.match(text, at):
        variables.append(match[1])
        at = match.end()
        check_depth(len(variables), match.start() + 1)
    tree = _conjunction(text, at)
    for variable in reversed(variables):
        tree = Node(f"LAMBDA {variable}", (tree,), "cogs")
    return tree


def _conjunction(text: str, at: int) -> Node:
    if not text[at:].strip():
        raise LogicalFormError(f"no logical form; expected one such as {Cogs.example}", at + 1)
    nouns: list[Node] = []
    atoms: list[Node] = []
    sign = ";"
    while sign:
        match = _ATOM.match(text, at)
        definite = match is not None and match[1] is not None
        if match is None or definite != (match[4] == ";") or (definite and atoms):
            raise LogicalFormError(
                f"expected atoms between ANDs, each definite noun before: {Cogs.example}", at + 1
            )
        (nouns if definite else atoms).append(_atom(match))
        sign, at = match[4], match.end()
    body = atoms[0] if len(atoms) == 1 else Node("AND", tuple(atoms), "cogs")
    return Node(";", (*nouns, body), "cogs") if nouns else body


def _atom(match: re.Match[str]) -> Node:
    star = "* " if match[1] else ""
    label = star + " . ".join(re.split(r"\s*\.\s*", match[2]))
    if match[3] is None:
        return leaf(label, "cogs")
    texts = (re.sub(r"\s*_\s*", " _ ", text.strip()) for text in match[3].split(","))
    return Node(label, tuple(leaf(text, "cogs") for text in texts), "cogs")
