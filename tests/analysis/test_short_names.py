"""What runs are called beside one another: what differs, given names, files' names."""

import itertools

import hypothesis
import pytest
from hypothesis import strategies as st

from core.analysis.short_names import named_groups, short_names
from core.charts.marks import Mark, of_groups, of_runs
from core.config import RunConfig
from core.data.upload import store_upload
from core.experiments.experiment import Arm, Experiment, default_pairs
from tests.made_up import finished_run

TR = RunConfig(dataset="overnight", method="total_recall")


def named(store, *configs: RunConfig, names=()) -> list[str]:
    given = itertools.chain(names, itertools.repeat(""))
    ids = [finished_run(store, config, name) for config, name in zip(configs, given)]  # noqa: B905
    return list(short_names([store.run(id) for id in ids]).values())


def test_what_differs_is_said_and_nothing_else(store):
    ewc = {"penalty": "ewc"}
    assert named(
        store, TR, TR.with_(memory_size=25, method_options=ewc, seed=3), TR.with_(method="finetune")
    ) == ["TR, M 50, seed 0", "TR + EWC, M 25, seed 3", "Fine-tune, seed 0"]


def test_a_run_alone_is_called_by_its_method(store):
    assert named(store, TR.with_(memory_size=7, seed=4)) == ["TR"]


def test_a_given_name_goes_before_and_no_two_are_alike(store):
    assert named(store, TR, TR.with_(seed=1), TR, names=["mine", "", "mine"]) == [
        "mine, run 1",
        "TR, seed 1",
        "mine, run 3",
    ]
    assert len(set(named(store, TR, TR, TR))) == 3


def test_cells_are_called_by_their_arms(store):
    arms = (Arm("no 'fast' stage, order 7"), Arm("EWC", {"method.penalty": "ewc"}))
    experiment = Experiment("mine: arm 'x'", TR, arms, default_pairs(2))
    configs = {(arm, pair): config for pair, arm, config in experiment.configs()}
    names = [experiment.run_name(pair, arm) for arm, pair in configs]
    assert named(store, *configs.values(), names=names) == [
        f"{arms[arm].label}, order {pair + 1}, seed {pair + 1}" for arm, pair in configs
    ]
    runs = [run for run in store.runs() if run.config.seed == 1]
    assert set(short_names(runs).values()) == {arm.label for arm in arms}
    assert short_names(runs[:1])[runs[0].id] == "EWC"
    named_by_arm = [g.label for g in named_groups(store.runs(), short_names(store.runs()))]
    assert set(named_by_arm) == {arm.label for arm in arms}


def test_data_sets_are_named_where_they_differ_and_files_always(store, tmp_path):
    assert named(store, TR, TR.with_(dataset="demo")) == ["TR, Overnight", "TR, Demo"]
    rows = "".join(
        f"{task}\t{split}\tgo\t( go {task} )\n" for task in "ab" for split in ("train", "test")
    )
    digest = store_upload(rows.encode(), "mine.tsv").digest
    (name,) = named(store, RunConfig(dataset="upload", dataset_options={"file": digest}))
    assert name.startswith("TR, mine.tsv")


def test_runs_that_share_all_but_seeds_share_a_name_and_the_first_ones_look(store):
    configs = [TR, TR.with_(seed=1), TR.with_(memory_size=25), TR.with_(method="emr", seed=2)]
    runs = [store.run(finished_run(store, config)) for config in configs]
    marks = of_runs(runs)
    groups = named_groups(runs, {id: mark.name for id, mark in marks.items()})
    assert [(g.label, [run.id for run in g.runs]) for g in groups] == [
        ("TR, M 50", [1, 2]),
        (marks[3].name, [3]),
        (marks[4].name, [4]),
    ]
    assert [mark.slot for mark in of_groups(groups, marks).values()] == [0, 2, 3]


@pytest.mark.parametrize("looks", [lambda m: (m.hex, m.symbol), lambda m: (m.hex, m.sign)])
def test_no_two_of_49_slots_look_alike(looks):
    assert len({looks(Mark("", slot)) for slot in range(49)}) == 49


@hypothesis.given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_names_are_never_alike(kinds):
    from dataclasses import replace
    from datetime import UTC, datetime

    from core.runs.run import FINISHED, Run

    runs = [
        Run(
            id, "", TR.with_(seed=kind % 2, memory_size=10 + kind // 2), FINISHED, 1.0, None,
            datetime.now(UTC), None, None, 1.0, None, "cpu", {}, None, "", False, 1,
        )
        for id, kind in enumerate(kinds)
    ]  # fmt: skip
    runs = [replace(run, name="Total Recall on Overnight, seed 0") for run in runs]
    assert len(set(short_names(runs).values())) == len(runs)
