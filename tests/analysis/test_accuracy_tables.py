"""Accuracy tables against counting by hand, on runs recorded by made-up events."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import accuracy
from core.config import RunConfig
from tests.made_up import ROWS, TASKS, finished_run, matrix, running_run


def test_cells_are_the_recorded_counts_with_names_and_coverage(store):
    run = store.run(finished_run(store, RunConfig(), kept=0.5))
    cells = accuracy.cells(store, [run])
    expected = matrix(0.5)
    assert len(cells) == 6
    for row in cells.itertuples():
        assert row.correct == expected[row.after][row.on]
        assert (row.after_task, row.on_task) == (TASKS[row.after], TASKS[row.on])
        assert (row.total, row.covered) == (ROWS[row.on], ROWS[row.on] * 9 // 10)


def test_whole_pools_rows_and_avg_averages_tasks(store):
    run = store.run(finished_run(store, RunConfig(), kept=0.5))
    curve = accuracy.curves(accuracy.cells(store, [run]))
    expected = matrix(0.5)
    assert list(curve.after) == [0, 1, 2]
    for k in range(3):
        rates = [expected[k][i] / ROWS[i] for i in range(k + 1)]
        assert curve.whole[k] == pytest.approx(sum(expected[k]) / sum(ROWS[: k + 1]))
        assert curve.avg[k] == pytest.approx(sum(rates) / (k + 1))
        assert curve.bound_avg[k] == pytest.approx(0.9)
    assert curve.whole[2] != curve.avg[2]


def test_a_task_not_fully_evaluated_is_no_point_of_the_curve(store):
    run = store.run(running_run(store, RunConfig()))
    cells = accuracy.cells(store, [run])
    half = pd.concat([cells, cells.assign(after=1, on=0)])
    assert list(accuracy.curves(half).after) == [0]


def test_curves_have_the_columns_that_they_say_and_rows_numbered_anew(store):
    runs = [store.run(finished_run(store, RunConfig(seed=seed))) for seed in range(2)]
    cells = accuracy.cells(store, runs)
    partly = cells.drop(index=cells.index[(cells.run == 1) & (cells.after == 1)][:1])
    table = accuracy.curves(partly)
    counts = ["run", "after", "task", "correct", "total"]
    assert list(table.columns) == [*counts, "whole", "avg", "bound_whole", "bound_avg"]
    assert list(table.index) == list(range(5))


def test_runs_group_where_only_seeds_differ(store):
    base = RunConfig()
    again = base.with_(seed=1, order_seed=4, record_predictions=False)  # changes no result
    configs = [base, again, base.with_(memory_size=10)]
    configs += [base.with_(method="finetune")]
    runs = [store.run(finished_run(store, config)) for config in configs]
    groups = accuracy.group(runs)
    assert [[run.id for run in group.runs] for group in groups] == [[1, 2], [3], [4]]
    labels = [group.label for group in groups]
    assert labels[1] == "Total Recall, memory size 10"
    assert labels[2].startswith("Fine-tune")
    assert len(set(labels)) == 3


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        (TASKS, False),
        (TASKS[::-1], True),
        ((TASKS[0], TASKS[2], TASKS[1]), True),
        (TASKS[:2], False),  # goes as far as the other does
        (("zoo", "port", "farm"), False),  # other tasks: nothing to hold against each other
    ],
)
def test_runs_are_in_orders_where_they_learn_the_same_tasks_otherwise(store, tasks, says):
    ids = [finished_run(store, RunConfig()), finished_run(store, RunConfig(seed=1), tasks=tasks)]
    runs = [store.run(id) for id in ids]
    table = accuracy.cells(store, runs)
    assert accuracy.in_orders(table, *accuracy.group(runs)) == says
    assert not accuracy.in_orders(table, *accuracy.group(runs[1:]))


def test_spread_is_the_sample_mean_and_deviation(store):
    base = RunConfig()
    ids = [finished_run(store, base.with_(seed=s), seed=s, kept=0.6) for s in range(3)]
    ids.append(finished_run(store, base.with_(method="finetune"), kept=0.1))
    runs = [store.run(id) for id in ids]
    curve = accuracy.curves(accuracy.cells(store, runs))
    table = accuracy.spread(curve, accuracy.group(runs))
    assert list(table.group.unique()) == ["Total Recall", "Fine-tune"]
    for after in range(3):
        values = curve[curve.run.isin(ids[:3]) & (curve.after == after)].whole.to_numpy()
        row = table[(table.group == "Total Recall") & (table.after == after)].iloc[0]
        assert row.runs == 3
        assert row.whole == pytest.approx(np.mean(values))
        assert row.whole_deviation == pytest.approx(np.std(values, ddof=1))
    alone = table[table.group == "Fine-tune"]
    assert alone.whole_deviation.isna().all()


def test_spread_has_rows_only_where_a_group_has_runs(store):
    whole = finished_run(store, RunConfig())
    shorter = finished_run(store, RunConfig(method="finetune"), tasks=TASKS[:2])
    runs = [store.run(whole), store.run(shorter)]
    table = accuracy.spread(accuracy.curves(accuracy.cells(store, runs)), accuracy.group(runs))
    assert list(table.group) == ["Total Recall"] * 3 + ["Fine-tune"] * 2
    assert list(table.after) == [0, 1, 2, 0, 1]


def test_the_task_is_named_only_where_all_runs_learned_it_there(store):
    usual = finished_run(store, RunConfig())
    swapped = finished_run(store, RunConfig(order_seed=3), tasks=(TASKS[0], TASKS[2], TASKS[1]))
    runs = [store.run(usual), store.run(swapped)]
    table = accuracy.spread(accuracy.curves(accuracy.cells(store, runs)), accuracy.group(runs))
    assert list(table.task) == [TASKS[0], "", ""]


def test_an_upper_bound_that_is_not_known_is_missing_not_zero(store):
    run = store.run(finished_run(store, RunConfig()))
    cells = accuracy.cells(store, [run]).assign(covered=pd.array([pd.NA] * 6, dtype="Int64"))
    assert accuracy.curves(cells).bound_whole.isna().all()


def test_no_runs_give_empty_tables(store):
    cells = accuracy.cells(store, [])
    assert cells.empty
    table = accuracy.spread(accuracy.curves(cells), accuracy.group([]))
    assert table.empty
    assert {"whole", "avg_deviation", "bound_avg"} <= set(table.columns)


def test_latest_agrees_with_the_ends_of_the_curves(store):
    runs = [store.run(finished_run(store, RunConfig(seed=s), seed=s)) for s in range(3)]
    runs.append(store.run(running_run(store, RunConfig())))
    ids = [run.id for run in runs]
    ends = accuracy.curves(accuracy.cells(store, runs)).groupby("run", as_index=False).tail(1)
    latest = accuracy.latest(store, [*ids, 999])
    assert list(latest.run) == ids
    assert list(latest.after) == [2, 2, 2, 0]
    for measure in accuracy.MEASURES:
        assert latest[measure].to_numpy() == pytest.approx(ends[measure].to_numpy())
    assert accuracy.latest(store, []).empty
