"""Forgetting and transfer on small matrices, by hand; what is not defined stays undefined."""

import numpy as np
import pytest

from core.analysis.transfer import MEASURES

NAN = float("nan")
FIRST = [[0.5], [0.7, 0.8], [0.6, 0.7, 0.9]]
SECOND = [[0.5], [0.45, 0.8], [0.6, 0.9, 0.9]]
BY_HAND = {  # of the first matrix and of the second
    "forgetting": ((0.1 + 0.1) / 2, (-0.1 - 0.1) / 2),
    "forgetting_all": ((0.1 + 0.1) / 2, 0.0),
    "forgetting_learned": ((-0.1 + 0.1) / 2, (-0.1 - 0.1) / 2),
    "backward": ((0.1 - 0.1) / 2, (0.1 + 0.1) / 2),
    "backward_throughout": ((0.2 + 0.1 - 0.1) / 3, (-0.05 + 0.1 + 0.1) / 3),
}
UNKNOWN = np.full(3, NAN)


def square(rows) -> np.ndarray:
    """The rows as a square matrix, NaN above the diagonal."""
    matrix = np.full((len(rows), len(rows)), NAN)
    for k, row in enumerate(rows):
        matrix[k, : len(row)] = row
    return matrix


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("at", [0, 1])
def test_the_values_are_those_computed_by_hand(name, at) -> None:
    acc = square([FIRST, SECOND][at])
    assert MEASURES[name].of(acc, UNKNOWN) == pytest.approx(BY_HAND[name][at])


def test_each_two_of_the_definitions_of_forgetting_disagree_somewhere() -> None:
    names = [name for name in MEASURES if name.startswith("forgetting")]
    pairs = [[MEASURES[n].of(square(m), UNKNOWN) for m in (FIRST, SECOND)] for n in names]
    assert len(names) == 3
    for at, left in enumerate(pairs):
        for right in pairs[at + 1 :]:
            assert left != pytest.approx(right)


def test_forward_transfer_takes_what_was_there_before_a_task_was_learned() -> None:
    acc = square(FIRST)
    acc[0, 1], acc[1, 2] = 0.2, 0.4
    assert MEASURES["forward"].of(acc, UNKNOWN) == pytest.approx(0.3)
    tilde = np.array([NAN, 0.7, 0.95])  # of the first task there is nothing to transfer to
    assert MEASURES["forward_alone"].of(acc, tilde) == pytest.approx((0.1 - 0.05) / 2)


@pytest.mark.parametrize("name", MEASURES)
def test_after_the_first_task_nothing_is_defined(name) -> None:
    assert np.isnan(MEASURES[name].of(np.array([[0.5]]), np.array([0.5])))


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_not_known_is_not_taken_for_zero(name) -> None:
    acc = np.full((3, 3), NAN)
    acc[2] = 0.6, 0.7, 0.9  # all tasks learned at once
    assert np.isnan(MEASURES[name].of(acc, np.array([0.5, 0.5, 0.5])))
    half = square(FIRST)
    half[0, 1] = 0.2  # R[2, 3] is missing
    assert np.isnan(MEASURES["forward"].of(half, UNKNOWN))
    assert np.isnan(MEASURES["forward_alone"].of(half, np.array([NAN, 0.5, NAN])))


@pytest.mark.parametrize("name", [n for n, each in MEASURES.items() if not each.needs])
def test_a_plain_sum_over_random_matrices_agrees(name) -> None:
    rng = np.random.default_rng(3)
    for K in (2, 3, 6):
        acc = square([rng.random(k + 1) for k in range(K)])
        drops, pairs = [], []
        for i in range(K - 1):
            column = [acc[k, i] for k in range(i, K)]
            best = {"forgetting": max(column[:-1]), "forgetting_all": max(column)}
            start = best.get(name, column[0])
            drops.append(start - column[-1])
            pairs += [value - column[0] for value in column[1:]]
        expected = sum(drops) / (K - 1)
        if name == "backward":
            expected = -expected
        if name == "backward_throughout":
            expected = sum(pairs) / (K * (K - 1) / 2)
        assert MEASURES[name].of(acc, np.full(K, NAN)) == pytest.approx(expected)


@pytest.mark.parametrize("name", MEASURES)
def test_each_says_what_it_is_and_where_it_stands(name) -> None:
    each = MEASURES[name]
    assert each.formula.count("{") == each.formula.count("}")
    assert each.source
    assert each.words.endswith(".")
