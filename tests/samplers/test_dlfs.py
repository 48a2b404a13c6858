from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import entropy

from core.data.base import Example, FormReader, Task
from core.options import build_options
from core.registry import samplers
from core.samplers.base import Selection
from core.similarity.base import distinct_forms

READ = FormReader().example


def dlfs(examples: Sequence[Example], size: int, seed: int = 0, **values: Any) -> Selection:
    entry = samplers["dlfs"]
    options = build_options(entry.options, values)
    return entry.value(examples, size, options, np.random.default_rng(seed), None)


def actions_entropy(examples: Sequence[Example], rows: Sequence[int], kind: str) -> float:
    """H of some rows, counted from the start."""
    counts: Counter = Counter()
    for row in rows:
        actions = [step.action for step in examples[row].derivation]
        counts.update(actions if kind == "frequency" else set(actions))
    return float(entropy(list(counts.values())))


def random_rows(seed: int, rows: int) -> list[Example]:
    """Rows over a made-up grammar in which forms, and actions in a form, repeat."""
    rng = np.random.default_rng(seed)

    def form(depth: int) -> str:
        if depth == 0 or rng.random() < 0.3:
            return f"( leaf v{rng.integers(5)} )"
        below = " ".join(form(depth - 1) for _ in range(rng.integers(1, 3)))
        return f"( f{rng.integers(3)} {below} )"

    return [READ(str(number), form(2)) for number in range(rows)]


def clusters_of(examples: Sequence[Example], selection: Selection) -> list[int]:
    """The cluster of each row chosen."""
    of_row = distinct_forms(examples).of_row
    return [selection.trace["clusters"][of_row[row]] for row in selection.indices]


CASES = [
    pytest.param(seed, kind, acceptance, initial, id=f"{seed}-{kind}-{acceptance}-{initial}")
    for seed, (kind, acceptance, initial) in enumerate(
        product(("frequency", "presence"), ("best", "first"), ("random", "last"))
    )
]


@pytest.mark.parametrize(("seed", "kind", "acceptance", "initial"), CASES)
def test_each_swap_raises_entropy_as_recounted(seed: int, kind: str, acceptance: str, initial: str):
    rows = random_rows(seed, 60)
    chosen = dlfs(rows, 8, seed, action_counts=kind, acceptance=acceptance, initial=initial)
    memory = list(chosen.indices)
    after_swaps = [swap["entropy"] for swap in chosen.trace["swaps"]]
    for swap in reversed(chosen.trace["swaps"]):  # walk back to the start
        assert memory[swap["cluster"]] == swap["row_in"]
        assert swap["entropy"] == pytest.approx(actions_entropy(rows, memory, kind), abs=1e-12)
        memory[swap["cluster"]] = swap["row_out"]
    start = actions_entropy(rows, memory, kind)
    assert chosen.trace["entropy"] == [pytest.approx(start, abs=1e-12), *after_swaps]
    assert np.diff(chosen.trace["entropy"]).min(initial=1) > 0
    assert np.diff(chosen.trace["sweeps"]).min(initial=0) >= 0
    assert chosen.trace["sweeps"][-1] == chosen.trace["entropy"][-1]


@pytest.mark.parametrize(("seed", "kind", "acceptance", "initial"), CASES)
def test_one_row_a_cluster_and_no_replacement_helps(
    seed: int, kind: str, acceptance: str, initial: str
):
    rows = random_rows(seed, 60)
    chosen = dlfs(rows, 8, seed, action_counts=kind, acceptance=acceptance, initial=initial)
    assert clusters_of(rows, chosen) == list(range(8))
    reached = chosen.trace["entropy"][-1]
    of_row, labels = distinct_forms(rows).of_row, chosen.trace["clusters"]
    for cluster, row in product(range(8), range(len(rows))):
        if labels[of_row[row]] == cluster:
            replaced = [*chosen.indices[:cluster], row, *chosen.indices[cluster + 1 :]]
            assert actions_entropy(rows, replaced, kind) <= reached + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_best_start_reaches_the_best_memory_there_is(seed: int):
    rows = random_rows(seed, 14)
    reached = []
    for start in range(12):
        chosen = dlfs(rows, 3, seed=start, action_counts="presence")
        of_row = distinct_forms(rows).of_row
        members = [
            [r for r in range(14) if chosen.trace["clusters"][of_row[r]] == c] for c in range(3)
        ]
        most = max(actions_entropy(rows, memory, "presence") for memory in product(*members))
        reached.append(most - chosen.trace["entropy"][-1])
        assert reached[-1] > -1e-9
    assert min(reached) < 1e-9


