"""The paper's values: complete, and offered only where a run may be held against them."""

import pandas as pd
import pytest

from core.analysis import paper, paper_beside
from core.analysis.encoders import encoder_input
from core.analysis.paper_values import published
from core.config import RunConfig


def values(config: RunConfig, tasks: int) -> dict[tuple, float]:
    rows = paper.comparable(config, tasks)
    return {(row.table, row.note, row.measure): row.value for row in rows}


def test_every_table_is_whole():
    table = pd.DataFrame([vars(value) for value in published()])
    counts = table.groupby("table").size().to_dict()
    assert counts == {1: 66, 2: 42, 3: 36, 4: 72, 5: 12, 6: 21, 7: 24, 8: 33}
    assert not table.value.isna().any()
    whole = table[table.measure.isin(["whole", "avg"])].value
    assert whole.between(12, 80).all()


def test_without_dar_is_told_from_the_headline():
    figures = values(RunConfig(dataset="overnight"), 8)
    assert figures == {
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
    assert not paper.comparable(RunConfig(**changes), tasks)


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


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"adapters": "full"}, {(1, "with DAR", 54.40)}),
        ({"adapters": "full", "penalty": "ewc"}, {(1, "with DAR", 59.02)}),
        ({"adapters": "without_cross"}, {(7, "DAR without cross", 52.77)}),
        ({"adapters": "none"}, {(1, "with DAR", 54.40), (7, "without DAR", 51.44)}),
        ({"fast": "none", "adapters": "full"}, {(3, "without fast", 49.28)}),
        ({"fast": "task_specific"}, {(3, "fast/lwf", 47.47)}),
        ({"fast": "all", "penalty": "ewc", "adapters": "full"}, {(3, "fast/emar", 56.93)}),
        ({"fast": "all", "fast_epochs": 0}, {(3, "without fast", 49.28)}),
        ({"fast": "all", "adapters": "without_cross"}, set()),
        ({"fast_tasks": "first"}, set()),
    ],
)
def test_ablations_meet_their_own_rows(options, rows):
    values = paper.comparable(RunConfig(dataset="overnight", method_options=options), 8)
    assert {(v.table, v.note, v.value) for v in values if v.measure == "whole"} == rows


def test_samplers_were_compared_with_dar_and_its_fast_stage():
    config = RunConfig(dataset="overnight", sampler="random", memory_size=25)
    full = config.with_(method_options={"adapters": "full"})
    assert values(full, 8) == {(2, "with DAR", "avg"): 45.18}
    for options in ({"adapters": "without_cross"}, {"fast": "all"}):
        assert not paper.comparable(config.with_(method_options=options), 8)


def test_the_papers_oracle_has_no_adapters():
    config = RunConfig(dataset="overnight", method="oracle")
    assert values(config, 8)[1, "", "whole"] == 63.14
    assert not paper.comparable(config.with_(method_options={"adapters": "full"}), 8)


def test_memory_size_does_not_matter_to_fine_tuning():
    config = RunConfig(dataset="overnight", method="finetune", memory_size=0)
    assert values(config, 8)[1, "", "whole"] == 14.40


def test_labels_say_whose_value_it_is():
    config = RunConfig(dataset="overnight", method_options={"penalty": "ewc"})
    labels = set(map(paper.label, paper.comparable(config, 8)))
    assert labels == {
        "paper: Total Recall + EWC (Table 1, with DAR)",
        "paper: Total Recall + EWC (Table 7, without DAR)",
    }


BERT = {"encoder": "transformer", "encoder_model": "google-bert/bert-base-uncased"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"method": "emr", **BERT}, {(4, "BERT fixed"): 39.10}),
        ({"method": "emr", **BERT, "encoder_trained": "yes"}, {(4, "BERT fine-tuned"): 51.74}),
        ({"method": "emr", **BERT, "encoder_model": "/w/distilbert-base"}, {}),
        ({"method": "emr", **BERT, "encoder_trained": "last layers"}, {}),
        ({"method_options": {"adapters": "full"}, **BERT}, {(4, "BERT fixed"): 47.14}),
        (BERT, {}),  # Table 4 has DAR on
        ({"method": "emr", "embeddings": "glove-6b-200"}, {(1, ""): 45.29}),
    ],
    ids=str,
)
def test_a_run_is_held_against_the_papers_own_kind_of_encoder(changes, expected):
    config = RunConfig(dataset="overnight", **changes)
    figures = values(config, 8)
    assert {
        (t, note): v for (t, note, measure), v in figures.items() if measure == "whole"
    } == expected
    fitting = {
        (row.table, row.note): row.value
        for row in published()
        if row.table in (1, 4)
        and row.measure == "whole"
        and paper_beside.fits(config.with_(task_masking=True), row)
    }
    assert fitting == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "random vectors"),
        ({"embeddings_trained": False}, "random vectors, not trained along"),
        ({"embeddings": "/w/glove.6B.zip/glove.6B.200d.txt"}, "glove.6B.200d"),
        (BERT, "bert-base-uncased, fixed"),
        ({**BERT, "encoder_trained": "yes"}, "bert-base-uncased, fine-tuned"),
        ({**BERT, "encoder_trained": "last layers"}, "bert-base-uncased, last 2 layers trained"),
        (
            {**BERT, "encoder_trained": "last layers", "encoder_layers": 1},
            "bert-base-uncased, last layer trained",
        ),
    ],
    ids=str,
)
def test_what_a_run_read_is_said(changes, words):
    config = RunConfig(**changes)
    assert encoder_input(config) == words
    assert paper.beside([config, config]).endswith(
        f"GloVe vectors (Table 4: BERT). Ours read {words}."
    )
