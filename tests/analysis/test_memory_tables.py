"""Memory tables against second computations: scipy's entropy, sets, counting by hand."""

import io
from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.analysis import choosing, memory, memory_rows
from core.analysis.memory import Kept
from core.config import RunConfig
from core.data.base import FormReader, load_tasks
from core.events import MemoryStored
from core.runs.owner import new_owner
from core.runs.store import Store

K = 12


@pytest.fixture(scope="module")
def examples():
    return load_tasks(RunConfig(task_order=("library",)))[0].train


@pytest.fixture(scope="module")
def task(examples):
    return memory.read_task(examples, K)


@pytest.fixture(scope="module")
def memories(examples):
    return [
        choosing.choose(RunConfig(sampler=name, memory_size=K, seed=seed), examples, name)
        for name in ("random", "dlfs", "balance")
        for seed in (0, 1, 2)
    ]


def counted(examples, rows, kind):
    """Action counts of these rows, by hand."""
    counts = Counter()
    for row in rows:
        actions = [str(step.action) for step in examples[row].derivation]
        counts.update(actions if kind == "frequency" else set(actions))
    return counts


@pytest.mark.parametrize("kind", memory.COUNTS)
def test_entropies_are_those_of_scipy(task, examples, memories, kind):
    measured = memory.measurements(task, memories)
    for kept, value in zip(memories, measured[f"entropy_{kind}"], strict=True):
        counts = list(counted(examples, kept.rows, kind).values())
        assert value == pytest.approx(stats.entropy(counts))


def test_coverage_is_that_of_sets(task, examples, memories):
    measured = memory.measurements(task, [task.everything(), *memories])
    every = range(len(examples))
    for kept, row in zip([task.everything(), *memories], measured.itertuples(), strict=True):
        for name, of in (
            ("actions", lambda r: {step.action for step in examples[r].derivation}),
            ("slots", lambda r: {step.slot for step in examples[r].derivation}),
            ("forms", lambda r: {examples[r].logical_form}),
            ("clusters", lambda r: {task.clusters[task.forms.of_row[r]]}),
        ):
            held = set().union(*map(of, kept.rows))
            whole = set().union(*map(of, every))
            assert getattr(row, name) == len(held)
            assert getattr(row, f"{name}_share") == pytest.approx(len(held) / len(whole))
    assert (measured.filter(like="_share").iloc[0] == 1).all()


def test_overlap_is_jaccards_index_by_hand():
    kept = [Kept("a", 0, (0, 1, 2)), Kept("b", 0, (2, 3)), Kept("c", 0, (7,)), Kept("d", 0, ())]
    pairs = memory.overlap(kept).set_index(["left", "right"])
    assert pairs.loc[(0, 1), "shared"] == 1
    assert pairs.loc[(0, 1), "jaccard"] == pytest.approx(1 / 4)
    assert pairs.loc[(1, 2), "jaccard"] == 0
    for left in range(4):
        assert pairs.loc[(left, left), "jaccard"] == 1
        for right in range(4):
            assert pairs.loc[(left, right), "jaccard"] == pairs.loc[(right, left), "jaccard"]


def test_stability_averages_the_pairs_of_seeds(task, memories):
    table = memory.stability(memories, memory.measurements(task, memories)).set_index("label")
    a, b, c = (set(kept.rows) for kept in memories[3:6])
    pairs = [len(x & y) / len(x | y) for x, y in ((a, b), (a, c), (b, c))]
    assert table.jaccard["dlfs"] == pytest.approx(np.mean(pairs))
    assert table.lowest["dlfs"] == pytest.approx(min(pairs))
    assert (table.always["dlfs"], table.ever["dlfs"]) == (len(a & b & c), len(a | b | c))
    assert table.jaccard["balance"] == 1  # nothing in it is drawn
    alone = memory.stability(memories[:1], memory.measurements(task, memories[:1]))
    assert alone[["jaccard", "entropy_presence_deviation"]].isna().all(axis=None)


@pytest.mark.parametrize("kind", memory.COUNTS)
def test_the_histogram_holds_shares_of_task_and_memories(task, examples, memories, kind):
    table = memory.histogram(task, memories, kind)
    whole = counted(examples, range(len(examples)), kind)
    first = table[table.label == "whole task"]
    assert dict(zip(first.action, first["count"], strict=True)) == whole
    assert first["count"].is_monotonic_decreasing
    means = Counter()
    for kept in memories[:3]:
        counts = counted(examples, kept.rows, kind)
        for action, count in counts.items():
            means[action] += count / sum(counts.values()) / 3
    drawn = table[table.label == "random"].set_index("action")
    assert drawn.share.sum() == pytest.approx(1)
    for action, share in drawn.share.items():
        assert share == pytest.approx(means[action])


