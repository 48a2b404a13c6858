"""The launch page: what is queued is what the form says, and what can't be is said."""

import hashlib
import shlex

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from core.commands.entry import build_parser
from core.commands.line import read_config
from core.config import RunConfig
from core.data.base import load_tasks
from core.data.io import vector_files
from core.runs.estimate import Estimate
from core.runs.run import StoreUnavailable
from core.runs.store import Store
from tests.pages.sessions import clicked, letters, numbers, opened, texts, well, widget


def launched(page: AppTest) -> AppTest:
    (button,) = [b for b in page.button if b.label.startswith("Launch")]
    return button.click().run()


def test_launch_queues_what_the_form_says(store):
    page = opened("pages/launch.py", dataset="toy", device="cuda:9")
    assert "no CUDA" in texts(launched(page).error) or "CUDA devices" in texts(page.error)
    page = opened("pages/launch.py", dataset="toy", method="emr", memory_size="3", seeds="4,6-7")
    widget(page, "number_input", "Epochs").set_value(1)
    widget(page, "number_input", "Hidden size").set_value(8).run()
    launched(well(page))
    runs = store.runs()
    assert sorted(run.config.seed for run in runs) == [4, 6, 7]
    in_tray, selected = page.session_state["tray/slots"]
    assert [store.run(id).config.seed for id in in_tray] == [4, 6, 7]
    assert selected == in_tray[0]
    for run in runs:
        assert run.config == RunConfig(
            dataset="toy",
            method="emr",
            sampler="random",
            memory_size=3,
            epochs=1,
            hidden_size=8,
            seed=run.config.seed,
        )


def test_another_order_for_each_seed(store):
    launched(opened("pages/launch.py", dataset="toy", seeds="1,2", vary_order="on", epochs="1"))
    assert [(run.config.seed, run.config.order_seed) for run in store.runs()] == [(2, 2), (1, 1)]


def test_the_order_of_tasks_is_the_order_of_choice(store):
    launched(opened("pages/launch.py", dataset="toy", task_order="port,zoo", epochs="1"))
    assert store.runs()[0].config.task_order == ("port", "zoo")


@pytest.mark.parametrize(
    ("given", "label", "said"),
    [
        ({"memory_size": "-3"}, "Memory: rows", "−3 can't be; expected a whole number from 1 to"),
        ({"memory_size": "0"}, "Memory: rows", "0 can't be; expected a whole number from 1 to"),
        ({"learning_rate": "7"}, "Learning rate", "7 can't be; expected a number above 0, at most"),
        ({"method__fast_epochs": "-1"}, "Passes in the fast stage", "a whole number from 0 to 1,0"),
        ({"seeds": "a"}, "", "seeds = 'a': expected whole numbers"),
        ({"method": "none_such"}, "Method", "'none_such' is not known"),
        ({"lemmas": "noun"}, "Nouns by their lemma", "needs the package lemminflect"),
        ({"method__fast": "none", "method__fast_tasks": "first"}, "Fast stage on", "or another"),
    ],
)
def test_what_is_not_allowed_is_said_at_its_field_and_not_launched(
    given, label, said, store, monkeypatch
):
    monkeypatch.setattr("core.config.learning.find_spec", lambda name: None)
    page = well(opened("pages/launch.py", dataset="toy", **given))
    said_below = [m for m in page.markdown if ":red[" in m.value]
    assert len(said_below) == 1
    assert said in letters(said_below)
    assert label in letters(page.error)
    (button,) = [b for b in page.button if b.label.startswith("Launch")]
    assert button.disabled
    assert not store.runs()


def test_what_has_no_effect_is_not_drawn_and_not_said(store):
    given = {"method__ewc_weight": "9", "method__fisher": "example", "encoder_layers": "3"}
    page = well(opened("pages/launch.py", dataset="toy", method="total_recall", **given))
    labels = [w.label for w in (*page.number_input, *page.selectbox)]
    assert "Weight λ of the penalty" not in labels
    assert "Layers trained" not in labels
    assert [name for name in given if name.replace("__", ".") in page.query_params] == []
    widget(page, "selectbox", "Penalty").set_value("ewc").run()
    widget(page, "number_input", "Weight λ of the penalty").set_value(9.0).run()
    assert "--method.ewc-weight 9" in well(page).code[0].value
    widget(page, "selectbox", "Penalty").set_value("none").run()
    assert "ewc" not in well(page).code[0].value


