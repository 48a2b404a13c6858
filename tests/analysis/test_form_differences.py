"""Two forms token by token, and what a short place shows of them."""

import random

import pytest

from core.analysis.form_differences import CUT, differences, excerpt, tokens, written
from core.text import middle_cut

FORMS = [
    "( list ( filter ( all ( type ship ) ) ( size big ) ) )",
    "( list ( filter ( all ( type ship ) ) ( speed fast ) ) )",
    "( count ( all ( type ship ) ) )",
    "answer(area_tag([key('name'),val('Paris')]))",
    "  odd   blanks\tand <b>marks</b> ",
    "",
]


@pytest.mark.parametrize("form", FORMS)
def test_tokens_are_the_whole_text(form):
    assert written(tokens(form)) == form.strip()


@pytest.mark.parametrize("left", FORMS)
@pytest.mark.parametrize("right", FORMS)
def test_what_is_not_marked_is_the_same_in_both(left, right):
    sides = differences(left, right)
    kept = [[token.text for token in side if not token.differs] for side in sides]
    assert kept[0] == kept[1]
    assert any(t.differs for side in sides for t in side) == (
        [t.text for t in tokens(left)] != [t.text for t in tokens(right)]
    )


def test_an_excerpt_never_hides_the_first_difference():
    rng = random.Random(0)
    words = [f"w{number}" for number in range(30)]
    for _ in range(200):
        left = rng.choices(words, k=40)
        right = list(left)
        at = rng.randrange(40)
        right[at] = "other"
        shown = excerpt(" ".join(right), " ".join(left), 60)
        assert "other" in shown
        assert len(shown) <= 60


def test_an_excerpt_of_what_fits_or_is_the_same_starts_at_the_beginning():
    assert excerpt(FORMS[2], FORMS[0], 100) == FORMS[2]
    shown = excerpt(FORMS[0], FORMS[0], 20)
    assert shown.startswith("( list")
    assert shown.endswith(CUT)


@pytest.mark.parametrize("most", [5, 12, 26])
def test_a_long_name_loses_its_middle(most):
    name = "a task whose name is much longer than any axis has room for, number 7"
    cut = middle_cut(name, most)
    assert len(cut) <= most
    assert cut[0] == name[0]
    assert cut[-1] == name[-1]
    assert middle_cut("zoo", most) == "zoo"


def test_an_excerpt_of_a_form_that_lacks_something_starts_two_tokens_before_it():
    long = "( f a b c d e g h )"
    assert excerpt(long, f"{long} x", len(long)) == long
    assert excerpt(long, "( f a b c d e x g h )", 14) == f"{CUT} d e g h )"
    assert excerpt(long, f"{long} x y z", 14) == f"{CUT} g h )"  # what is missing stands behind it
