"""Error tables against sums by hand, and where runs with other stages lie on the axis."""

import pytest

from core.analysis import error_curves
from core.config import RunConfig
from core.events import ErrorCounts
from tests.made_up import TASKS, finished_run, record_errors

WITHOUT = RunConfig(method_options={"fast": "none"})


def run_with_errors(store, config=RunConfig(), **more) -> int:  # noqa: B008 - frozen
    run = finished_run(store, config, **({"tasks": more.pop("names")} if "names" in more else {}))
    record_errors(store, run, **more)
    return run


def test_error_is_pooled_over_the_tasks_seen_or_that_of_one(store):
    run = finished_run(store, RunConfig())
    store.record(
        run,
        ErrorCounts(1, "slow", 0, (0, 0, 1, 1), ("train", "test") * 2, (9, 4, 6, 1), (10, 8, 10, 4),
               (3.0, 8.0, 5.0, 4.0), (10, 8, 10, 2)),
    )  # fmt: skip
    table = error_curves.curves(store, [store.run(run)]).table.set_index("split")
    assert table.match["train"] == pytest.approx(5 / 20)
    assert table.match["test"] == pytest.approx(7 / 12)
    assert table.nll_mean["train"] == pytest.approx(8 / 20)
    assert table.nll_mean["test"] == pytest.approx(12 / 10)  # over the writable rows
    of_task = error_curves.curves(store, [store.run(run)], TASKS[1]).table.set_index("split")
    assert of_task.match["test"] == pytest.approx(3 / 4)
    assert of_task.nll_mean["test"] == pytest.approx(4 / 2)
    assert error_curves.curves(store, [store.run(run)], TASKS[2]).table.empty


def test_rows_that_cannot_be_counted_give_no_number(store):
    run = finished_run(store, RunConfig())
    store.record(run, ErrorCounts(0, "train", 0, (0,), ("test",), (0,), (5,), (0.0,), (0,)))
    table = error_curves.curves(store, [store.run(run)]).table
    assert table.match.tolist() == [1.0]
    assert table.nll_mean.isna().all()


def test_epochs_follow_one_another_stage_after_stage(store):
    curves = error_curves.curves(store, [store.run(run_with_errors(store))])
    train = curves.table[curves.table.split == "train"]
    assert train["at"].tolist() == list(range(1, 19))
    order = list(zip(train.task, train.stage, train.epoch, strict=True))
    stages = [("fast", 2), ("slow", 4)]
    assert order == [(k, s, e) for k in range(3) for s, count in stages for e in range(count)]
    assert curves.sections.start.tolist() == [0, 2, 6, 8, 12, 14]
    assert curves.sections.end.tolist() == [2, 6, 8, 12, 14, 18]
    assert curves.sections.stages.tolist() == ["fast", "slow"] * 3


def test_runs_without_a_stage_leave_its_place_empty(store):
    runs = [run_with_errors(store), run_with_errors(store, WITHOUT, stages={"slow": 4})]
    runs.append(run_with_errors(store, RunConfig(method="finetune"), stages={"train": 3}))
    runs.append(run_with_errors(store, RunConfig(method="emar"), stages={"initial": 1, "train": 4}))
    curves = error_curves.curves(store, [store.run(run) for run in runs])
    test = curves.table[curves.table.split == "test"]
    where = {run: rows["at"].tolist()[:5] for run, rows in test.groupby("run")}
    assert where[runs[0]] == [1, 2, 3, 4, 5]
    assert where[runs[1]] == [3, 4, 5, 6, 9]  # its slow stage lies under the other's
    assert where[runs[2]] == [3, 4, 5, 9, 10]
    assert where[runs[3]] == [1, 3, 4, 5, 6]
    assert curves.sections.stages.tolist() == ["fast / initial", "slow / train"] * 3


