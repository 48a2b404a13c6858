"""Tables of forgotten actions, against the made-up rule they follow and against kept parsers."""

import math
from collections import defaultdict

import numpy as np
import pytest
import torch

from core.analysis import forgetting
from core.analysis.forgetting import COVERED, CROSS, NOT_COVERED, SPECIFIC
from core.config import RunConfig
from core.events import ActionProbabilities, ActionsKnown
from core.inspection.parsers import Parsers
from core.runs.execution import execute
from core.runs.owner import new_owner
from tests.conftest import make_toy_tasks
from tests.made_up import finished_run, recorded_run
from tests.parser.reference import Reader, applicable

TOY = RunConfig(dataset="toy")


def where_it_occurs() -> dict[str, list[int]]:
    """The tasks whose training rows use each action, by hand."""
    tasks_of = defaultdict(set)
    for k, task in enumerate(make_toy_tasks()):
        for row in task.train:
            for step in row.derivation:
                tasks_of[str(step.action)].add(k)
    return {text: sorted(tasks) for text, tasks in tasks_of.items()}


@pytest.mark.parametrize("origin", [0, 1, 2])
def test_a_row_tells_an_actions_drop_kind_and_tasks(store, origin):
    run = store.run(recorded_run(store, TOY, kept=0.3))
    table = forgetting.action_table(store, run, origin)
    occurs = where_it_occurs()
    names = [task.name for task in make_toy_tasks()]
    assert set(table.text) == {text for text, tasks in occurs.items() if origin in tasks}
    for row in table.itertuples():
        tasks = occurs[row.text]
        assert row.kind == (CROSS if len(tasks) > 1 else SPECIFIC)
        assert list(row.task_numbers) == tasks
        assert row.tasks == ", ".join(names[k] for k in tasks)
        ages = range(3 - origin)
        rule = (lambda age: 0.9 * 0.3**age) if len(tasks) == 1 else (lambda age: 0.9 - age % 2 / 10)
        assert row.curve == pytest.approx([rule(age) for age in ages])
        assert (row.first, row.final) == pytest.approx((0.9, rule(2 - origin)))
        if origin == 2:
            assert math.isnan(row.drop)
            assert math.isnan(row.mean_drop)
        else:
            assert row.drop == pytest.approx(0.9 - rule(2 - origin))
            later = [rule(age) for age in list(ages)[1:]]
            assert row.mean_drop == pytest.approx(0.9 - sum(later) / len(later))
    if origin < 2:
        assert table["drop"].is_monotonic_decreasing


def test_counts_are_occurrences_in_the_origins_training_rows(store):
    run = store.run(recorded_run(store, TOY))
    table = forgetting.action_table(store, run, 0).set_index("text")
    counts = defaultdict(int)
    for row in make_toy_tasks()[0].train:
        for step in row.derivation:
            counts[str(step.action)] += 1
    assert dict(table["count"]) == counts


def test_what_the_memory_covers_stands_in_the_table_or_nothing_does(store):
    run = store.run(recorded_run(store, TOY))
    assert forgetting.action_table(store, run, 0).memory.isna().all()
    some = set(forgetting.action_table(store, run, 0).text[:3])
    table = forgetting.action_table(store, run, 0, some)
    assert set(table.text[table.memory == COVERED]) == some
    assert set(table.memory) == {COVERED, NOT_COVERED}
    assert set(forgetting.action_table(store, run, 0, ()).memory) == {NOT_COVERED}


def test_extremes_are_the_ends_and_never_overlap(store):
    run = store.run(recorded_run(store, TOY))
    table = forgetting.action_table(store, run, 0)
    four = forgetting.extremes(table, 2)
    assert len(four) == 4
    assert list(four.kind) == [SPECIFIC, SPECIFIC, CROSS, CROSS]
    assert four["drop"].is_monotonic_decreasing
    assert four["drop"].iloc[1] >= table["drop"].drop(four.index).max()
    assert four["drop"].iloc[2] <= table["drop"].drop(four.index).min()
    assert len(forgetting.extremes(table, 100)) == len(table)
    assert forgetting.extremes(forgetting.action_table(store, run, 2), 2).empty


def test_filters_are_letter_for_letter_and_together(store):
    run = store.run(recorded_run(store, TOY))
    table = forgetting.action_table(store, run, 0, ["GEN ( size big )"])
    held = forgetting.filtered(table, "SIZE (")
    assert held.empty
    assert set(forgetting.filtered(table, "size b").text) == {"GEN ( size big )"}
    assert forgetting.filtered(table, ".*").empty
    by_task = forgetting.filtered(table, "farm").tasks
    assert len(by_task)
    assert all("farm" in tasks for tasks in by_task)
    assert set(forgetting.filtered(table, kind=SPECIFIC).kind) == {SPECIFIC}
    assert list(forgetting.filtered(table, memory=COVERED).text) == ["GEN ( size big )"]
    assert forgetting.filtered(table, kind=SPECIFIC, memory=COVERED).empty
    most = int(table["count"].max())
    assert set(forgetting.filtered(table, least_count=most)["count"]) == {most}


