"""Trees: text and tree are inverse in both notations, and what is no form is refused by column."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.tree import (
    MAX_DEPTH,
    LogicalFormError,
    Node,
    read,
)
from core.registry import notations
from tests.language.trees import PROPERTY, TREES

S, F = "s_expression", "functional"
TEXTS = st.text("() ,'ab_ä\t\"[]|;-\\+*.#^=1:", max_size=40)


@PROPERTY
@given(TREES)
def test_reading_is_the_inverse_of_writing(tree: Node) -> None:
    assert read(str(tree), tree.notation) == tree
    assert str(read(str(tree), tree.notation)) == str(tree)


@PROPERTY
@given(TEXTS, st.sampled_from(sorted(notations)))
def test_any_text_is_read_or_refused_in_a_column_of_its_own(text: str, notation: str) -> None:
    column, tree = None, None
    try:
        tree = read(text, notation)
    except LogicalFormError as error:
        column = error.column
    if tree is None:
        assert 1 <= column <= len(text) + 1
    else:
        assert read(str(tree), notation) == tree


@pytest.mark.parametrize(
    ("text", "label", "children"),
    [
        ("( f x ( g ) )", "f", ["x", "( g )"]),
        ("( ( f x ) y )", "", ["( f x )", "y"]),
        ("( )", "", []),
        ("( string ! = )", "string", ["!", "="]),
        ("(f(g x)y)", "f", ["( g x )", "y"]),
    ],
)
def test_s_expressions(text: str, label: str, children: list[str]) -> None:
    tree = read(text, S)
    assert tree.label == label
    assert [str(child) for child in tree.children] == children


@pytest.mark.parametrize(
    ("text", "children"),
    [
        ("f ( x , y ( ) )", ["x", "y ( )"]),
        ("f ( 'a ( b ) , c' , d )", ["'a ( b ) , c'", "d"]),
        ("f ( 'SWR_ ( radio ) ' )", ["'SWR_ ( radio ) '"]),
        ("f ( 'it's_me' , 'x' )", ["'it's_me'", "'x'"]),
        ("f ( 'rock_'n'_roll' )", ["'rock_'n'_roll'"]),
        ("f ( 'never , closed )", ["'never", "closed"]),
        ("f ( x' , y )", ["x'", "y"]),
    ],
)
def test_quotes_in_functional_terms(text: str, children: list[str]) -> None:
    tree = read(text, F)
    assert [str(child) for child in tree.children] == children
    assert str(tree) == text


def test_a_bare_token_differs_from_brackets_with_nothing_in_them() -> None:
    assert read("x", S).children is None
    assert read("( x )", S).children == ()
    assert read("x", F).children is None
    assert read("x ( )", F).children == ()


@pytest.mark.parametrize(
    ("text", "notation", "column", "said"),
    [
        ("", S, 1, "no logical form"),
        ("   ", S, 1, "no logical form"),
        ("( f ( g x )", S, 1, "never closed"),
        ("( f ( g x", S, 5, "never closed"),
        ("( f x ) )", S, 9, "text after the end"),
        (") f", S, 1, "without its '('"),
        ("( f x ) y", S, 9, "text after the end"),
        ("f x", S, 3, "text after the end"),
        ("", F, 1, "no logical form"),
        ("f ( x", F, 3, "never closed"),
        ("f ( x ) )", F, 9, "without its '('"),
        ("f ( x ) y", F, 9, "text after the end"),
        ("( x )", F, 1, "does not follow a label"),
        ("f ( ( x ) )", F, 5, "does not follow a label"),
        ("f ( x ( y ) ( z ) )", F, 13, "does not follow a label"),
        ("f ( , x )", F, 5, "comma with no term"),
        ("f ( x , , y )", F, 9, "comma with no term"),
        ("f ( x , )", F, 9, "after a comma"),
        ("f ( x y )", F, 7, "expected ',' or ')'"),
        (", x", F, 1, "comma with no term"),
    ],
)
def test_what_is_no_form_is_refused_with_its_column(
    text: str, notation: str, column: int, said: str
) -> None:
    with pytest.raises(LogicalFormError, match=said.replace("(", r"\(").replace(")", r"\)")) as got:
        read(text, notation)
    assert got.value.column == column


@pytest.mark.parametrize("notation", [S, F])
def test_nesting_has_a_limit(notation: str) -> None:
    opening = "( f " if notation is S else "f ( "
    deep = opening * MAX_DEPTH + "x" + " )" * MAX_DEPTH
    assert str(read(deep, notation)) == deep
    with pytest.raises(LogicalFormError, match="deep") as got:
        read(opening + deep + " )", notation)
    assert got.value.column == MAX_DEPTH * len(opening) + opening.index("(") + 1
    with pytest.raises(LogicalFormError, match="deep"):
        read("( " * 100_000, S)


def test_prolog_says_where_its_nesting_is_too_deep() -> None:
    deep = "f(" * MAX_DEPTH + "x" + ")" * MAX_DEPTH
    assert read(deep, "prolog").label == "f"
    with pytest.raises(LogicalFormError, match="deep") as got:
        read(f"f({deep})", "prolog")
    assert got.value.column == deep.index("x") + 3


def test_quotes_that_never_close_are_read_in_linear_time() -> None:
    text = f"f ( {' , '.join(chr(39) + 'x' for _ in range(40_000))} )"
    start = time.perf_counter()
    assert len(read(text, F).children) == 40_000
    assert time.perf_counter() - start < 5  # a scan to the end from each quote takes minutes


@PROPERTY
@given(TREES)
def test_ground_nodes_have_leaves_only(tree: Node) -> None:
    nested = any(child.children is not None for child in tree.children or ())
    assert tree.is_ground is not nested


@PROPERTY
@given(TREES, TREES)
def test_equal_trees_are_those_of_one_notation_and_one_text(first: Node, second: Node) -> None:
    same = (str(first), first.notation) == (str(second), second.notation)
    assert (first == second) is same
    assert hash(first) == hash(read(str(first), first.notation))
