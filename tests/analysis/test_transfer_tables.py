"""Tables of forgetting and transfer: from the counts that runs record to groups at their end."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import accuracy, transfer_tables
from core.analysis.transfer import MEASURES
from core.config import RunConfig
from core.events import Accuracy
from core.runs.owner import new_owner
from core.runs.run import FINISHED, STOPPED
from core.runs.store import Store
from tests.made_up import ROWS, TASKS, finished_run, matrix, running_run, started

PLAIN = [name for name, each in MEASURES.items() if not each.needs]


def at_once(store: Store) -> int:
    """A run that learned all tasks together: only its last row is known."""
    owner = new_owner()
    id = store.create(RunConfig(method="oracle"), claimed_by=owner)
    store.record(id, started(), owner)
    for i, rows in enumerate(ROWS):
        store.record(id, Accuracy(2, i, rows // 2, rows), owner)
    store.set_status(id, FINISHED)
    return id


def first_only(store: Store, config: RunConfig, tasks, correct: int) -> int:
    """A run that was stopped after its first task."""
    owner = new_owner()
    id = store.create(config, claimed_by=owner)
    store.record(id, started(tasks), owner)
    store.record(id, Accuracy(0, 0, correct, 100), owner)
    store.set_status(id, STOPPED)
    return id


def read(store: Store, ids):
    runs = [store.run(id) for id in ids]
    cells = accuracy.cells(store, runs)
    ends = accuracy.latest(store, ids)
    learned = dict(zip(ends.run, ends.after + 1, strict=True))
    return runs, cells, accuracy.group(runs), learned


def test_courses_are_the_measures_of_the_counts_after_each_task(store) -> None:
    id = finished_run(store, RunConfig(), kept=0.5)
    _, cells, _, _ = read(store, [id])
    table = transfer_tables.trajectories(cells)
    assert list(table.after) == [0, 1, 2]
    assert list(table.task) == list(TASKS)
    counts = matrix(0.5)
    for k in range(3):
        acc = np.full((k + 1, k + 1), np.nan)
        for row in range(k + 1):
            for on in range(row + 1):
                acc[row, on] = counts[row][on] / ROWS[on]
        for name in PLAIN:
            assert table[name][k] == pytest.approx(
                MEASURES[name].of(acc, np.full(k + 1, np.nan)), nan_ok=True
            )
    assert table.forward.isna().all()
    assert table.forward_alone.isna().all()


def test_the_first_task_and_an_unfinished_run_have_no_values(store) -> None:
    ids = [finished_run(store, RunConfig()), running_run(store, RunConfig(method="emr"))]
    _, cells, groups, learned = read(store, ids)
    table = transfer_tables.trajectories(cells)
    assert table[table.after == 0][list(MEASURES)].isna().all(axis=None)
    last = transfer_tables.final(table, groups, learned)
    assert list(last.n) == [1, 0]
    assert last.loc[1, list(MEASURES)].isna().all()
    assert last.missing[1] == f"Run {ids[1]} has learned 1 of 3 tasks."
    assert not last.loc[0, PLAIN].isna().any()


def test_seeds_are_averaged_and_those_that_have_not_ended_left_out(store) -> None:
    ids = [finished_run(store, RunConfig(seed=s), seed=s, kept=0.6) for s in range(3)]
    ids.append(running_run(store, RunConfig(seed=9)))
    _, cells, groups, learned = read(store, ids)
    table = transfer_tables.trajectories(cells)
    last = transfer_tables.final(table, groups, learned)
    assert list(last.n) == [3]
    for name in PLAIN:
        values = table[table.run.isin(ids[:3]) & (table.after == 2)][name]
        assert last[name][0] == pytest.approx(values.mean())
        assert last[f"{name}_deviation"][0] == pytest.approx(values.std(ddof=1))
    course = transfer_tables.spread(table, groups, "backward")
    assert list(course.after) == [1, 2]
    assert list(course.runs) == [3, 3]
    assert course.backward[1] == pytest.approx(last.backward[0])


def test_a_run_that_learned_all_at_once_has_no_values_and_says_why(store) -> None:
    id = at_once(store)
    _, cells, groups, learned = read(store, [id])
    last = transfer_tables.final(transfer_tables.trajectories(cells), groups, learned)
    assert last[list(MEASURES)].isna().all(axis=None)
    assert "learned at once" in last.missing[0]


def test_zero_shot_accuracies_give_forward_transfer(store) -> None:
    id = finished_run(store, RunConfig())
    _, cells, groups, learned = read(store, [id])
    table = transfer_tables.trajectories(cells, zero_shot={id: {1: 0.2, 2: 0.5}})
    assert table.forward.to_numpy() == pytest.approx([np.nan, 0.2, 0.35], nan_ok=True)
    partial = transfer_tables.trajectories(cells, zero_shot={id: {1: 0.2}})
    assert partial.forward.isna().tolist() == [True, False, True]
    said = transfer_tables.final(table, groups, learned).missing[0]
    assert "Zero-shot" not in said
    assert "learned first by no run" in said
    assert (
        "Zero-shot"
        in transfer_tables.final(transfer_tables.trajectories(cells), groups, learned).missing[0]
    )


def test_alone_is_the_mean_of_the_runs_of_the_same_settings_that_learned_a_task_first(
    store,
) -> None:
    config = RunConfig(memory_size=7)
    id = finished_run(store, config)
    first, second, third = TASKS
    first_only(store, config.with_(order_seed=2), (second, first, third), 60)
    first_only(store, config.with_(order_seed=2, seed=5), (second, third, first), 70)
    first_only(store, config.with_(task_order=(third, first)), (third, first), 10)
    first_only(store, config.with_(memory_size=8), (third, second, first), 99)  # another setting
    run = store.run(id)
    (alone,) = transfer_tables.alone(store, [run], store.runs()).values()
    first_accuracy = matrix(0.7)[0][0] / ROWS[0]
    assert alone == pytest.approx({first: first_accuracy, second: 0.65, third: 0.1})
    _, cells, groups, learned = read(store, [id])
    table = transfer_tables.trajectories(cells, alone={id: alone})
    just = [matrix(0.7)[i][i] / ROWS[i] for i in range(3)]
    assert table.forward_alone[2] == pytest.approx((just[1] - 0.65 + just[2] - 0.1) / 2)
    assert "learned first" not in transfer_tables.final(table, groups, learned).missing[0]


def test_no_runs_give_empty_tables(store) -> None:
    cells = accuracy.cells(store, [])
    table = transfer_tables.trajectories(cells)
    assert table.empty
    assert transfer_tables.final(table, [], {}).empty
    assert transfer_tables.spread(table, [], "backward").empty
    assert transfer_tables.matrix(cells).shape == (0, 0)


def test_a_task_tested_in_part_only_does_not_count(store) -> None:
    id = finished_run(store, RunConfig())
    _, cells, _, _ = read(store, [id])
    half = cells[~((cells.after == 2) & (cells.on == 1))]
    assert isinstance(half, pd.DataFrame)
    assert transfer_tables.matrix(half).shape == (2, 2)