def test_tasks_are_a_list_to_move_and_to_shuffle(store):
    page = well(opened("pages/launch.py", dataset="toy", epochs="1"))
    labels = [box.label.split(" :")[0] for box in page.checkbox]
    assert labels == ["1 · zoo", "2 · port", "3 · farm"]
    page.button(key="Launch/task_order/up/farm").click().run()
    assert numbers(page.query_params["task_order"]) == "zoo,farm,port"
    next(box for box in page.checkbox if "zoo" in box.label).uncheck().run()
    assert numbers(well(page).query_params["task_order"]) == "farm,port"
    assert all(box.disabled for box in page.checkbox if "zoo" not in box.label)  # two are needed
    widget(page, "number_input", "Shuffle by order seed").set_value(2).run()
    (button,) = [b for b in well(page).button if b.label.startswith("Make it the list")]
    config = RunConfig(dataset="toy", task_order=("farm", "port"), order_seed=2)
    names = [task.name for task in load_tasks(config)]
    assert f"1. {names[0]}" in texts(page.markdown)
    well(button.click().run())
    launched(page)
    assert store.runs()[0].config.task_order == tuple(names)
    assert store.runs()[0].config.order_seed == 0


def test_seeds_that_are_written_twice_are_said(store):
    page = well(opened("pages/launch.py", dataset="toy", epochs="1", seeds="0-2 1, 4 4"))
    assert "Written more than once, and run once: 1, 4." in texts(page.caption)
    launched(page)
    assert sorted(run.config.seed for run in store.runs()) == [0, 1, 2, 4]


def test_a_preset_fills_the_form_and_the_form_says_which_one_it_equals(store):
    page = well(opened("pages/launch.py", dataset="toy", method="ewc", seeds="3", lemmas="none"))
    assert "Equals no preset." in texts(page.caption)
    for name in ("strong", "demo", "quick"):
        well(page.button(key=f"preset/{name}").click().run())
        assert f"Preset: {name} (" in letters(page.caption)
        assert page.button(key=f"preset/{name}").icon
        assert numbers(page.query_params["seeds"]) == "3"
    assert "Passes in a fast stage: 5" in letters(page.caption)  # as its field is called
    assert "last" not in [b.key.split("/")[-1] for b in page.button if "preset/" in str(b.key)]
    config = RunConfig(dataset="toy", method="emr", sampler="random", epochs=2, device="cuda:9")
    store.create(config)
    well(page.run())
    well(page.button(key="preset/last").click().run())
    assert "--method emr" in page.code[0].value
    assert "--epochs 2" in page.code[0].value


def test_a_clone_says_what_its_model_says(store):
    config = RunConfig(
        dataset="toy",
        method="total_recall",
        method_options={"fast_epochs": 2},
        task_masking=True,
        learning_rate=0.01,
        task_order=("port", "zoo"),
        seed=5,
        sampler="random",
    )
    id = store.create(config.with_(device="cuda:9"))
    store.request_stop(id)
    page = well(opened("pages/launch.py", clone=str(id)))
    assert "clone" not in page.query_params
    widget(page, "selectbox", "Device").set_value("auto").run()
    launched(page)
    assert store.runs()[0].config == config


def test_the_command_line_is_that_of_the_form():
    page = well(opened("pages/launch.py", dataset="toy", method="ewc", epochs="3"))
    (line,) = page.code
    assert line.value == "python -m core train --dataset toy --method ewc --epochs 3"


def test_the_command_line_of_several_seeds_starts_the_same_runs(store):
    asked = {"dataset": "toy", "method": "ewc", "task_order": "port,zoo", "epochs": "1"}
    for vary in ({}, {"vary_order": "on"}):
        page = well(opened("pages/launch.py", seeds="0,4-5", device="cuda:9", **asked, **vary))
        parser, said = build_parser(["train"]), []
        for line in page.code[0].value.split("\n"):
            args, more = parser.parse_known_args(shlex.split(line)[3:])
            config = read_config(args, more, {})
            said += [config.with_(seed=seed) for seed in args.seeds or [config.seed]]
        config = RunConfig(dataset="toy", method="ewc", sampler="random", device="cuda:9", epochs=1)
        config = config.with_(task_order=("port", "zoo"))
        orders = {seed: seed if vary else 0 for seed in (0, 4, 5)}
        assert said == [config.with_(seed=s, order_seed=order) for s, order in orders.items()]


def test_what_the_store_refuses_is_said_and_not_an_accident(store, monkeypatch):
    page = well(opened("pages/launch.py", dataset="toy", epochs="1"))

    def full(self: Store, config: RunConfig, name: str = "") -> int:
        raise StoreUnavailable("The run store can't be written: database or disk is full.")

    monkeypatch.setattr(Store, "create", full)
    assert "disk is full" in texts(well(launched(page)).error)
    assert not store.runs()


def test_what_is_recorded_is_chosen_in_the_form():
    page = well(opened("pages/launch.py", dataset="toy", record_predictions="off"))
    assert widget(page, "toggle", "Record actions").value
    assert not widget(page, "toggle", "Record predictions").value
    widget(page, "number_input", "Rows for error curves").set_value(0)
    (line,) = well(page.run()).code
    assert line.value.endswith("--dataset toy --no-record-predictions --error-rows 0")


