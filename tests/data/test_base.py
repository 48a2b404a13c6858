"""Forms read once, held-out rows, the order of tasks."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.config import RunConfig
from core.data.base import (
    DataError,
    DataMissing,
    FormReader,
    Task,
    hold_out,
    load_tasks,
    order_tasks,
)
from core.data.io.benchmark import Benchmark
from core.language.derivation import logical_form_to_derivation
from core.language.tree import read
from core.options import ConfigError
from core.registry import datasets


def test_equal_forms_and_equal_steps_are_one_object() -> None:
    reader = FormReader()
    first = reader.example("a", "( f ( g x ) y )")
    second = reader.example("b", "( f ( g x ) y )")
    third = reader.example("c", "( f ( g x ) z )")
    assert first.derivation is second.derivation
    assert first.derivation[1] is third.derivation[1]
    assert third.derivation == logical_form_to_derivation(read("( f ( g x ) z )", "s_expression"))


def test_files_of_ones_own_that_are_not_here_are_named_and_no_command_offered_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    mine = Benchmark("mine", "Mine", "mine", ("a", "b"), ("train", "test"), "s_expression")
    with pytest.raises(DataMissing, match="Put them there, or set TOTAL_RECALL_DATA") as missing:
        mine.load()
    assert f"4 of 4 files are missing, the first is {tmp_path}/mine/a_train.tsv" in str(
        missing.value
    )
    assert "data get" not in str(missing.value)


def test_canonical_forms_are_equal_where_their_trees_are() -> None:
    reader = FormReader()
    forms = {reader.example("", text).logical_form for text in ("(f  x)", "( f x )", " ( f x) ")}
    assert forms == {"( f x )"}
    reader = FormReader("functional")
    assert reader.example("", "f(x,'a b')").logical_form == "f ( x , 'a b' )"


def test_held_out_rows_leave_training_and_replace_the_test_rows(toy_tasks) -> None:
    task = toy_tasks[0]
    held = hold_out(task)
    assert len(held.test) == round(0.2 * len(task.train))
    assert sorted(map(str, held.train + held.test)) == sorted(map(str, task.train))
    assert hold_out(task) == held


def test_a_dev_set_is_what_is_held_out(toy_tasks) -> None:
    task = Task("t", toy_tasks[0].train, toy_tasks[1].test, toy_tasks[0].test)
    held = hold_out(task)
    assert (held.train, held.valid, held.test) == (task.train, (), task.valid)


def test_a_task_that_holding_out_would_leave_empty_is_named(toy_tasks) -> None:
    single_row = toy_tasks[0].train[:1]
    with pytest.raises(ConfigError, match=r"heldout': task 't' has 1 training row and no dev set"):
        hold_out(Task("t", single_row, (), single_row))
    assert hold_out(Task("t", single_row, single_row, ())).train == single_row


def test_tasks_come_in_the_order_named_or_permuted_by_the_seed(toy_tasks) -> None:
    names = [task.name for task in toy_tasks]
    assert order_tasks(toy_tasks, (), 0) == toy_tasks
    assert [t.name for t in order_tasks(toy_tasks, names[:0:-1], 0)] == names[:0:-1]
    orders = {tuple(t.name for t in order_tasks(toy_tasks, (), seed)) for seed in range(1, 40)}
    assert len(orders) == 6
    assert all(sorted(order) == sorted(names) for order in orders)


@pytest.mark.parametrize("names", [("zoo", "moon"), ("zoo", "zoo")])
def test_a_task_that_is_not_there_or_twice_is_named(toy_tasks, names: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=f"'{names[1]}' is .*; there are: zoo, port, farm"):
        order_tasks(toy_tasks, names, 0)


def test_a_run_loads_its_tasks_as_it_says(toy_config, toy_tasks) -> None:
    config = toy_config.with_(task_order=("farm", "zoo"), evaluation="heldout")
    assert load_tasks(config) == (hold_out(toy_tasks[2]), hold_out(toy_tasks[0]))
    with pytest.raises(ConfigError, match="nothing_known"):
        load_tasks(RunConfig(dataset="toy", dataset_options={"nothing_known": 1}))


def test_a_form_that_a_data_set_gets_wrong_is_named(toy_config, monkeypatch) -> None:
    def broken(options):
        return FormReader("functional").example("x", "answer ( price ( 'milk' )")

    monkeypatch.setitem(datasets._entries, "toy", replace(datasets["toy"], value=broken))
    with pytest.raises(DataError, match=r"Data set 'toy', form \"answer .*\"?, column 8: a '\('"):
        load_tasks(toy_config)