def test_two_runs_are_compared_by_the_actions_texts(store):
    left = store.run(recorded_run(store, TOY, kept=0.1))
    right = store.run(recorded_run(store, TOY.with_(task_order=("port", "zoo", "farm")), kept=0.5))
    mine = forgetting.action_table(store, left, 0)
    theirs = forgetting.action_table(store, right, 1)
    both = forgetting.difference(mine, theirs).set_index("text")
    assert set(both.index) == set(mine.text)  # the same task, whatever its place and the numbers
    for row in mine.itertuples():
        (same,) = theirs[theirs.text == row.text].itertuples()
        assert both.difference[row.text] == pytest.approx(row.drop - same.drop)
        assert both.action[row.text] == row.action
        assert both.final_right[row.text] == same.final
    assert both.difference.is_monotonic_decreasing


def test_a_run_that_has_only_begun_has_no_drop_and_one_without_records_no_rows(store):
    begun = store.run(recorded_run(store, TOY, until=1))
    table = forgetting.action_table(store, begun, 0)
    assert table["drop"].isna().all()
    assert {len(curve) for curve in table.curve} == {1}
    assert forgetting.action_table(store, begun, 1).empty
    older = finished_run(store, RunConfig())
    assert forgetting.action_table(store, store.run(older), 0).empty
    assert forgetting.recorded(store, [begun.id, older, 99]) == {begun.id}
    assert forgetting.origins(store, older).empty


def test_actions_that_drop_alike_stand_by_count_and_number(store):
    run, numbers = store.create(RunConfig(dataset="toy")), (3, 0, 2, 1)
    store.record(run, ActionsKnown(numbers, tuple("dacb")))
    for after in range(2):
        values = tuple(0.5 - 0.1 * after for _ in numbers)
        store.record(run, ActionProbabilities(after, 0, numbers, values, (7, 4, 4, 9)))
    table = forgetting.action_table(store, store.run(run), 0)
    assert list(table.text) == ["b", "d", "a", "c"]
    assert list(table.index) == [0, 1, 2, 3]


def test_all_learned_at_once_has_nothing_to_drop_from(store):
    owner = new_owner()
    id = store.create(TOY, claimed_by=owner)
    store.record(id, ActionsKnown((0, 1), ("a", "b")), owner)
    for on in range(3):
        store.record(id, ActionProbabilities(2, on, (0, 1), (0.5, 0.25), (3, 4)), owner)
    table = forgetting.action_table(store, store.run(id), 0)
    assert table["first"].isna().all()
    assert table["drop"].isna().all()
    assert np.isnan(table.curve[0][:2]).all()
    assert sorted(table.final) == [0.25, 0.5]
    assert list(forgetting.origins(store, id)["first"]) == [2, 2, 2]
    assert table.tasks[0] == "task 1, task 2, task 3"  # the run has not said its names


def test_a_table_for_a_file_has_a_column_for_each_task(store):
    run = store.run(recorded_run(store, TOY))
    table = forgetting.action_table(store, run, 0)
    flat = forgetting.spelled_out(table, run.tasks, 0)
    names = ["P after 1 zoo", "P after 2 port", "P after 3 farm"]
    assert list(flat.columns[-3:]) == names
    assert flat[names].to_numpy() == pytest.approx(np.array([*table.curve]))
    assert not any(flat.map(lambda cell: isinstance(cell, (list, tuple, np.ndarray))).any())


@torch.no_grad()
def brute_force(parsers: Parsers, after: int, on: int) -> dict[str, tuple[float, int]]:
    """Mean P and count of each action on a task's training rows: row by row, step by step."""
    probabilities: dict[str, list[float]] = defaultdict(list)
    with parsers.after(after) as parser:
        for example in parsers.tasks[on].train:
            reader = Reader(parser, example.words)
            slots, actions = parser.grammar.encode(example.derivation)
            for slot, action in zip(slots, actions, strict=True):
                scores = reader.scores()
                among = torch.softmax(scores[applicable(parser, slot, on)], 0)
                index = applicable(parser, slot, on).index(action)
                probabilities[str(parser.grammar.actions[action])].append(float(among[index]))
                reader.take(action)
    return {
        text: (sum(values) / len(values), len(values)) for text, values in probabilities.items()
    }


@pytest.mark.slow
def test_the_numbers_are_those_of_the_kept_parsers_row_by_row_and_step_by_step(store, toy_config):
    owner = new_owner()
    id = store.create(toy_config.with_(method="finetune", epochs=6), claimed_by=owner)
    run = execute(store, store.run(id), owner)
    assert run.status == "finished", run.error
    parsers = Parsers(run)
    for origin in range(3):
        table = forgetting.action_table(store, run, origin).set_index("text")
        direct = {after: brute_force(parsers, after, origin) for after in range(origin, 3)}
        assert set(table.index) == set(direct[origin])
        for text, row in table.iterrows():
            curve = [direct[after][text][0] for after in range(origin, 3)]
            assert row.curve == pytest.approx(curve, abs=1e-5)
            assert row["count"] == direct[origin][text][1]
            assert row["final"] == pytest.approx(curve[-1], abs=1e-5)
            if origin < 2:
                assert row["drop"] == pytest.approx(curve[0] - curve[-1], abs=1e-5)
    assert forgetting.action_table(store, run, 0)["drop"].max() > 0.2  # there is something to see
