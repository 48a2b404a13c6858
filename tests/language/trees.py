"""Random logical forms in both notations, for the tests."""

import re

from hypothesis import settings
from hypothesis import strategies as st

from core.language.tree import Node, Notation

PROPERTY = settings(max_examples=60, deadline=None)  # a busy machine is not a fault

_WORD = st.text("abcXYZ019_.!=<>-:äß", min_size=1, max_size=6)
_INNER = st.text("ab(), '_.-ü", max_size=10).filter(
    lambda text: not re.search(r"'\s*(?:[,)]|$)", text)  # would end the quoted token early
)


def _s_expression(leaf: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    kind = Notation.S_EXPRESSION

    def build(label: str, children: list[Node]) -> Node:
        opens = not children or children[0].children is not None
        return Node(label if not opens else label.removeprefix("a"), tuple(children), kind)

    def inner(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        return st.builds(build, st.one_of(_WORD, st.just("a")), st.lists(below, max_size=4))

    return st.recursive(leaf, inner, max_leaves=12)


def _functional(leaf: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def inner(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        children = st.lists(below, max_size=4).map(tuple)
        return st.builds(Node, _WORD, children, st.just(Notation.FUNCTIONAL))

    return st.recursive(leaf, inner, max_leaves=12)


S_EXPRESSIONS = _s_expression(st.builds(Node, _WORD, st.none(), st.just(Notation.S_EXPRESSION)))
FUNCTIONAL_TERMS = _functional(
    st.builds(
        Node,
        st.one_of(_WORD, _INNER.map(lambda text: f"'{text}'")),
        st.none(),
        st.just(Notation.FUNCTIONAL),
    )
)
TREES = st.one_of(S_EXPRESSIONS, FUNCTIONAL_TERMS)
