"""From memories to their outcome: what a row alone covers; entropy against accuracy over runs."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from core.analysis import memory_outcome as analysis
from core.analysis import memory_rows
from core.analysis.choosing import choose
from core.analysis.memory import Kept, entropy, read_task
from core.config import RunConfig
from tests.conftest import make_toy_tasks
from tests.made_up import finished_run


@pytest.fixture
def task():
    return read_task(make_toy_tasks()[0].train, 3)


def test_what_a_row_alone_covers_is_in_no_other_row_of_the_memory(task):
    memory = Kept("made up", 0, (0, 1, 4))
    actions = [{str(step.action) for step in task.examples[row].derivation} for row in memory.rows]
    alone = analysis.covered_alone(task, memory)
    for at, mine in enumerate(actions):
        rest = set().union(*(covered for index, covered in enumerate(actions) if index != at))
        assert set(alone[at]) == mine - rest
    assert any(alone)


def test_outcomes_are_of_finished_runs_with_memories(store):
    config = RunConfig(dataset="overnight", method="emr")
    ids = [
        finished_run(store, config.with_(seed=seed), kept=0.3 + 0.15 * seed, seed=seed)
        for seed in range(4)
    ]
    runs = [store.run(id) for id in ids]
    counts = {id: [{"a": 1, "b": 1 + at}, {"a": 2}] for at, id in enumerate(ids)}
    table = analysis.outcomes(store, runs, counts | {ids[3]: []})
    assert list(table.run) == ids[:3]
    expected = [(entropy(np.array([1, 1 + at])) + 0.0) / 2 for at in range(3)]
    assert list(table.entropy) == pytest.approx(expected)
    assert math.isnan(analysis.rank_correlation(table, "avg"))  # three runs say nothing
    table = analysis.outcomes(store, runs, counts)
    assert analysis.rank_correlation(table.assign(avg=-table.entropy), "avg") == pytest.approx(-1)


@pytest.mark.parametrize(
    ("entropies", "says"), [([1, 1, 2, 2], True), ([1, 1, 1, 1], False), ([1, 2, 3], False)]
)
def test_a_rank_correlation_needs_four_runs_and_two_values_of_each(entropies, says):
    accuracies = list(range(len(entropies)))
    for columns in (("entropy", "avg"), ("avg", "entropy")):
        table = pd.DataFrame(dict(zip(columns, (entropies, accuracies), strict=True)))
        correlation = analysis.rank_correlation(table, "avg")
        assert math.isfinite(correlation) == says
        if says:
            ranks = [1.5, 1.5, 3.5, 3.5]
            assert correlation == pytest.approx(np.corrcoef(ranks, accuracies)[0, 1])


@pytest.mark.parametrize("sampler", ["dlfs", "balance"])
def test_the_states_of_a_search_have_the_entropies_that_its_trace_says(task, sampler):
    config = RunConfig(dataset="toy", sampler=sampler, memory_size=3)
    memory = choose(config, task.examples, "made up")
    states = memory_rows.states(memory)
    steps = memory_rows.steps(task.examples, memory)
    assert len(states) == len(steps)
    assert states[-1] == memory.rows
    changes = zip(pairwise(states), steps.iloc[1:].itertuples(), strict=True)
    for (before, after), step in changes:
        gone, come = set(before) - set(after), set(after) - set(before)
        assert gone == ({step.row_out} if step.kind == "swap" else set())
        assert come == {step.row_in}
