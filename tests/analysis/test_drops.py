"""The rank test of drops against counting every arrangement, and where there is none."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from core.analysis import drops
from core.analysis.forgetting import COVERED, CROSS, NOT_COVERED, SPECIFIC


def u_of(left, right) -> float:
    """How many pairs the first of which is larger; equal ones count a half."""
    return sum((a > b) + (a == b) / 2 for a in left for b in right)


def exact_p(left: list[float], right: list[float]) -> float:
    """The share of all ways to draw the first group whose U is as far from the middle."""
    pool = left + right
    middle = len(left) * len(right) / 2
    far = abs(u_of(left, right) - middle)
    ways = 0
    hits = 0
    for indices in combinations(range(len(pool)), len(left)):
        drawn = [pool[at] for at in indices]
        rest = [pool[at] for at in range(len(pool)) if at not in indices]
        ways += 1
        hits += abs(u_of(drawn, rest) - middle) >= far - 1e-9
    return hits / ways


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([0.9, 0.8, 0.7, 0.95], [0.1, 0.2, 0.0, -0.3, 0.75]),
        ([0.5, 0.1, 0.7, 0.3], [0.2, 0.6, 0.4, 0.0]),
        ([0.9, 0.8, 0.3], [0.1, 0.2, 0.35, -0.1, 0.0, 0.05, 0.4, 0.85]),
    ],
)
def test_u_and_p_are_those_of_all_arrangements(left, right):
    comparison = drops.compare("x", [("a", np.array(left)), ("b", np.array(right))])
    assert comparison.u == u_of(left, right)
    assert comparison.p == pytest.approx(exact_p(left, right))
    assert comparison.larger == pytest.approx(u_of(left, right) / (len(left) * len(right)))
    assert comparison.why == ""


@pytest.mark.parametrize(
    ("left", "right", "why"),
    [
        ([], [0.1, 0.2], "no action is a"),
        ([0.1], [], "no action is b"),
        ([0.1, 0.2], [0.5, 0.6, 0.7] * 9, "fewer than 3 actions are a"),
        ([0.5, 0.6, 0.7] * 9, [0.1, 0.2], "fewer than 3 actions are b"),
        ([0.1, 0.2, 0.3], [0.7, 0.8, 0.9], "p could not fall below 0.1"),
        ([math.nan] * 9, [0.1] * 9, "no action is a"),
        ([0.5] * 9, [0.5] * 9, "all drops are equal"),
    ],
)
def test_groups_that_cannot_be_compared_say_why(left, right, why):
    comparison = drops.compare("x", [("a", np.array(left)), ("b", np.array(right))])
    assert why in comparison.why
    assert all(math.isnan(value) for value in (comparison.u, comparison.p, comparison.larger))


def made_up_table(covered: bool) -> pd.DataFrame:
    kinds = [SPECIFIC] * 8 + [CROSS] * 8
    memory = [NOT_COVERED, COVERED] * 8 if covered else [None] * 16
    falls = [0.9, 0.3, 0.8, 0.2, 0.95, 0.25, 0.85, 0.35, *np.linspace(-0.1, 0.1, 8)]
    return pd.DataFrame({"kind": kinds, "memory": memory, "drop": falls})


def test_kinds_and_memory_are_compared_and_memory_within_the_task_specific_too():
    kind, memory, within = drops.comparisons(made_up_table(covered=True))
    assert [label for label, _ in kind.groups] == [SPECIFIC, CROSS]
    assert kind.larger == 1
    assert [len(values) for _, values in memory.groups] == [8, 8]
    assert [len(values) for _, values in within.groups] == [4, 4]
    assert within.p == pytest.approx(2 / math.comb(8, 4))
    numbers = drops.in_numbers([kind, memory, within])
    assert list(numbers.n_1) == [8, 8, 4]
    assert numbers.median_1[0] == pytest.approx(
        np.median([0.9, 0.3, 0.8, 0.2, 0.95, 0.25, 0.85, 0.35])
    )


def test_without_a_memory_only_the_kinds_are_tested():
    numbers = drops.in_numbers(drops.comparisons(made_up_table(covered=False)))
    assert list(numbers.why != "") == [False, True, True]
    assert numbers.p.isna().tolist() == [False, True, True]
