"""What holds for every sampler there is."""

import random
from collections.abc import Sequence

import numpy as np
import pytest

from core.data.base import Example, FormReader, Task
from core.registry import samplers
from core.samplers.base import Selection

FREE = [name for name, entry in samplers.items() if not entry.traits["parser"]]
READ = FormReader().example


def choose(name: str, examples: Sequence[Example], size: int, seed: int = 0) -> Selection:
    entry = samplers[name]
    return entry.value(examples, size, entry.options(), np.random.default_rng(seed), None)


def rows_of(*forms: str) -> list[Example]:
    return [READ(f"row {number}", form) for number, form in enumerate(forms)]


def global_state() -> tuple:
    return random.getstate(), tuple(np.random.get_state()[1])  # noqa: NPY002 - is it left alone?


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("size", [0, 1, 2, 4, 7, 10])
def test_selection_is_distinct_rows_of_the_size_asked_for(
    name: str, size: int, toy_tasks: tuple[Task, ...]
):
    rows = choose(name, toy_tasks[0].train, size).rows
    assert len(rows) == len(set(rows)) == size
    assert all(type(row) is int and 0 <= row < 10 for row in rows)


@pytest.mark.parametrize("name", FREE)
def test_fewer_rows_than_asked_for_are_all_kept(name: str, toy_tasks: tuple[Task, ...]):
    assert sorted(choose(name, toy_tasks[0].train, 99).rows) == list(range(10))


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize(
    "forms",
    [
        ["( f x )"] * 6,  # all alike, one action only
        ["( f x )"] * 5 + ["( g x )"],
        ["x"] * 3 + ["y"] * 3,  # no internal node
    ],
)
def test_forms_that_hardly_differ_fill_the_memory(name: str, forms: list[str]):
    for size in (1, 2, 4):
        assert len(set(choose(name, rows_of(*forms), size).rows)) == size


@pytest.mark.parametrize("name", FREE)
def test_no_rows_are_no_memory(name: str):
    assert choose(name, [], 5).rows == ()


@pytest.mark.parametrize("name", FREE)
def test_same_input_same_choice_and_no_global_randomness(name: str, toy_tasks: tuple[Task, ...]):
    before = global_state()
    one, two = (choose(name, toy_tasks[1].train, 3, seed=4) for _ in range(2))
    assert one == two
    assert global_state() == before