def test_the_search_of_dlfs_retold_leads_to_its_memory(task, memories):
    kept = memories[3]
    table = memory_rows.trajectory(task, kept)
    rows = [set(kept.rows)]
    for step in table[::-1].itertuples():  # back to the start
        if step.kind == "swap":
            rows.append(rows[-1] - {step.row_in} | {step.row_out})
            assert step.form_in == task.examples[step.row_in].logical_form
    start = memory.measurements(task, [Kept("start", 0, tuple(rows[-1]))])
    assert table.entropy.iloc[0] == pytest.approx(start.entropy_frequency[0])
    end = memory.measurements(task, [kept])
    assert table.entropy.iloc[-1] == pytest.approx(end.entropy_frequency[0])
    swaps = table[table.kind == "swap"]
    assert len(swaps) > 0
    assert all(later >= earlier for earlier, later in pairwise(table.entropy))


def test_balance_tells_the_entropy_row_by_row_and_random_nothing(task, memories):
    table = memory_rows.trajectory(task, memories[6])
    assert list(table.row_in) == list(memories[6].rows)
    assert memory_rows.trajectory(task, memories[0]).empty


def test_chosen_rows_are_the_examples_and_survive_a_tsv(task, examples, memories):
    table = memory_rows.chosen(task, memories[3])
    assert list(table.own_cluster) == list(range(K))  # row i of DLFS belongs to cluster i
    assert memory_rows.chosen(task, memories[0]).own_cluster.isna().all()
    back = pd.read_csv(io.StringIO(table.to_csv(sep="\t", index=False)), sep="\t")
    for row in back.itertuples():
        assert row.utterance == examples[row.row].utterance
        assert row.logical_form == examples[row.row].logical_form
        assert row.actions.split("  ") == [
            str(step.action) for step in examples[row.row].derivation
        ]


def test_find_looks_into_utterance_form_and_actions_letter_for_letter(task, memories):
    table = memory_rows.chosen(task, memories[3])
    word = table.utterance[0].split()[0].upper()
    assert 0 in memory_rows.find(table, word).index
    assert len(memory_rows.find(table, "")) == len(table)
    assert memory_rows.find(table, "(.*").empty  # no pattern


def test_a_choice_is_what_a_run_would_have_stored_first(examples, memories):
    from core.generators import Generators
    from core.samplers.base import select

    config = RunConfig(sampler="dlfs", memory_size=K, seed=1)
    mine = select(config, examples, Generators(1).for_arrays("sampler"))
    assert memories[4].rows == mine.indices


def test_stored_memories_are_those_that_runs_told():
    store = Store()
    owner = new_owner()
    id = store.create(RunConfig(seed=4), claimed_by=owner)
    for task, rows in enumerate([(3, 1), (5,)]):
        store.record(id, MemoryStored(task, rows, {"entropy": [0.5]}), owner)
    table = choosing.stored_tasks(store, [id])
    assert list(table.task) == [0, 1]
    kept = choosing.stored(store, store.run(id), 0, "DLFS")
    assert kept == Kept("DLFS", 4, (3, 1), {"entropy": [0.5]}, run=id)
    assert choosing.stored(store, store.run(id), 2, "DLFS") is None
    store.close()


def test_a_task_of_one_form_is_no_accident(examples):
    task = memory.read_task([examples[0]] * 3, 5)
    measured = memory.measurements(task, [Kept("a", 0, (1,)), Kept("b", 0, ())])
    assert list(measured.forms_share) == [1, 0]
    assert measured.entropy_presence[1] == 0


@pytest.mark.parametrize("kind", memory.COUNTS)
def test_shares_of_a_memory_add_up_to_one_also_of_a_single_action(kind):
    read = FormReader().example
    task = memory.read_task([read("a", "( sky )"), read("b", "( sea )")], 1)
    kept = Kept("kept", 0, (1,))
    table = memory.histogram(task, [kept], kind)
    assert table[table.label == "kept"].set_index("count").share.to_dict() == {0: 0, 1: 1}
    assert table.groupby("label").share.sum().tolist() == [1, 1]
