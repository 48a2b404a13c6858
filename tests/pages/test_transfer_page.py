"""Forgetting and transfer on the accuracy page: values, formulas, n/a and why, zero-shot."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.analysis import accuracy, transfer_tables
from core.analysis.transfer import MEASURES
from core.config import RunConfig
from core.events import Accuracy
from core.inspection.parsers import Parsers
from core.runs import checkpoints
from core.runs.store import Store
from tests.made_up import finished_run, keep_parsers, recorded_run, running_run
from tests.pages.sessions import numbers, opened, texts, well, widget

PAGE = "pages/accuracy.py"
TOY = RunConfig(
    dataset="toy", method="finetune", word_size=12, hidden_size=16, action_size=8, device="cpu"
)


def toy_run(store: Store, config: RunConfig = TOY) -> int:
    """A run on the toy tasks that has recorded its accuracies and kept a parser after each task."""
    id = recorded_run(store, config)
    keep_parsers(store, id)
    for k in range(3):
        for i in range(k + 1):
            store.record(id, Accuracy(k, i, 5 - k + i, 5))
    return id


def gain_table(page: AppTest):
    (table,) = [frame.value for frame in page.dataframe if "As defined by" in frame.value]
    return table.set_index("Measure")


def test_the_table_has_every_measure_of_every_group(store):
    ids = [finished_run(store, RunConfig(seed=s), seed=s) for s in range(2)]
    ids.append(finished_run(store, RunConfig(method="emr"), kept=0.9))
    page = well(opened(PAGE, gain="forgetting", run=",".join(map(str, ids))))
    courses = transfer_tables.trajectories(accuracy.cells(store, [store.run(id) for id in ids]))
    last = courses[courses.after == 2].set_index("run")
    table = gain_table(page)
    for name, each in MEASURES.items():
        seeds = 100 * last[name][ids[:2]]
        alone = 100 * last[name][ids[2]]
        if each.needs:
            assert list(table.loc[each.label, ["0", "1"]]) == ["n/a", "n/a"]
            continue
        assert table["0"][each.label] == f"{seeds.mean():.2f} ± {seeds.std(ddof=1):.2f}"
        assert table["1"][each.label] == f"{alone:.2f}"
    said = texts(page.caption)
    assert said.count("Zero\\-shot accuracy is not measured") == 2
    assert said.count("learned first by no run") == 2


@pytest.mark.parametrize("name", MEASURES)
def test_each_measure_has_its_formula_and_its_address(store, name):
    finished_run(store, RunConfig())
    page = well(opened(PAGE, gain=name))
    first, *rest = [formula.value for formula in page.latex]
    assert MEASURES[name].formula in first
    assert len(rest) == len(MEASURES)  # all of them stand below, folded away
    assert (
        MEASURES[name].label
        in widget(page, "selectbox", "Measure").options[list(MEASURES).index(name)]
    )
    figures = [chart.proto.spec for chart in page.get("plotly_chart")]
    drawn = any(f"{MEASURES[name].label} (points)" in figure for figure in figures)
    assert drawn == (not MEASURES[name].needs)
    assert ("not defined for these runs" in texts(page.info)) == bool(MEASURES[name].needs)


def test_what_is_folded_is_computed_only_once_it_is_unfolded(store, monkeypatch):
    finished_run(store, RunConfig())
    asked = []
    make = transfer_tables.trajectories
    monkeypatch.setattr(
        transfer_tables, "trajectories", lambda *given: asked.append(given) or make(*given)
    )
    page = well(opened(PAGE))
    widget(page, "segmented_control", "Measure").set_value("avg").run()
    assert not asked
    assert "gain" not in page.query_params
    page.session_state["Accuracy/gain/unfolded"] = True
    assert len(gain_table(well(page.run()))) == len(MEASURES)
    assert len(asked) == 1
    assert numbers(page.query_params["gain"]) == "forgetting"


def test_a_measure_chosen_stands_in_the_address(store):
    finished_run(store, RunConfig())
    page = well(opened(PAGE, gain="none_such"))
    assert numbers(page.query_params["gain"]) == "forgetting"
    widget(page, "selectbox", "Measure").set_value("backward").run()
    assert numbers(page.query_params["gain"]) == "backward"


def test_a_run_that_goes_on_is_not_applicable_and_says_why(store):
    id = running_run(store, RunConfig())
    page = well(opened(PAGE, gain="forgetting", run=str(id)))
    assert set(gain_table(page)["0"]) == {"n/a"}
    assert f"Run {id} has learned 1 of 3 tasks" in texts(page.caption)


def test_zero_shot_accuracy_is_measured_on_a_click_with_the_parsers_kept(store):
    id = toy_run(store)
    page = well(opened(PAGE, gain="forgetting", run=str(id)))
    label = MEASURES["forward"].label
    assert gain_table(page)["0"][label] == "n/a"
    page = well(widget(page, "button", "Measure zero-shot accuracy").click().run())
    parsers = Parsers(store.run(id))
    shares = [np.divide(*parsers.exact(i - 1, i)) for i in (1, 2)]
    assert gain_table(page)["0"][label] == f"{100 * np.mean(shares):.2f}"
    assert "Measure zero-shot accuracy" not in [button.label for button in page.button]
    again = well(opened(PAGE, gain="forgetting", run=str(id)))
    assert gain_table(again).equals(gain_table(page))


def test_a_run_without_parsers_is_not_offered_and_a_broken_one_is_said(store):
    without, broken = toy_run(store), toy_run(store, TOY.with_(seed=1, memory_size=9))
    for k in range(3):
        (checkpoints.folder(without) / f"parser-{k}.pt").unlink()
    page = well(opened(PAGE, gain="forgetting", run=str(without)))
    assert "Measure zero-shot accuracy" not in [button.label for button in page.button]
    (checkpoints.folder(broken) / "parser-0.pt").write_bytes(b"nothing")
    page = well(opened(PAGE, gain="forgetting", run=str(broken)))
    page = well(widget(page, "button", "Measure zero-shot accuracy").click().run())
    assert "can't be read" in texts(page.warning).replace("\\", "")
    assert gain_table(page)["0"][MEASURES["forward"].label] == "n/a"
