"""Notations: invented rows of the shapes that data sets have are read as they mean, or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language.notations.base import detect, readable
from core.language.tree import LogicalFormError, Node, read
from core.registry import notations
from tests.language.trees import PROPERTY, TREES_OF

SHAPES = {  # as each data set writes its forms, with names of our own
    "s_expression": [
        "( call filter ( all ( string ship ) ) ( string size ) ( string < ) ( number 3 m ) )",
        "( lambda $0 e ( and ( ferry $0 ) ( from $0 ghent:ci ) ( < ( leaves $0 ) 900:ti ) ) )",
        "( argmax $0 ( and ( island $0 ) ( near $0 ghent:ci ) ) ( area:i $0 ) )",
        '(Yield :output (Ship.name (?= "lunch (with Bo)")))',
        '( find ( name "a  b" ) ( size 1,000 ) )',
        "( name 'new  town' )",
    ],
    "functional": [
        "query ( around ( center ( nwr ( keyval ( 'name' , 'Bad ( A )' ) ) ) , qtype ( count ) ) )",
        "answer(river(loc_2(stateid('north, east'))))",
        "answer(count(intersection(city(all),loc_2(_))))",
        "f ( 'it's' , new-town , 2004-10-10 )",
    ],
    "prolog": [
        "answer(A,(island(A),near(A,B),const(B,isleid(ghent))))",
        "answer ( A , ( sum ( B , ( port ( C ) , depth ( C , B ) ) , A ) , \\+ near ( A , C ) ) )",
        "answer(A,largest(A,(isle(A),\\+((near(A,B),const(B,isleid('new isle')))))))",
        "( A , ( ruler ( A ) , of ( A , B ) ) )",
        "post ( ANS ) , pays ( ANS , week ) , ( tool ( ANS , 'c--' ) ; \\+ ( ( boss ( ANS ) ) ) )",
        'eq(name,"Berg, Ida")',
        'eq(name,"New  Town").',
        "select([name,price],shop(x))",
        "select([name,max(price)],shop([H|T],[],-3.5))",
        "find(A,(cost(A,B),B>=3,B=\\=4*(5-2),C is B mod 2))",
    ],
    "lispress": [
        '(^(Unit) Yield (Event.start #(String "a ( b")))',
        "(let (x0 #(Number 1)) (^(List (Option Day)) pick :at x0 (^(Day) now)))",
        '(Yield :output (Ship.find :that (Constraint[Ship] :name (?= #(String "a \\"b\\", c")))))',
        "(lambda (^Ship x0) (allows ^(Ship) x0 (Set[List[Ship]] x0)))",
    ],
    "top": [
        "[IN:GET_TIDE what is [SL:KIND high water ] in [SL:PORT [IN:GET_PORT Ghent ] ] ]",
        "[IN:UNSUPPORTED hello ( you ) ]",
    ],
    "cogs": [
        "* whale ( x _ 1 ) ; swim . agent ( x _ 2 , x _ 1 ) AND swim . theme ( x _ 2 , Ada )",
        "* whale ( x _ 1 ) ; * sea ( x _ 4 ) ; whale . nmod . in ( x _ 1 , x _ 4 )",
        "LAMBDA a . LAMBDA e . swim . agent ( e , a )",
        "want . agent ( x _ 1 , Ada ) AND want . xcomp ( x _ 1 , x _ 3 )",
    ],
}


def nested(node: Node) -> object:
    """The tree as plain values: a leaf is its label, another node a list that opens with it."""
    return node.label if node.children is None else [node.label, *map(nested, node.children)]


@pytest.mark.parametrize("name", notations)
def test_every_notation_has_shapes_and_an_example_that_it_recognises(name: str) -> None:
    notation = notations[name].value
    for text in [notation.example, *SHAPES[name]]:
        assert notation.recognises(text), text
        assert read(text, name).notation == name


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_detected_written_and_read_again(name: str) -> None:
    assert detect(SHAPES[name]) == name
    for text in SHAPES[name]:
        tree = read(text, name)
        assert read(str(tree), name) == tree
        assert str(read(str(tree), name)) == str(tree)
        written = str(tree).replace(" ", "")
        if name != "prolog":  # drops brackets that say nothing, and the full stop
            assert written == text.replace(" ", "")


@PROPERTY
@given(st.data(), st.sampled_from(sorted(SHAPES)))
def test_trees_of_any_shape_survive(data: st.DataObject, name: str) -> None:
    tree = data.draw(TREES_OF[name])
    assert read(str(tree), name) == tree


@pytest.mark.parametrize(
    ("name", "text", "tree"),
    [
        (
            "prolog",
            "( A , ( ruler ( A ) , of ( A , B ) ) )",
            [",", "A", [",", ["ruler", "A"], ["of", "A", "B"]]],
        ),
        ("prolog", 'eq(name,"Berg, Ida")', ["eq", "name", '"Berg, Ida"']),
        ("prolog", 'eq(name,"New  Town")', ["eq", "name", '"New  Town"']),
        ("prolog", "pick([name,price],shop(x))", ["pick", ["[]", "name", "price"], ["shop", "x"]]),
        ("prolog", "pick([name,max(price)],s)", ["pick", ["[]", "name", ["max", "price"]], "s"]),
        ("prolog", "[H|T]", ["[|]", "H", "T"]),
        ("prolog", "f([],'it''s, \\' it',x)", ["f", "[]", "'it''s, \\' it'", "x"]),
        ("prolog", "a , b , c", [",", "a", "b", "c"]),
        ("prolog", "(a,b);c", [";", [",", "a", "b"], "c"]),
        ("prolog", "\\+((a(X)))", ["\\+", ["a", "X"]]),
        ("prolog", "\\+(a,b)", ["\\+", [",", "a", "b"]]),
        ("prolog", "f((a,b))", ["f", [",", "a", "b"]]),
        ("prolog", "X is 1-2-3* -4", ["is", "X", ["-", ["-", "1", "2"], ["*", "3", "-4"]]]),
        ("prolog", "[-(a,b)]", ["[]", ["-", "a", "b"]]),
        ("prolog", "[- (1)]", ["[]", ["-", "1"]]),
        ("s_expression", '( f ( name "lunch (with Bo)" ) )', ["f", ["name", '"lunch (with Bo)"']]),
        ("s_expression", '( name "a  b" )', ["name", '"a  b"']),
        ("lispress", "(^( Unit ) Yield #(Number 1))", ["^(Unit) Yield", ["#Number", "1"]]),
        ("lispress", "(^Unit Yield (C[D[e]] x))", ["^Unit Yield", ["C[D[e]]", "x"]]),
        ("top", "[IN:A b [SL:C d e] ]", ["IN:A", "b", ["SL:C", "d", "e"]]),
        (
            "cogs",
            "* a ( x _ 1 ) ; b . c ( x _ 2 , x _ 1 ) AND d ( Bo )",
            [";", ["* a", "x _ 1"], ["AND", ["b . c", "x _ 2", "x _ 1"], ["d", "Bo"]]],
        ),
    ],
)
def test_the_tree_is_what_the_text_means(name: str, text: str, tree: object) -> None:
    assert nested(read(text, name)) == tree
    assert detect([text]) == name


@pytest.mark.parametrize(
    ("name", "text", "column", "right"),
    [
        ("s_expression", "( A , ( f ( A ) ) )", 5, "or, in Prolog"),
        ("s_expression", "( A,( f ( A ) ) )", 4, "or, in Prolog"),
        ("s_expression", "( f ( A ) ; g ( A ) )", 11, "(x ; y)"),
        ("s_expression", "( \\+ ( f ) )", 3, "( not x )"),
        ("s_expression", '( name "a b )', 8, "never closed"),
        ("s_expression", "( f [ a b ] )", 5, "round ones"),
        ("s_expression", "( f #(Number 1) )", 5, "Lispress in every row"),
        ("s_expression", "( ^(Unit) f )", 3, "Lispress in every row"),
        ("s_expression", "( f ^Unit x )", 5, "Lispress in every row"),
        ("functional", "f(A,(g(A),h(A)))", 5, "or Prolog in every row"),
        ("functional", 'eq(name,"Berg, Ida")', 9, "Prolog in every row"),
        ("functional", "select([name,price],x)", 8, "Prolog in every row"),
        ("functional", "f ( 'a\\' , b' )", 7, "Prolog in every row"),
        ("prolog", "f ( new town )", 9, "expected ',' or ')' before 'town'"),
        ("prolog", "f(a,)", 5, "expected a term before ')'"),
        ("prolog", "f({a})", 3, "between single quotes"),
        ("prolog", "f(joe's)", 6, "expected"),
        ("prolog", "a = b = c", 7, "expected an operator"),
        ("prolog", "f([a)", 5, "expected ',' or ']'"),
        ("prolog", "f([a", 3, "never closed"),
        ("lispress", "(^ Yield)", 2, "no name of Lispress"),
        ("lispress", "(f[ x)", 2, "no name of Lispress"),
        ("lispress", "(^Unit (f x))", 2, "no name of Lispress"),
        ("top", "[GET a ]", 1, "expected [IN:"),
        ("top", "[IN:A b ] c", 11, "outside of the brackets"),
        ("cogs", "a ( x _ 1 ) ; b ( x _ 2 )", 1, "each definite noun before"),
        ("cogs", "a ( x _ 1 ) AND", 16, "atoms between ANDs"),
    ],
)
def test_what_is_not_in_the_notation_is_refused_with_what_is(
    name: str, text: str, column: int, right: str
) -> None:
    with pytest.raises(LogicalFormError) as got:
        read(text, name)
    assert right in str(got.value)
    assert got.value.column == column


SELECT = "SELECT name FROM shop WHERE price < 3"


def test_what_is_in_no_notation_is_read_in_none() -> None:
    assert not any(readable(SELECT, name) for name in notations)


def test_a_file_is_judged_by_all_its_rows() -> None:
    assert detect(["f ( x )", "f ( x , 'it's' )"]) == "functional"
    assert detect(["f ( x )", 'f ( "a, b" )']) == "prolog"
    assert detect(["x", "( f x )"]) == "s_expression"
    assert detect(["x", "f ( x )"]) == "functional"
    assert detect(["( f x )", "( g #(Number 1) )"]) == "lispress"
    assert detect(["( f x )", "( f x", "( g"]) == "s_expression"
    assert detect(["f ( x , [ y ] )", "f ( x , [ y", "f ( ["]) == "prolog"
