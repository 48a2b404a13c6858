"""What runs are called by what differs in them."""

import pytest

from core.analysis.settings import differing, method_name, show
from core.config import RunConfig
from core.methods.base import Method
from core.registry import methods


def test_only_what_differs_is_told():
    configs = [RunConfig(), RunConfig(memory_size=10, task_masking=True)]
    assert differing(configs) == [
        ["memory size 50", "task masking off"],
        ["memory size 10", "task masking on"],
    ]
    assert differing(configs, leave_out=["memory_size"])[1] == ["task masking on"]


def test_options_of_a_method_count_too():
    configs = [RunConfig(), RunConfig(method_options={"fast_epochs": 0})]
    assert differing(configs) == [[], ["fast epochs 0"]]


def test_options_of_another_method_do_not_tell_runs_apart():
    ewc = {"penalty": "ewc", "ewc_weight": 5000.0}
    configs = [RunConfig(), RunConfig(method_options=ewc), RunConfig(method="emr")]
    assert differing(configs, leave_out=["method"]) == [[], [], []]
    stronger = RunConfig(method_options=ewc | {"ewc_weight": 9000.0})
    assert differing([configs[1], stronger]) == [["EWC weight 5000"], ["EWC weight 9000"]]


def test_samplers_tell_runs_of_one_method_apart_only():
    emr, recall = RunConfig(method="emr", sampler="random"), RunConfig()
    unlike = differing([emr, recall, RunConfig(method="finetune")], leave_out=["method"])
    assert unlike == [[], [], []]
    alike = differing([emr, recall, emr.with_(sampler="dlfs")], leave_out=["method"])
    assert alike == [["sampler random"], [], ["sampler dlfs"]]


@pytest.mark.parametrize("name", list(methods))
def test_a_method_is_called_what_it_is_registered_as(name):
    assert method_name(RunConfig(method=name)) == methods[name].label


WITHOUT_MEMORY = [name for name, entry in methods.items() if not entry.memory]


@pytest.mark.parametrize("name", WITHOUT_MEMORY)
def test_no_memory_is_told_of_a_method_that_keeps_none(name):
    plain = RunConfig(method=name)
    small, large = RunConfig(memory_size=10), RunConfig(memory_size=25)
    assert differing([plain, small], ["method"]) == [[], []]
    sizes = [[], ["memory size 10"], ["memory size 25"]]
    assert differing([plain, small, large], ["method"]) == sizes
    assert differing([plain, plain.with_(memory_size=0)]) == [[], []]


def test_a_label_is_shown_as_it_was_given():
    try:
        methods.register("lwf", label="LwF")(type("LwF", (Method,), {"__doc__": "Learns."}))
        assert method_name(RunConfig(method="lwf")) == "LwF"
    finally:
        del methods._entries["lwf"]


def test_a_penalty_belongs_to_the_name():
    config = RunConfig(method_options={"penalty": "ewc"})
    assert method_name(config) == "Total Recall + EWC"
    assert method_name(RunConfig(method="finetune")) == "Fine-tune"
    assert method_name(RunConfig(method="brand_new")) == "Brand new"
    assert differing([RunConfig(), config]) == [[], []]


def test_ablations_belong_to_the_name_too():
    options = {"adapters": "full", "penalty": "ewc", "fast": "none"}
    config = RunConfig(method_options=options)
    assert method_name(config) == "Total Recall + DAR + EWC, no fast stage"
    assert differing([RunConfig(method_options={"adapters": "none"}), config]) == [[], []]


def test_what_a_run_records_does_not_tell_runs_apart():
    configs = [RunConfig(), RunConfig(record_actions=False, error_rows=0, memory_size=10)]
    assert differing(configs) == [["memory size 50"], ["memory size 10"]]


def test_values_read_as_people_write_them():
    assert [show(v) for v in (True, 0.0025, (), ("a", "b"), "", 3)] == [
        "on",
        "0.0025",
        "all",
        "a, b",
        "none",
        "3",
    ]
