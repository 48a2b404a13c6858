"""The error page: empty, filled, while a run goes on, each view by its address."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis import error_curves as analysis
from core.config import RunConfig
from core.runs.owner import new_owner
from core.runs.store import Store
from tests.made_up import TASKS, finished_run, record_errors, record_training
from tests.pages.sessions import numbers, opened, texts, well, widget

PAGE = "pages/error_curves.py"
WITHOUT = RunConfig(method_options={"fast": "none"})


def run_with_errors(store: Store, config: RunConfig, stages: dict[str, int]) -> int:
    run = finished_run(store, config)
    record_errors(store, run, stages=stages)
    return run


@pytest.fixture
def both(store) -> list[int]:
    """A run with the fast stage and one without; another recorded no errors."""
    runs = [
        run_with_errors(store, RunConfig(), {"fast": 2, "slow": 4}),
        run_with_errors(store, WITHOUT, {"slow": 4}),
    ]
    finished_run(store, RunConfig(method="emr"))
    return runs


def figure(page: AppTest) -> dict:
    (chart,) = page.get("plotly_chart")
    return json.loads(chart.proto.spec)


def names(page: AppTest) -> list[str]:
    return [trace["name"] for trace in figure(page)["data"]]


def test_no_run_says_what_to_do():
    page = well(opened(PAGE))
    assert "No run yet" in texts(page.info)


def test_runs_that_told_no_errors_say_so(store):
    finished_run(store, RunConfig())
    page = well(opened(PAGE))
    assert "Rows for error curves" in texts(page.info)
    assert not page.get("plotly_chart")


def test_the_default_is_the_papers_comparison(store, both):
    page = well(opened(PAGE))
    assert numbers(page.query_params["runs"]) == "1,2,3"
    assert "EMR" in texts(page.caption)  # it is in the tray and has recorded none
    assert names(page) == [
        "TR, training",
        "TR, test",
        "TR, no fast stage, training",
        "TR, no fast stage, test",
    ]
    assert figure(page)["layout"]["yaxis"]["title"]["text"] == "exact match error (%)"
    table = analysis.curves(store, [store.run(run) for run in both]).table
    ends = analysis.last_values(table)
    shown = page.dataframe[0].value
    assert shown["Test error"].tolist() == pytest.approx((100 * ends.test_match).tolist())
    assert shown["Training NLL"].tolist() == pytest.approx(ends.train_nll_mean.tolist())


def test_measure_rows_and_task_are_in_the_address(store, both):
    page = well(opened(PAGE, run="2", measure="nll", rows="test", on=TASKS[1]))
    assert names(page) == ["TR, no fast stage, test"]
    assert "nats" in figure(page)["layout"]["yaxis"]["title"]["text"]
    table = analysis.curves(store, [store.run(2)], TASKS[1]).table
    last = table[table.split == "test"].nll_mean.iloc[-1]
    assert page.dataframe[0].value["Test NLL"].tolist() == pytest.approx([last])
    widget(page, "selectbox", "Measured on").set_value("")
    well(page.run())
    assert not numbers(page.query_params.get("on", ""))
    assert numbers(page.query_params["measure"]) == "nll"


def test_a_run_in_its_first_stage_is_shown_as_far_as_it_is(store):
    run = store.create(RunConfig())
    record_training(store, run, until=1)
    record_errors(store, run, until=1)
    store.claim(new_owner(), id=run)
    page = well(opened(PAGE))
    assert "Follows a run" in texts(page.caption)
    assert len(figure(page)["data"]) == 2
    page = well(opened(PAGE, on=TASKS[2]))
    assert "measured on" in texts(page.info)


def test_nonsense_in_the_address_is_passed_over(both):
    page = well(opened(PAGE, runs="1,2", measure="sum", rows="?", on="moon"))
    assert len(figure(page)["data"]) == 4
    assert numbers(page.query_params["measure"]) == "match"
    page = well(opened(PAGE, run="3"))
    assert "recorded no error curves" in texts(page.info)


def test_a_run_alone_offers_its_like_without_the_fast_stage(store):
    run_with_errors(store, RunConfig(memory_size=7), {"fast": 2, "slow": 4})
    page = well(opened(PAGE))
    (link,) = [
        link for link in page.get("page_link") if "without the fast stage" in link.proto.label
    ]
    assert "fast=none" in link.proto.query_string
    assert "memory_size=7" in link.proto.query_string
