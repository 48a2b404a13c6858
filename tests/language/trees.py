"""Random logical forms in every notation, for the tests."""

import re

from hypothesis import settings
from hypothesis import strategies as st

from core.language.tree import Node

PROPERTY = settings(max_examples=60, deadline=None)  # a busy machine is not a fault

_WORD = st.text("abcXYZ019_.!=<>-:äß", min_size=1, max_size=6)
_INNER = st.text("ab(), '_.-ü", max_size=10).filter(
    lambda text: not re.search(r"'\s*(?:[,)]|$)", text)  # would end the quoted token early
)


def _s_expression(leaf: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    kind = "s_expression"

    def build(label: str, children: list[Node]) -> Node:
        opens = not children or children[0].children is not None
        return Node(label if not opens else label.removeprefix("a"), tuple(children), kind)

    def inner(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        return st.builds(build, st.one_of(_WORD, st.just("a")), st.lists(below, max_size=4))

    return st.recursive(leaf, inner, max_leaves=12)


def _functional(leaf: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def inner(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        children = st.lists(below, max_size=4).map(tuple)
        return st.builds(Node, _WORD, children, st.just("functional"))

    return st.recursive(leaf, inner, max_leaves=12)


S_EXPRESSIONS = _s_expression(st.builds(Node, _WORD, st.none(), st.just("s_expression")))
FUNCTIONAL_TERMS = _functional(
    st.builds(
        Node,
        st.one_of(_WORD, _INNER.map(lambda text: f"'{text}'")),
        st.none(),
        st.just("functional"),
    )
)
TREES = st.one_of(S_EXPRESSIONS, FUNCTIONAL_TERMS)


def _nodes(
    notation: str,
    labels: st.SearchStrategy[str],
    leaves: st.SearchStrategy[str],
    min_size: int = 0,
) -> st.SearchStrategy[Node]:
    def inner(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        children = st.lists(below, min_size=min_size, max_size=4).map(tuple)
        return st.builds(Node, labels, children, st.just(notation))

    leaf = st.builds(Node, leaves, st.none(), st.just(notation))
    return st.recursive(leaf, inner, max_leaves=12)


def _prolog() -> st.SearchStrategy[Node]:
    name = st.sampled_from(["f", "A", "_b", "'it''s'", "'a b'", "is", "mod", "\u00e4"])
    leaf = st.one_of(name, st.sampled_from(["3", "-4.5", "[]", '"a, ( b"', "=", "-", "!", "\\+"]))
    infix = st.sampled_from([":-", "->", "=", "is", "=<", "+", "-", "*", "mod", "^", ":", "**"])

    def inner(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        def build(label: st.SearchStrategy[str], low: int, high: int) -> st.SearchStrategy[Node]:
            children = st.lists(below, min_size=low, max_size=high).map(tuple)
            return st.builds(Node, label, children, st.just("prolog"))

        return st.one_of(
            build(name, 0, 4),
            build(infix, 2, 2),
            build(st.sampled_from([",", ";"]), 2, 4),
            build(st.sampled_from(["[]"]), 1, 3),
            build(st.sampled_from(["[|]"]), 2, 3),
            build(st.sampled_from(["\\+", "-"]), 1, 1),
        )

    return st.recursive(st.builds(Node, leaf, st.none(), st.just("prolog")), inner, max_leaves=12)


def _cogs() -> st.SearchStrategy[Node]:
    argument = st.sampled_from(["x _ 1", "x _ 12", "Ada", "a"])
    leaves = st.lists(st.builds(Node, argument, st.none(), st.just("cogs")), min_size=1, max_size=2)
    atom = lambda label: st.builds(Node, label, leaves.map(tuple), st.just("cogs"))  # noqa: E731
    atoms = st.lists(atom(st.sampled_from(["see", "see . agent", "a . b . c"])), min_size=2)
    body = st.one_of(
        atom(st.just("see")), st.builds(Node, st.just("AND"), atoms.map(tuple), st.just("cogs"))
    )
    nouns = st.lists(atom(st.sampled_from(["* cat", "* sea"])), min_size=1, max_size=3)
    whole = st.builds(lambda nouns, body: Node(";", (*nouns, body), "cogs"), nouns, body)
    return st.one_of(body, whole, st.builds(lambda tree: Node("LAMBDA a", (tree,), "cogs"), body))


TREES_OF = {
    "s_expression": S_EXPRESSIONS,
    "functional": FUNCTIONAL_TERMS,
    "prolog": _prolog(),
    "lispress": _nodes(
        "lispress",
        st.sampled_from(["f", "#Number", "^(Unit) f", "^(List (Option Day)) g"]),
        st.sampled_from(["x", ":at", '"a ( b"', "1.5", "^(Day) now"]),
    ),
    "top": _nodes(
        "top", st.sampled_from(["IN:A", "SL:B_C"]), st.sampled_from(["a", "(", "x,y", "'s"])
    ).map(lambda tree: Node("IN:A", (tree,), "top")),
    "cogs": _cogs(),
}
