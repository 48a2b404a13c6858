"""What each sampler but DLFS keeps, on cases where it can be computed by hand."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.stats import entropy

from core.data.base import Example, FormReader
from core.registry import samplers
from core.samplers import prior as prior_module
from core.samplers.parts.centres import nearest_to_centres
from core.samplers.parts.filling import fill_at_random
from core.similarity.base import distinct_forms

READ = FormReader().example
FORMS = [
    "( count ( all ( type ship ) ) )",
    "( count ( all ( type dog ) ) )",
    "( count ( all ( type ship ) ) )",
    "( list ( filter ( all ( type ship ) ) ( size big ) ) )",
    "( list ( filter ( all ( type dog ) ) ( size big ) ) )",
    "( list ( filter ( all ( type cat ) ) ( size small ) ) )",
]
ROWS = [READ(f"row {number}", form) for number, form in enumerate(FORMS)]


def choose(name: str, rows: list[Example], size: int, seed: int = 0, **values):
    entry = samplers[name]
    return entry.value(rows, size, entry.options(**values), np.random.default_rng(seed), None)


def test_random_takes_every_row_equally_often():
    drawn = Counter(row for seed in range(3000) for row in choose("random", ROWS, 2, seed).indices)
    np.testing.assert_allclose([drawn[row] / 3000 for row in range(6)], 1 / 3, atol=0.03)


def test_lfs_keeps_the_first_row_of_each_medoid():
    chosen = choose("lfs", ROWS, 2)
    forms = distinct_forms(ROWS)
    assert chosen.indices == tuple(forms.first_rows[chosen.trace["medoids"]].tolist())
    of_rows = [chosen.trace["clusters"][forms.of_row[row]] for row in chosen.indices]
    assert of_rows == [0, 1]
    assert {row // 3 for row in chosen.indices} == {0, 1}  # a count and a list


def test_lfs_with_fewer_forms_keeps_each_and_fills_at_random():
    rows = [ROWS[0]] * 4 + [ROWS[3]] * 4
    fillers = Counter()
    for seed in range(200):
        chosen = choose("lfs", rows, 3, seed).indices
        assert {0, 4} <= set(chosen)
        fillers.update(set(chosen) - {0, 4})
    assert set(fillers) == {1, 2, 3, 5, 6, 7}


def test_filling_draws_of_the_rows_not_taken():
    drawn = Counter(
        row
        for seed in range(2000)
        for row in fill_at_random([1, 3], 4, 6, np.random.default_rng(seed))[2:]
    )
    assert set(drawn) == {0, 2, 4, 5}
    np.testing.assert_allclose([n / 2000 for n in drawn.values()], 0.5, atol=0.05)


@pytest.mark.parametrize("kind", ["frequency", "presence"])
def test_balance_takes_the_best_row_at_each_step(kind: str):
    def balance_of(rows: list[int]) -> float:
        counts: Counter = Counter()
        for row in rows:
            actions = [step.action for step in ROWS[row].derivation]
            counts.update(actions if kind == "frequency" else set(actions))
        return float(entropy(list(counts.values())))

    chosen = choose("balance", ROWS, 4, action_counts=kind)
    for taken in range(1, 5):
        before, reached = list(chosen.indices[: taken - 1]), chosen.trace["entropy"][taken - 1]
        assert reached == pytest.approx(balance_of([*before, chosen.indices[taken - 1]]))
        assert all(
            balance_of([*before, row]) <= reached + 1e-9 for row in set(range(6)) - {*before}
        )


def test_prior_takes_the_surest_rows_of_different_entities(monkeypatch: pytest.MonkeyPatch):
    losses = np.array([0.5, 0.9, 0.2, 0.3, 0.1, 0.7])
    monkeypatch.setattr(prior_module, "action_losses", lambda rows, parser: losses)
    counts = [len(prior_module.entities(row)) for row in ROWS]
    assert counts == [1, 1, 1, 2, 2, 2]
    chosen = choose("prior", ROWS, 6)
    scores = losses * np.sqrt(counts)
    assert chosen.indices == (4, 2, 3, 1, 5, 0)  # 0 has the entities of 2, which is surer
    assert chosen.trace["scores"] == pytest.approx(scores[list(chosen.indices)].tolist())
    assert chosen.trace["rounds"] == [0, 0, 0, 0, 0, 1]
    assert choose("prior", ROWS, 2).indices == (4, 2)


def test_prior_as_released_keeps_the_first_rows():
    assert choose("prior_as_released", ROWS, 3).indices == (0, 1, 2)


def test_centres_give_the_row_nearest_to_each_group():
    points = np.array([[0, 0], [1, 0], [0.4, 0.1], [10, 0], [11, 0], [10.6, 0.1]], np.float32)
    chosen = nearest_to_centres(points, 2, np.random.default_rng(0))
    assert sorted(chosen.indices) == [2, 5]
    labels = chosen.trace["row_clusters"]
    assert len({*labels[:3]}) == len({*labels[3:]}) == 1
    assert labels[0] != labels[3]


def test_centres_of_points_that_repeat_give_different_rows():
    for points, size, seed in product(
        (np.zeros((6, 2), np.float32), np.repeat(np.eye(3, dtype=np.float32), 2, axis=0)),
        range(1, 7),
        range(3),
    ):
        rows = nearest_to_centres(points, size, np.random.default_rng(seed)).indices
        assert len(set(rows)) == size
        different = len(np.unique(points, axis=0))
        assert len(np.unique(points[list(rows)], axis=0)) == min(size, different)
