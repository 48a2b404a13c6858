"""The paper's values: complete, and offered only where a run may be held against them."""

import pytest

from core.analysis import paper
from core.config import RunConfig


def values(config: RunConfig, tasks: int) -> dict[tuple, float]:
    rows = paper.comparable(config, tasks).itertuples()
    return {(row.table, row.note, row.measure): row.value for row in rows}


def test_every_table_is_whole():
    table = paper.published()
    counts = table.groupby("table").size().to_dict()
    assert counts == {1: 66, 2: 42, 3: 36, 4: 72, 5: 12, 6: 21, 7: 24, 8: 33}
    assert not table.value.isna().any()
    whole = table[table.measure.isin(["whole", "avg"])].value
    assert whole.between(12, 80).all()


def test_without_dar_is_told_from_the_headline():
    found = values(RunConfig(dataset="overnight"), 8)
    assert found == {
        (1, "with DAR", "whole"): 54.40,
        (1, "with DAR", "avg"): 54.73,
        (7, "without DAR", "whole"): 51.44,
        (7, "without DAR", "avg"): 52.84,
    }
    ewc = RunConfig(dataset="overnight", method_options={"penalty": "ewc"})
    assert values(ewc, 8)[7, "without DAR", "whole"] == 55.32
    assert values(ewc, 8)[7, "without DAR", "avg"] == 54.64


@pytest.mark.parametrize(
    ("changes", "tasks"),
    [
        ({"dataset": "demo"}, 6),
        ({"dataset": "overnight"}, 3),  # not all of the benchmark's tasks
        ({"dataset": "overnight", "memory_size": 17}, 8),
        ({"dataset": "overnight", "evaluation": "heldout"}, 8),
        ({"dataset": "overnight", "method": "emr", "memory_size": 10}, 8),
    ],
)
def test_what_the_paper_did_not_run_has_no_value(changes, tasks):
    assert paper.comparable(RunConfig(**changes), tasks).empty


def test_samplers_and_memory_sizes_have_their_own_tables():
    config = RunConfig(dataset="overnight", sampler="random", memory_size=25)
    assert values(config, 8) == {(2, "with DAR", "avg"): 45.18}
    config = RunConfig(dataset="nlmap_qt", sampler="lfs", memory_size=10)
    assert values(config, 4) == {(6, "with DAR", "whole"): 66.08}


def test_a_run_without_the_fast_stage_meets_its_ablation():
    config = RunConfig(dataset="nlmap_city", method_options={"fast_epochs": 0})
    assert values(config, 8) == {
        (3, "without fast", "whole"): 57.53,
        (3, "without fast", "avg"): 55.75,
    }


def test_memory_size_does_not_matter_to_fine_tuning():
    config = RunConfig(dataset="overnight", method="finetune", memory_size=0)
    assert values(config, 8)[1, "", "whole"] == 14.40


def test_labels_say_whose_value_it_is():
    config = RunConfig(dataset="overnight", method_options={"penalty": "ewc"})
    labels = {paper.label(row) for row in paper.comparable(config, 8).itertuples()}
    assert labels == {
        "paper: Total Recall + EWC (Table 1, with DAR)",
        "paper: Total Recall + EWC (Table 7, without DAR)",
    }
