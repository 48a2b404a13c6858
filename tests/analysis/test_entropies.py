"""Entropies of samplers' memories, beside the values that they are held against."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import entropy

from core.analysis.entropies import COUNTED, EXPECTED, SAMPLERS, SIZE, by_parent, measure
from core.config import RunConfig, build_options
from core.data.base import FormReader, Task, load_tasks
from core.registry import samplers


def test_a_fragment_is_told_apart_by_the_label_it_hangs_under():
    read = FormReader().example
    one, other = (read("", f"( {label} ( f x ) ( g ( type y ) ) )").derivation for label in "ab")
    assert one[1].action == other[1].action  # ( f x )
    first, second = ([step.action for step in by_parent(steps)] for steps in (one, other))
    assert first[1] != second[1]
    assert first[2:] == second[2:]  # ( g _ ) is no fragment, ( type y ) hangs under g in both
    assert [str(step.action) for step in by_parent(read("", "x").derivation)] == ["GEN ( x )"]


@pytest.mark.parametrize("counted", COUNTED)
def test_entropies_are_those_of_the_samplers_own_choice(counted: str, toy_tasks: tuple[Task, ...]):
    rows, seeds = toy_tasks[2].train, (3, 5)
    found = measure(rows, 3, seeds, counted).set_index("sampler")
    assert list(found.index) == list(SAMPLERS)
    for name in SAMPLERS:
        if counted != "actions" and name in ("dlfs", "balance"):
            continue  # they search for another entropy
        entry = samplers[name]
        given = {"action_counts": "presence"} if name in ("dlfs", "balance") else {}
        options, values = build_options(entry.options, given), []
        for seed in seeds:
            kept = entry.value(rows, 3, options, np.random.default_rng(seed), None).indices
            steps = [rows[row].derivation for row in kept]
            steps = steps if counted == "actions" else [by_parent(each) for each in steps]
            counts = Counter(action for each in steps for action in {s.action for s in each})
            values.append(entropy(list(counts.values())))
        assert found["mean"][name] == pytest.approx(np.mean(values))
        if name == "balance":
            assert found.n[name] == 1
            assert np.isnan(found.deviation[name])
        else:
            assert found.deviation[name] == pytest.approx(np.std(values, ddof=1))


@pytest.mark.slow
@pytest.mark.parametrize("case", [EXPECTED[0], EXPECTED[2]], ids=lambda case: case.task)
def test_each_sampler_spreads_wider_than_the_one_before(case, real_data: Path):
    rows = load_tasks(RunConfig(dataset=case.dataset, task_order=(case.task,)))[0].train
    for counted in COUNTED:
        found = measure(rows, SIZE, range(3), counted).set_index("sampler")["mean"]
        assert found["random"] < found["lfs"] < found["dlfs"] < found["balance"]
    for name, value in zip(("random", "lfs", "dlfs"), case.expected, strict=True):
        assert found[name] == pytest.approx(value, abs=0.1)  # by parent, the last
