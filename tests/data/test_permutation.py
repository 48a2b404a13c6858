"""How the order seed permutes tasks: by NumPy, or as the paper's release."""

import pytest
import torch

from core.config import RunConfig
from core.data.base import Task, load_tasks, order_tasks
from core.data.deriving import derived_tasks
from core.runs.digest import digest


def sized(*sizes: int) -> tuple[Task, ...]:
    return tuple(Task(f"{number}", tuple(range(size)), (), ()) for number, size in enumerate(sizes))


@pytest.mark.parametrize("seed", [1, 2, 3, 10])
def test_the_releases_permutation(seed: int) -> None:
    """Sizes 5, 9, 7, 9: by falling size tasks 1, 3, 2, 0, equal ones in the order given."""
    tasks = sized(5, 9, 7, 9)
    state = torch.get_rng_state()
    ordered = order_tasks(tasks, (), seed, "release")
    assert torch.equal(torch.get_rng_state(), state)  # a generator of its own
    torch.manual_seed(seed)
    expected = [["1", "3", "2", "0"][at] for at in torch.randperm(4).tolist()]
    torch.set_rng_state(state)
    assert [task.name for task in ordered] == expected


def test_seed_0_keeps_the_order_and_numpys_stays_what_it_was() -> None:
    tasks = sized(1, 2, 3, 4, 5)
    assert order_tasks(tasks, (), 0, "release") == tasks
    assert [task.name for task in order_tasks(tasks, (), 1)] == ["4", "0", "1", "2", "3"]


def test_a_runs_tasks_are_in_the_order_of_its_permutation_whatever_was_read_before() -> None:
    config = RunConfig(dataset="demo", order_seed=3)
    for permutation in ("numpy", "release", "numpy"):
        permuted = config.with_(permutation=permutation)
        expected = [task.name for task in load_tasks(permuted)]
        assert [task.name for task in derived_tasks(permuted)] == expected
    release = load_tasks(config.with_(permutation="release"))
    assert [task.name for task in load_tasks(config)] != [task.name for task in release]


def test_it_is_another_run(toy_config) -> None:
    config = toy_config.with_(order_seed=3)
    assert digest(config) != digest(config.with_(permutation="release"))
