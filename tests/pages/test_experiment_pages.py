"""Experiments, their results and the paper's tables as pages: what is said, and what clicks do."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from core.analysis import arm_tables, experiment_tables
from core.config import RunConfig
from core.experiments import catalog, dispatcher, toml, work
from core.experiments.catalog import Stored
from core.experiments.experiment import Arm, Experiment, crossed, default_pairs
from core.experiments.on_ray import Share
from core.experiments.presets import presets
from core.options import specs as options
from core.runs import settings, worker_list
from core.runs.owner import new_owner
from core.runs.run import FAILED, QUEUED
from core.runs.store import Store
from pages.shared.ui.options import title
from tests.experiments.samples import RIGHT, finished_cells
from tests.pages.sessions import (
    clicked,
    frames,
    key_of,
    letters,
    numbers,
    opened,
    specs,
    well,
    widget,
)

PAGE = "pages/experiments.py"
NASTY = "<b>x</b> :red[y] *z* $a$"


@pytest.fixture
def small(toy_config: RunConfig) -> Experiment:
    """Two arms over three pairs, for a device that nobody has: no worker takes them."""
    arms = (Arm("plain", {"method": "finetune"}), Arm("replay", {"method": "emr"}))
    return Experiment("small", toy_config.with_(device="cuda:9"), arms, default_pairs(3))


def kept(store: Store, experiment: Experiment) -> Stored:
    catalog.create(store, experiment)
    return catalog.load(store, experiment.name)


def bar(page: AppTest) -> str:
    (shown,) = page.get("progress")
    return str(shown.proto.text)


# --- making one -------------------------------------------------------------------------------


def test_a_preset_with_less_of_it_becomes_an_experiment(store: Store) -> None:
    page = well(opened(PAGE, view="new", only="EMR|Fine-tune", pairs="2", set="epochs = 3"))
    assert "2 arms × 2 pairs, **4 cells**" in letters(page.markdown)
    page = clicked(page, "Make it")
    made = catalog.load(store, "demo").experiment
    assert [arm.label for arm in made.arms] == ["Fine-tune", "EMR"]
    assert made.base == presets["demo"].value().base.with_(epochs=3)
    assert made.pairs == default_pairs(2)
    assert store.runs() == []  # nothing is queued before somebody starts it
    assert letters(page.subheader) == "demo"
    assert "4" in [metric.value for metric in page.metric]  # cells to carry out


def test_another_preset_begins_with_its_own_arms_and_pairs(store: Store) -> None:
    page = well(opened(PAGE, view="new", preset="demo", only="EMR|Fine-tune", pairs="2"))
    widget(page, "selectbox", "Preset").set_value("main-overnight")
    page = well(page.run())
    assert "6 arms × 10 pairs, **60 cells**" in letters(page.markdown)
    widget(page, "segmented_control", "Begin").set_value("form")
    assert widget(well(page.run()), "number_input", "How many").value == 10


def test_every_preset_can_be_chosen(store: Store) -> None:
    for name, entry in presets.items():
        page = well(opened(PAGE, view="new", preset=name))
        cells = len(entry.value().arms) * len(entry.value().pairs)
        assert f"**{cells:,} cells**" in letters(page.markdown), name


def test_the_form_crosses_methods_samplers_and_sizes(store: Store) -> None:
    address = {
        "arms": "paper:Fine-tune,paper:EMR",
        "arm_samplers": "own,lfs",
        "pairs_by": "crossed",
        "orders": "1-2",
        "pair_seeds": "5,7",
        "epochs": "2",
        "dataset": "toy",
        "memory_size": "3",
        "name": "mine",
    }
    page = clicked(well(opened(PAGE, view="new", start="form", **address)), "Make it")
    made = catalog.load(store, "mine").experiment
    assert [arm.label for arm in made.arms] == ["Fine-tune", "EMR", "EMR, LFS"]
    assert dict(made.arms[2].settings) == {"method": "emr", "sampler": "lfs"}
    assert made.pairs == crossed([1, 2], [5, 7])
    assert (made.base.dataset, made.base.epochs) == ("toy", 2)
    assert numbers(page.query_params["experiment"]) == "mine"


def test_the_forms_method_is_taken_as_an_arm_with_all_its_options(store: Store) -> None:
    address = {
        "dataset": "toy",
        "memory_size": "3",
        "method": "total_recall",
        "method.fast_epochs": "7",
    }
    page = well(opened(PAGE, view="new", start="form", **address))
    page = clicked(page, "Take the form's method")
    (arm,) = toml.read_arms(widget(page, "text_area", "Arms, as TOML").value, RunConfig())
    assert arm.settings["method.fast_epochs"] == 7
    assert arm.settings["memory_size"] == 3
    page = clicked(page, "Make it")
    assert catalog.load(store, "my experiment").experiment.arms == (arm,)


@pytest.mark.usefixtures("filled_home")
def test_runs_become_an_experiment_that_has_them_already() -> None:
    page = clicked(well(opened(PAGE, view="new", start="runs", run="1,2", name="both")), "Make it")
    store = Store()
    assert "2 of 2 cells finished" in bar(page)
    assert len(catalog.load(store, "both").experiment.arms) == 2
    assert len(store.runs()) == 2


def test_toml_is_read_and_another_is_made_of_one_that_is_there(store: Store, small) -> None:
    kept(store, small)
    page = well(opened(PAGE, view="new", start="toml", of="small"))
    page = clicked(page, "Make it")
    again = catalog.load(store, "small 2").experiment
    assert again == small.with_(name="small 2")


BAD = {
    "epoch = 3": "did you mean",
    "epochs = 0": "epochs = 0",
    "epochs = ": "is not TOML",
    "memory_size = 99999": "is larger than task",
    'dataset = "nlmap_qt"': "",
    'task_order = ["library"]': "expected at least 2",
    'seed = 3\nmethod = "emrr"': "emrr",
}


@pytest.mark.parametrize("words", BAD, ids=range(len(BAD)))
def test_what_cannot_be_run_is_a_sentence_and_nothing_is_made(
    words: str, store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "none"))
    page = well(opened(PAGE, view="new", set=words))
    assert BAD[words] in letters(page.error)
    assert page.error
    makers = [button for button in page.button if button.label == "Make it"]
    assert all(button.disabled for button in makers)
    assert catalog.names(store) == []


WRONG_TOML = {
    'pairs = 0\n[[arms]]\nlabel = "a"\nmethod = "emr"': "0 pairs",
    "pairs = 2": "no arm",
    'pairs = 2\n[[arms]]\nlabel = "a"\nmethod = "emr"\n[[arms]]\nlabel = "b"\nmethod = "emr"':
        "Arms 'a' and 'b' are the same",
    'pairs = 2\n[[arms]]\nlabel = "a"\nmethod = "finetune"\nsampler = "random"': "Arm 'a'",
    'pairs = 2\n[[arms]]\nlabel = "a"\n"method.fast_epoch" = 2': "did you mean",
    'pairs = 10001\n[[arms]]\nlabel = "a"\nmethod = "emr"': "10,001 pairs are too many",
    'pairs = 5001\n[[arms]]\nlabel = "a"\nmethod = "emr"\n[[arms]]\nlabel = "b"\nmethod = "ewc"':
        "10,002 cells",
    "pears = 2": "did you mean",
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG_TOML, ids=range(len(WRONG_TOML)))
def test_a_wrong_definition_names_what_is_wrong(words: str, store: Store) -> None:
    page = well(opened(PAGE, view="new", start="toml"))
    page = well(
        widget(page, "text_area", "Experiment, as TOML").set_value(f'name="x"\n{words}').run()
    )
    assert WRONG_TOML[words] in letters(page.error)
    assert all(button.disabled for button in page.button if button.label == "Make it")
    assert catalog.names(store) == []


# --- one of them ------------------------------------------------------------------------------


def test_start_pause_go_on_cancel_and_retry(store: Store, small: Experiment) -> None:
    finished_cells(store, small, {cell: RIGHT[cell] for cell in [(0, 0), (0, 1)]})
    stored = kept(store, small)
    page = well(opened(PAGE))
    assert "2 of 6 cells finished" in bar(page)
    page = clicked(page, "Go on")
    assert "4 cells queued; 2 finished already" in letters(page.toast)
    assert len(store.runs(statuses=[QUEUED])) == 4
    page = clicked(page, "Pause")
    assert catalog.load(store, "small").paused
    page = clicked(page, "Go on")
    run = store.claim(new_owner())
    store.set_status(run.id, FAILED, error=NASTY)
    page = well(page.run())
    links = [link.proto for link in page.get("page_link") if link.proto.label.startswith("Arm")]
    assert [link.query_string for link in links] == [f"run={run.id}"]
    assert "\\<b\\>x" in links[0].label
    page = clicked(page, "Retry 1 failed cell")
    assert store.run(run.id).status == QUEUED
    page = clicked(page, "Cancel what waits")
    assert work.failures(store, stored) == []
    assert not [each for each in store.runs() if each.status == QUEUED]


def test_pairs_and_arms_are_added_and_the_priority_is_changed(store: Store, small) -> None:
    kept(store, small)
    page = well(opened(PAGE))
    widget(page, "number_input", "More pairs").set_value(2)
    words = '[[arms]]\nlabel = "small memory"\nmethod = "emr"\nmemory_size = 2'
    widget(page, "text_area", "Other arms, as TOML").set_value(words)
    page = clicked(page, "Add them")
    grown = catalog.load(store, "small").experiment
    assert [arm.label for arm in grown.arms] == ["plain", "replay", "small memory"]
    assert grown.pairs == default_pairs(5)
    widget(page, "number_input", "Priority").set_value(7)
    page = clicked(page, "Set it")
    assert catalog.load(store, "small").priority == 7
    widget(page, "text_area", "Other arms, as TOML").set_value("[[arms]]\nlabel = 3")
    page = clicked(page, "Add them")
    assert "arm 1: label" in letters(page.toast)
    page = clicked(page, "Delete it")
    assert catalog.names(store) == []


def test_a_click_on_a_cell_opens_its_run(store: Store, small: Experiment) -> None:
    runs = finished_cells(store, small, RIGHT)
    kept(store, small)
    page = well(opened(PAGE))
    key = key_of(page.get("plotly_chart"), "matrix/")
    page.session_state[key] = {"selection": {"points": [{"customdata": [1, 2, runs[2, 1]]}]}}
    page.run()
    assert page.title[0].value == "Runs"
    assert numbers(page.query_params["run"]) == str(runs[2, 1])


def test_a_deleted_run_behind_a_cell_is_seen_and_carried_out_again(store, small) -> None:
    runs = finished_cells(store, small, RIGHT)
    kept(store, small)
    work.enqueue(store, "small")
    store.delete(runs[1, 1])
    page = well(opened(PAGE))
    assert "run deleted (1)" in "".join(specs(page))
    words = f"Arm 'replay', order 2, seed 2: run {runs[1, 1]} was deleted"
    assert words in letters(page.markdown)
    page = clicked(page, "Go on")
    assert "1 of them again, for their runs were deleted" in letters(page.toast)


def test_cells_are_handed_to_a_ray_cluster(store: Store, small, monkeypatch) -> None:
    stored = kept(store, small.with_(base=small.base.with_(device="cpu")))
    handed = []
    monkeypatch.setattr(dispatcher, "is_installed", lambda: True)
    monkeypatch.setattr(dispatcher, "start", lambda *words: handed.append(words))
    page = well(opened(PAGE))
    widget(page, "text_input", "Address of the cluster").set_value(" head:6379 ")
    widget(page, "number_input", "GPUs a cell").set_value(0.25)
    page = clicked(page, "Carry out on Ray")
    log = dispatcher.log_of(stored.id)
    assert handed == [("small", log, "head:6379", Share(1.0, 0.25))]
    log.write_text("begun\n" + "".join(f"{n} of 6 cells\n" for n in range(7)))
    page = well(page.run())
    (said,) = [block.value for block in page.code if "of 6 cells" in block.value]
    assert said.splitlines() == [f"{n} of 6 cells" for n in range(1, 7)]
    monkeypatch.setattr(dispatcher, "is_installed", lambda: False)
    page = well(page.run())
    assert "Ray is not installed: pip install" in letters(page.info)
    assert widget(page, "button", "Carry out on Ray").disabled


def test_an_address_names_an_experiment_and_an_unknown_one_is_letters(store, small) -> None:
    kept(store, small)
    kept(store, small.with_(name=f"other {NASTY}"))
    page = well(opened(PAGE, experiment="small"))
    assert letters(page.subheader) == "small"
    page = well(opened(PAGE, experiment="nobody"))
    assert "There is no experiment" in letters(page.warning)
    assert "<b>x" in letters(page.subheader)


@pytest.mark.slow
def test_ten_thousand_cells_are_shown(store: Store, small: Experiment) -> None:
    arms = tuple(Arm(f"arm {n}", {"method": "emr", "memory_size": n}) for n in range(1, 101))
    kept(store, small.with_(name="large", arms=arms, pairs=default_pairs(100)))
    work.enqueue(store, "large")
    page = well(opened(PAGE, experiment="large"))
    assert "10,000 waiting" in bar(page)


# --- workers ----------------------------------------------------------------------------------


def test_seeds_and_orders_are_asked_for_as_pairs_alone(store: Store) -> None:
    label = {spec.name: title(spec, spec.name) for spec in options(RunConfig)}
    page = well(opened(PAGE, view="new", start="form"))
    asked = {field.label for field in page.number_input}
    assert not asked & {label["seed"], label["order_seed"]}
    assert label["epochs"] in asked
    assert "Choose methods above" in letters(page.info)  # before anything can be wrong
    assert not page.error


def test_the_number_of_workers_is_kept_for_this_machine(store: Store, monkeypatch) -> None:
    page = well(opened(PAGE, view="workers"))
    assert "TOTAL_RECALL_WORKERS = 1" in letters(page.info)
    monkeypatch.delenv("TOTAL_RECALL_WORKERS")
    page = well(page.run())
    widget(page, "number_input", "Workers at once").set_value(3)
    page = clicked(page, "Set")
    assert settings.workers(store) == 3
    widget(page, "number_input", "Workers at once").set_value(0)
    page = clicked(page, "Set")
    assert settings.workers(store) == 0
    assert "Now 0, chosen here" in letters(page.caption)
    page = clicked(page, "Back to the default")
    assert settings.workers(store) is None


def test_all_workers_are_listed_with_what_they_do(store: Store, small: Experiment) -> None:
    kept(store, small)
    work.enqueue(store, "small")
    owner = new_owner()
    worker_list.beat(store, owner, "cpu", worker_list.PROCESS)
    run = store.claim(owner)
    page = well(opened(PAGE, view="workers"))
    table = frames(page)[0].set_index("Run")
    assert table.Does[run.id] == run.name
    assert table.Device[run.id] == "cpu"


# --- results ----------------------------------------------------------------------------------


def test_the_table_is_that_of_the_complete_pairs_and_the_rest_is_letters(store, small) -> None:
    finished_cells(store, small, {cell: right for cell, right in RIGHT.items() if cell != (1, 1)})
    stored = kept(store, small)
    page = well(opened("pages/results.py"))
    table = frames(page)[0].set_index("Arm")
    arms = arm_tables.arm_table(experiment_tables.from_store(store, stored)).set_index("arm")
    assert table.ACC_avg["replay"] == f"{arms.avg_mean['replay']:.2f} ± {arms.avg_sd['replay']:.2f}"
    assert table["Bound avg"]["plain"] == "95.00"
    assert list(table.n) == [2, 2]
    positions = frames(page)[1].set_index("Arm")
    assert list(positions.columns) == ["n", "Task 1", "Task 2"]
    assert "Pair order 2, seed 2 is left out: not run ('replay')" in letters(page.markdown)


@pytest.mark.parametrize("view", ["differences", "ranks"])
def test_the_smallest_possible_p_is_said_wherever_a_p_is(view: str, store, small) -> None:
    three = small.with_(arms=(*small.arms, Arm("memory", {"method": "emr", "memory_size": 2})))
    right = RIGHT | {(pair, 2): (7, 7 + pair) for pair in range(3)}
    finished_cells(store, three, right)
    kept(store, three)
    page = well(opened("pages/results.py", view=view))
    if view == "differences":
        assert "With 3 pairs no p below 0.25 is possible" in letters(page.warning)
    else:  # 3!^-2: all pairs rank the three arms alike
        assert "(the smallest possible is 0.0278)" in letters(page.markdown)
    assert specs(page)


def test_differences_are_to_the_chosen_arm(store: Store, small: Experiment) -> None:
    finished_cells(store, small, RIGHT)
    kept(store, small)
    page = well(opened("pages/results.py", view="differences", reference="replay"))
    (table,) = frames(page)
    assert table.Arm.tolist() == ["plain"]
    assert table["ACC_avg − replay"].tolist() == ["-38.33"]


def test_order_and_seed_are_told_apart_only_where_they_can_be(store, small) -> None:
    finished_cells(store, small, RIGHT)
    kept(store, small)
    page = well(opened("pages/results.py", view="effects"))
    assert "can't be told apart" in letters(page.info)
    both = small.with_(name="crossed", pairs=crossed([1, 2], [8, 9]))
    right = {(pair, arm): (2 + pair, 3 + arm) for pair in range(4) for arm in range(2)}
    finished_cells(store, both, right)
    kept(store, both)
    page = well(opened("pages/results.py", view="effects", experiment="crossed"))
    assert frames(page)[0].columns.tolist() == ["Arm", "n", "Order", "Seed", "Rest"]


def test_arms_that_are_chosen_are_compared_in_more_pairs(store, small) -> None:
    finished_cells(store, small, {cell: right for cell, right in RIGHT.items() if cell != (1, 1)})
    kept(store, small)
    page = well(opened("pages/results.py", arms="plain"))
    assert frames(page)[0].n.tolist() == [3]


def test_an_experiment_without_a_complete_pair_says_what_to_do(store, small) -> None:
    kept(store, small)
    for view in ("table", "cells", "curves", "differences", "ranks", "effects"):
        page = well(opened("pages/results.py", view=view))
        assert "No pair is complete yet" in letters(page.info)


# --- the paper's tables -----------------------------------------------------------------------


def test_ours_stands_beside_the_papers_value_and_what_is_missing_is_made(store: Store) -> None:
    page = well(opened("pages/paper.py", table="3", pairs="4"))
    table = frames(page)[0]
    assert table.shape[0] == 6
    assert all(cell.endswith("| –") for cell in table["Overnight, avg"])
    page = well(opened("pages/paper.py", table="4"))
    assert "BERT" in letters(page.caption)
    for number in range(1, 9):
        page = well(opened("pages/paper.py", table=str(number)))
        assert json.dumps(frames(page)[0].to_dict())
