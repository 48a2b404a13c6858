from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from core.language.derivation import ROOT, Action, Rule
from core.language.tree import Node
from core.samplers.parts.action_counts import (
    Mixture,
    candidates,
    count_actions,
    draw_actions,
    fill_by_entropy,
)

LETTERS = st.text("abcde", max_size=6)  # a derivation is a word, its letters are the actions


def derivation(word: str) -> tuple[Rule, ...]:
    return tuple(Rule(ROOT, Action(Node(letter))) for letter in word)


def recount(words: list[str]) -> float:
    """Entropy in nats of the letters of some words, counted from the start by scipy."""
    counts = Counter("".join(words))
    return float(entropy(list(counts.values()))) if counts else 0.0


def test_counts_are_occurrences_or_presence():
    words = [derivation("abba"), derivation("c")]
    assert count_actions(words, "frequency").table.toarray().tolist() == [[2, 2, 0], [0, 0, 1]]
    assert count_actions(words, "presence").table.toarray().tolist() == [[1, 1, 0], [0, 0, 1]]
    assert [str(a) for a in count_actions(words, "presence").actions] == ["GEN a", "GEN b", "GEN c"]


@given(st.lists(LETTERS, min_size=1, max_size=6), st.lists(st.integers(0, 5), max_size=8))
def test_entropy_of_all_candidates_at_once_equals_a_recount_of_each(words: list, chosen: list):
    memory = [form % len(words) for form in chosen]
    counts = count_actions([derivation(word) for word in words], "frequency")
    mixture = Mixture(counts)
    for form in memory:
        mixture.add(form)
    assert mixture.entropy == pytest.approx(recount([words[form] for form in memory]), abs=1e-12)
    entropies = mixture.entropy_with(candidates(counts, np.arange(len(words))))
    expected = [recount([words[form] for form in memory] + [word]) for word in words]
    np.testing.assert_allclose(entropies, expected, atol=1e-12)


@given(st.lists(LETTERS, min_size=1, max_size=6))
def test_removing_undoes_adding(words: list[str]):
    mixture = Mixture(count_actions([derivation(word) for word in words], "frequency"))
    mixture.add(0)
    before = mixture.counts.copy()
    mixture.add(len(words) - 1)
    mixture.remove(len(words) - 1)
    assert (mixture.counts == before).all()


def test_h_actions_are_drawn_by_their_count_over_all_rows():
    counts = count_actions([derivation("aab"), derivation("c"), derivation("d")], "frequency")
    rows = np.array([1, 7, 0])  # rows of each form: a 2, b 1, c 7, d none
    drawn = Counter(
        str(draw_actions(counts, rows, 1, np.random.default_rng(seed)).actions[0])
        for seed in range(2000)
    )
    shares = [drawn[f"GEN {letter}"] / 2000 for letter in "abcd"]
    np.testing.assert_allclose(shares, [0.2, 0.1, 0.7, 0], atol=0.03)


def test_h_of_zero_or_of_all_keeps_the_actions():
    counts = count_actions([derivation("ab")], "frequency")
    for h in (0, 2, 9):
        assert draw_actions(counts, np.ones(1), h, np.random.default_rng(0)) is counts


def test_h_actions_keep_their_counts():
    counts = count_actions([derivation("abcc"), derivation("bbd")], "frequency")
    part = draw_actions(counts, np.ones(2, int), 3, np.random.default_rng(1))
    kept = [counts.actions.index(action) for action in part.actions]
    assert len(kept) == 3
    assert (part.table.toarray() == counts.table.toarray()[:, kept]).all()


def test_filling_takes_the_row_that_leaves_entropy_highest():
    words = ["aaaa", "ab", "c"]
    counts = count_actions([derivation(word) for word in words], "frequency")
    rows = [np.array([0, 3]), np.array([1]), np.array([2, 4])]
    taken = {2}
    mixture = Mixture(counts)
    mixture.add(2)
    filled = list(fill_by_entropy(mixture, counts, rows, taken, 3))
    assert [row for row, _ in filled] == [1, 4, 0]
    assert filled[0][1] == pytest.approx(recount(["c", "ab"]))
    assert taken == {0, 1, 2, 4}
