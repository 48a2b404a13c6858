"""Arms of experiments in the run tray: runs over orders and seeds on Accuracy, Forgetting and
Memories; on other pages their runs one by one.
"""

import pytest

from core.config import RunConfig
from core.experiments import catalog
from core.experiments.experiment import Arm, Experiment, default_pairs
from core.runs.store import Store
from tests.made_up import full_run
from tests.pages.sessions import figures, numbers, opened, texts, well, widget

TOY = RunConfig(dataset="toy", method="emr", sampler="random")
BOTH = {"runs": "e1a1,e1a2", "run": "e1a2"}


@pytest.fixture
def arms(store: Store) -> Store:
    """Two arms over two orders, all finished; the second forgets less."""
    kinds = (Arm("small", {"memory_size": 5}), Arm("large", {"memory_size": 9}))
    experiment = Experiment("sizes", TOY, kinds, default_pairs(2))
    catalog.create(store, experiment)
    for _, arm, config in experiment.configs():
        full_run(store, config, kept=(0.3, 0.7)[arm])
    return store


def names(page) -> list[str]:
    return [name.replace("\\", "") for name in page.sidebar.radio[0].options]


def test_accuracy_has_a_mean_with_a_band_and_a_mean_matrix_for_each_arm(arms) -> None:
    page = well(opened("pages/accuracy.py", **BOTH))
    assert names(page) == ["small", "large"]
    assert list(page.sidebar.radio[0].options) == ["small", "large"]
    drawn = [
        trace["name"] for figure in figures(page) for trace in figure["data"] if "name" in trace
    ]
    assert {"small (mean ± SD, n = 2)", "large (mean ± SD, n = 2)"} <= set(drawn)
    assert texts(page.markdown).count("Mean over 2 runs, each in its own order") == 2


def test_an_arm_lies_beside_a_run_that_is_its_own(arms) -> None:
    page = well(opened("pages/accuracy.py", runs="e1a1,1", run="1"))
    drawn = [trace.get("name", "") for figure in figures(page) for trace in figure["data"]]
    assert "small (mean ± SD, n = 2)" in drawn
    assert any(name.startswith("EMR") for name in drawn)


def test_forgetting_goes_by_tasks_since_and_not_by_names(arms) -> None:
    page = well(opened("pages/forgetting.py", **BOTH))
    (figure,) = figures(page)
    lines = {trace["name"] for trace in figure["data"] if trace.get("showlegend") is not False}
    assert {
        f"{arm}, {kind}" for arm in ("small", "large") for kind in ("cross-task", "task-specific")
    } == lines
    assert "Action by action" in texts(page.markdown)
    assert len(page.dataframe) == 1
    widget(page.sidebar, "radio", "Selected run").set_value("e1a1")
    assert numbers(well(page.run()).query_params["run"]) == "e1a1"


def test_memories_take_every_run_of_an_arm(arms) -> None:
    page = well(opened("pages/memories.py", source="runs", **BOTH))
    assert "small (Random)" in texts(page.markdown) + str(figures(page))


def test_outcomes_of_an_arms_runs_look_alike(arms) -> None:
    page = well(opened("pages/memories.py", source="runs", view="outcome", **BOTH))
    (figure,) = figures(page)
    looks = {(each["name"], each["marker"]["symbol"]) for each in figure["data"]}
    assert len(figure["data"]) == 4
    assert {name for name, _ in looks} == {"small", "large"}
    assert len(looks) == 2
    assert [each["name"] for each in figure["data"] if each["showlegend"]] == ["small", "large"]


def test_memories_chosen_now_are_of_the_selected_arms_data(arms) -> None:
    page = well(opened("pages/memories.py", **BOTH))
    assert numbers(page.query_params["dataset"]) == "toy"


@pytest.mark.parametrize("name", ["drilldown", "error_curves"])
def test_other_pages_offer_the_runs_of_the_arm(arms, name) -> None:
    page = well(opened(f"pages/{name}.py", **BOTH))
    assert "Arms of experiments are not shown here" in texts(page.info)
    page = well(next(b for b in page.button if str(b.key).startswith("offer/")).click().run())
    assert figures(page) or page.dataframe


def test_an_arm_that_is_not_there_is_said(arms) -> None:
    page = well(opened("pages/accuracy.py", runs="e1a1,e1a7,e9a1", run="e1a1"))
    (warning,) = page.warning
    assert "e1a7" in warning.value
    assert "e9a1" in warning.value
    assert names(page) == ["small"]


@pytest.mark.parametrize("name", ["accuracy", "forgetting", "memories"])
def test_an_arm_without_a_finished_run_is_said(arms, name) -> None:
    kinds = (Arm("huge", {"memory_size": 11}), Arm("none", {"memory_size": 1}))
    later = catalog.create(arms, Experiment("later", TOY, kinds, default_pairs(2)))
    entry = f"e{later}a1"
    page = well(opened(f"pages/{name}.py", source="runs", runs=entry, run=entry))
    assert "finished yet" in texts(page.info)


def test_arms_are_chosen_in_the_side_bar(arms) -> None:
    page = well(opened("pages/accuracy.py", runs="1", run="1"))
    choice = widget(page.sidebar, "multiselect", "Runs to look at and to compare")
    choice.set_value([1, "e1a2"])
    page = well(page.run())
    assert numbers(page.query_params["runs"]) == "1,e1a2"
    assert "large" in names(page)
