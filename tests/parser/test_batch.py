"""Batches: every row once, little padding, nothing lost in joining or taking."""

import numpy as np
import pytest
import torch

from core.parser.batch import Batch, Vocabulary, join, shuffled_parts, split_by_length
from core.training.assembly import Learner


def make_rows(n: int, seed: int = 0) -> Batch:
    rng = np.random.default_rng(seed)
    lengths, steps = rng.integers(1, 20, n), rng.integers(1, 23, n)
    width = np.arange(24)
    table = lambda ends: torch.from_numpy(  # noqa: E731
        np.where(width < ends[:, None], rng.integers(1, 9, (n, 24)), 0)
    )
    return Batch(
        table(lengths),
        torch.from_numpy(lengths),
        table(steps),
        table(steps),
        torch.from_numpy(steps),
        torch.zeros(n, dtype=torch.int64),
    )


def test_an_epoch_takes_every_row_once_in_an_order_of_the_generator() -> None:
    rows = make_rows(3001)
    parts = shuffled_parts(rows, 64, np.random.default_rng(3))
    assert sorted(np.concatenate(parts)) == list(range(3001))
    assert max(map(len, parts)) == 64
    again = shuffled_parts(rows, 64, np.random.default_rng(3))
    other_seed = shuffled_parts(rows, 64, np.random.default_rng(4))
    assert all(np.array_equal(a, b) for a, b in zip(parts, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(parts, other_seed, strict=True))


def test_examples_meet_no_oftener_than_by_chance() -> None:
    """Of the pairs batched together in an epoch, as many meet again in the next as chance has it.

    640 examples in ten batches: 63 of the 639 others come with an example, so about 9.9 %.
    """
    rows, rng = make_rows(640), np.random.default_rng(0)

    def pairs() -> np.ndarray:
        together = np.zeros((640, 640), dtype=bool)
        for part in shuffled_parts(rows, 64, rng):
            together[np.ix_(part, part)] = True
        return together & ~np.eye(640, dtype=bool)

    before, again = pairs(), []
    for _ in range(5):
        after = pairs()
        again.append((before & after).sum() / before.sum())
        before = after
    assert np.mean(again) == pytest.approx(63 / 639, abs=0.01)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 669, 640])
def test_every_example_has_the_same_weight_in_an_epoch(n: int) -> None:
    """No short last batch, whose examples' mean would weigh more; longest forms are anywhere."""
    parts = shuffled_parts(make_rows(n), 64, np.random.default_rng(0))
    sizes = [len(part) for part in parts]
    assert len(sizes) == -(-n // 64)
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= 64


def test_the_longest_forms_are_spread_over_the_batches() -> None:
    rows, counts = make_rows(650), np.zeros(11)
    longest = set(np.argsort(-rows.steps.numpy(), kind="stable")[:65].tolist())
    for seed in range(200):
        for number, part in enumerate(shuffled_parts(rows, 64, np.random.default_rng(seed))):
            counts[number] += len(longest & set(part.tolist()))
    assert counts / 200 == pytest.approx(np.full(11, 65 / 11), rel=0.1)


def test_rows_without_steps_are_not_trained_on() -> None:
    rows = make_rows(10)
    rows.steps[[2, 5]] = 0
    parts = shuffled_parts(rows, 4, np.random.default_rng(0))
    assert sorted(np.concatenate(parts)) == [0, 1, 3, 4, 6, 7, 8, 9]


def test_joined_rows_are_the_rows() -> None:
    first, second = make_rows(5, 1).take([0, 1, 2]), make_rows(9, 2)
    both = join([first, second])
    for number in range(len(both)):
        joined_row = both.take([number])
        part = first.take([number]) if number < 3 else second.take([number - 3])
        for name in ("words", "slots", "actions", "lengths", "steps"):
            assert torch.equal(getattr(joined_row, name), getattr(part, name))


def test_real_steps_lie_where_the_steps_say() -> None:
    rows = make_rows(7)
    expected = [i * 24 + t for i in range(7) for t in range(int(rows.steps[i]))]
    assert rows.real.tolist() == expected


def test_split_covers_all_rows() -> None:
    parts = split_by_length(make_rows(100), 16)
    assert sorted(np.concatenate(parts)) == list(range(100))


def test_vocabulary_knows_training_words_only() -> None:
    vocabulary = Vocabulary([["a", "b"], ["b", "c"]])
    assert vocabulary.encode(["c", "zebra", "a"]) == [4, 1, 2]
    assert vocabulary.encode([]) == [1]
    assert "b" in vocabulary
    assert "zebra" not in vocabulary


def test_encoded_rows_hold_the_derivations(toy_config) -> None:
    learner = Learner(toy_config)
    for k, task in enumerate(learner.tasks):
        rows = learner.train_batches[k]
        for number, example in enumerate(task.train):
            steps = int(rows.steps[number])
            actions = [learner.grammar.actions[a] for a in rows.actions[number, :steps].tolist()]
            assert actions == [step.action for step in example.derivation]
        assert set(rows.tasks.tolist()) == {k}