def test_acceptance_chooses_the_best_or_the_first_row_that_helps():
    forms = ["( f a )", "( f a )", "( g ( h b ) )", "( g ( h b ) )"]  # one cluster of two forms
    rows = [READ(str(n), form) for n, form in enumerate([*forms, "( g ( h b ) ( h c ) )"])]
    start = {"initial": "random", "action_counts": "frequency"}
    for seed in range(30):
        best = dlfs(rows, 1, seed, acceptance="best", **start)
        first = dlfs(rows, 1, seed, acceptance="first", **start)
        assert best.indices == first.indices == (4,)
        assert len(best.trace["swaps"]) <= 1
    helped = [dlfs(rows, 1, seed, acceptance="first", **start).trace for seed in range(30)]
    assert any([s["row_in"] for s in trace["swaps"]] == [2, 4] for trace in helped)


def test_last_start_is_the_last_row_of_each_cluster():
    rows = random_rows(1, 40)
    chosen = dlfs(rows, 5, initial="last")
    memory = list(chosen.indices)
    for swap in reversed(chosen.trace["swaps"]):
        memory[swap["cluster"]] = swap["row_out"]
    of_row, labels = distinct_forms(rows).of_row, np.array(chosen.trace["clusters"])
    assert memory == [int(np.flatnonzero(labels[of_row] == c)[-1]) for c in range(5)]


def test_fewer_forms_than_rows_asked_for_keeps_every_form(toy_tasks: tuple[Task, ...]):
    rows = toy_tasks[0].train  # ten rows, five forms
    chosen = dlfs(rows, 8)
    of_row = distinct_forms(rows).of_row
    assert set(of_row[list(chosen.indices)].tolist()) == set(range(5))
    assert [filled["row"] for filled in chosen.trace["filled"]] == list(chosen.indices[5:])
    last = chosen.trace["filled"][-1]["entropy"]
    assert last == pytest.approx(actions_entropy(rows, chosen.indices, "frequency"))
    for kept, row in product(chosen.indices[7:], set(range(10)) - set(chosen.indices)):
        replaced = [row if r == kept else r for r in chosen.indices]
        assert actions_entropy(rows, replaced, "frequency") <= last + 1e-9


def test_h_actions_are_all_that_entropy_looks_at():
    rows = random_rows(2, 60)
    chosen = dlfs(rows, 6, h=3)
    assert len(chosen.trace["actions"]) == 3
    counts: Counter = Counter()
    for row in chosen.indices:
        counts.update(str(step.action) for step in rows[row].derivation)
    kept = [counts[name] for name in chosen.trace["actions"]]
    assert chosen.trace["entropy"][-1] == pytest.approx(float(entropy(kept)))
    assert "actions" not in dlfs(rows, 6).trace


def test_trace_is_plain_values():
    def plain(value: Any) -> bool:
        if isinstance(value, dict):
            return all(type(key) is str and plain(item) for key, item in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return type(value) in (int, float, str)

    assert plain(dlfs(random_rows(0, 30), 5, h=4).trace)


@pytest.mark.data
def test_real_memory_is_more_balanced_than_a_random_one(real_data: Path):
    lines = (real_data / "overnight/calendar_train.tsv").read_text(encoding="utf-8").splitlines()
    read = FormReader().example
    rows = [read(*line.split("\t")) for line in lines]
    for seed in range(3):
        chosen = dlfs(rows, 50, seed, action_counts="presence")
        rng = np.random.default_rng(seed)
        drawn = samplers["random"].value(rows, 50, samplers["random"].options(), rng, None)
        assert clusters_of(rows, chosen) == list(range(50))
        gain = chosen.trace["entropy"][-1] - actions_entropy(rows, drawn.indices, "presence")
        assert gain > 0.05