def test_stages_come_in_the_order_in_which_they_were_carried_out(store):
    """By number, never by the alphabet."""
    runs = [
        run_with_errors(store, stages={"warm": 2, "adapt": 3}),
        run_with_errors(store, stages={"zero": 1, "one": 2}),
    ]
    curves = error_curves.curves(store, [store.run(run) for run in runs])
    assert curves.sections.stages.tolist() == ["warm / zero", "adapt / one"] * 3
    first = curves.table[(curves.table.split == "test") & (curves.table.task == 0)]
    order = {
        run: list(zip(rows.stage, rows["at"], strict=True)) for run, rows in first.groupby("run")
    }
    assert order[runs[0]] == [("warm", 1), ("warm", 2), ("adapt", 3), ("adapt", 4), ("adapt", 5)]
    assert order[runs[1]] == [("zero", 1), ("one", 3), ("one", 4)]


def test_three_stages_lead_up_to_the_last_one_after_another(store):
    run = run_with_errors(store, stages={"warm": 1, "mid": 2, "adapt": 1}, tasks=1)
    curves = error_curves.curves(store, [store.run(run)])
    assert curves.sections[["stages", "start", "end"]].to_numpy().tolist() == [
        ["warm / mid", 0, 3],
        ["adapt", 3, 4],
    ]
    test = curves.table[curves.table.split == "test"]
    assert list(zip(test.stage, test["at"], strict=True)) == [
        ("warm", 1),
        ("mid", 2),
        ("mid", 3),
        ("adapt", 4),
    ]


def test_a_task_is_found_by_its_name_wherever_a_run_learns_it(store):
    turned = tuple(reversed(TASKS))
    runs = [store.run(run_with_errors(store)), store.run(run_with_errors(store, names=turned))]
    assert error_curves.task_names(runs) == ["", TASKS[1], ""]
    assert error_curves.task_names([]) == []
    table = error_curves.curves(store, runs, TASKS[0]).table
    assert set(table.run) == {1, 2}
    assert table[table.run == 1].task.min() == 0
    assert table[table.run == 2].task.min() == 2
    assert error_curves.curves(store, runs, "nowhere").table.empty


def test_runs_with_recorded_errors_are_listed(store):
    silent = finished_run(store, RunConfig())
    run = run_with_errors(store)
    assert error_curves.recorded(store, [silent, run]) == {run}
    assert error_curves.recorded(store, [silent]) == set()
    assert error_curves.curves(store, [store.run(silent)]).table.empty


def test_the_default_is_the_newest_run_with_and_without_the_fast_stage(store):
    base = RunConfig(memory_size=10)
    configs = [base, error_curves.without_fast(base), base.with_(error_rows=4), WITHOUT]
    configs += [base.with_(seed=3), RunConfig(method="emr")]
    runs = [store.run(finished_run(store, config)) for config in configs][::-1]
    assert [run.id for run in error_curves.pair(runs)] == [
        3,
        2,
    ]  # recording does not matter, seeds do
    assert [run.id for run in error_curves.pair(runs[:2])] == [6]
    assert error_curves.pair([]) == []


@pytest.mark.parametrize(
    ("config", "fast"),
    [
        (RunConfig(), True),
        (WITHOUT, False),
        (RunConfig(method_options={"fast_epochs": 0}), False),
        (RunConfig(method="oracle"), True),
        (RunConfig(method="finetune"), False),
    ],
)
def test_which_runs_have_a_fast_stage(config, fast):
    assert error_curves.has_fast(config) is fast
    if fast:
        less = error_curves.without_fast(config)
        assert not error_curves.has_fast(less)
        less.options("method")  # it is a config that can be run


def test_last_values_are_those_of_the_last_epoch(store):
    runs = [store.run(run_with_errors(store)), store.run(run_with_errors(store, until=7))]
    table = error_curves.curves(store, runs).table
    ends = error_curves.last_values(table).set_index("run")
    assert ends.task.tolist() == [2, 1]
    for run in (1, 2):
        last = table[(table.run == run) & (table.split == "test")].iloc[-1]
        assert ends.test_match[run] == last.match
        assert ends.test_nll_mean[run] == last.nll_mean
        assert ends.test_total[run] == last.total