def test_a_method_brings_its_sampler_until_one_is_chosen_by_hand():
    page = well(opened("pages/launch.py", dataset="toy"))
    assert widget(page, "selectbox", "Sampler").value == "dlfs"
    widget(page, "selectbox", "Method").set_value("arper").run()
    assert widget(well(page), "selectbox", "Sampler").value == "prior"
    assert "sampler" not in page.query_params
    widget(page, "selectbox", "Method").set_value("finetune").run()
    assert "Sampler" not in [box.label for box in well(page).selectbox]
    widget(page, "selectbox", "Method").set_value("emr").run()
    assert widget(well(page), "selectbox", "Sampler").value == "random"
    (line,) = page.code
    assert line.value == "python -m core train --dataset toy --method emr"
    widget(page, "selectbox", "Sampler").set_value("lfs").run()
    widget(page, "selectbox", "Method").set_value("arper").run()
    assert widget(well(page), "selectbox", "Sampler").value == "lfs"
    assert numbers(page.query_params["sampler"]) == "lfs"
    assert "--method arper --sampler lfs" in page.code[0].value


def test_what_a_method_needs_is_said():
    page = well(opened("pages/launch.py", dataset="toy", method="arper"))
    said = texts(page.caption)
    assert "a memory of each finished task" in said
    assert "Prior" in said
    assert "Fisher information" in said
    page = well(opened("pages/launch.py", dataset="toy", method="finetune"))
    assert "Needs nothing of past tasks" in texts(page.caption)


def test_data_that_are_not_here_are_pointed_to(monkeypatch, tmp_path):
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    page = well(opened("pages/launch.py", dataset="overnight"))
    assert "not on this machine" in texts(page.markdown)
    assert [link.proto.label for link in page.get("page_link")].count("Get them on the home page")


def test_what_a_file_of_vectors_covers_is_said_before_it_is_queued(store, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("show 1 2\nships 3 4\n", encoding="utf-8")
    page = well(opened("pages/launch.py", dataset="toy", embeddings=str(path)))
    tasks = load_tasks(RunConfig(dataset="toy"))
    n = len({word for task in tasks for row in task.train for word in row.words})
    assert f"vectors of 2 numbers for 2 of the {n} training words" in letters(page.caption)
    assert hashlib.sha256(path.read_bytes()).hexdigest()[:16] in letters(page.caption)
    path.write_text("show 1 2\nships 3\n", encoding="utf-8")
    page = opened("pages/launch.py", dataset="toy", embeddings=str(path))
    assert "line 2, column" in letters(page.error)


def test_word_vectors_are_chosen_by_name_or_given_as_a_path(store, tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("show 1 2\nships 3 4\n", encoding="utf-8")
    page = well(opened("pages/launch.py", dataset="toy", embeddings=str(path)))
    vectors = widget(page, "selectbox", "Word vectors")
    assert vectors.options == ["random", *vector_files.TABLES, str(path)]
    assert vectors.value == str(path)
    vectors.set_value("glove-6b-200").run()
    assert "is not on this machine" in letters(page.error)
    widget(page, "selectbox", "Word vectors").set_value("random").run()
    launched(well(page))
    assert store.runs()[0].config.embeddings == "random"


def test_reading_a_file_of_vectors_shows_how_far_it_is(store, tmp_path, monkeypatch):
    shares: list[float] = []
    monkeypatch.setattr(DeltaGenerator, "progress", lambda self, share, text: shares.append(share))
    monkeypatch.setattr("core.parser.vector_text._EVERY", 1)
    path = tmp_path / "vectors.txt"
    path.write_text("show 1 2\nships 3 4\n", encoding="utf-8")
    for _ in range(2):  # the second time nothing is read
        well(opened("pages/launch.py", dataset="toy", embeddings=str(path)))
        assert shares == [9 / 19, 1.0, 1.0]


def test_a_transformer_that_cant_be_had_is_greyed_out_with_the_reason(store, monkeypatch):
    monkeypatch.setattr("core.config.parser.find_spec", lambda name: None)
    page = well(opened("pages/launch.py", dataset="toy"))
    encoder = widget(page, "selectbox", "Encoder reads")
    assert (encoder.disabled, encoder.value) == (True, "lstm")
    assert "pip install -r core/requirements-encoders.txt" in letters(page.caption)


def test_a_time_that_was_measured_stands_there_alone(monkeypatch):
    known = Estimate(240.0, 200.0, 300.0, "from a few steps measured now")
    monkeypatch.setattr("pages.shared.launch.start.measure", lambda config: known)
    page = well(opened("pages/launch.py", dataset="toy"))
    assert "not known" in texts(page.caption)
    for _ in range(2):
        page = clicked(page, "Measure") if "not known" in texts(page.caption) else well(page.run())
        assert "**About 4 min 00 s**" in texts(page.markdown)
        assert "not known" not in texts(page.caption)
        assert not [button for button in page.button if button.label.startswith("Measure")]
