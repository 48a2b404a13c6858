"""Conditions that runs share: what each sets, and which one a run has."""

import pytest

from core import validation
from core.__main__ import main
from core.config import RunConfig
from core.experiments.presets import presets as experiments
from core.registry import methods
from core.runs.store import Store
from core.validation.presets import (
    PRESETS,
    RELEASED,
    STRONG,
    changed_to,
    demo_configs,
    preset_of,
    presets_of,
    with_preset,
)


@pytest.mark.parametrize("method", list(methods))
@pytest.mark.parametrize("name", list(PRESETS))
def test_a_run_under_a_preset_says_so_and_can_be_run(name, method) -> None:
    changes = {} if methods[method].memory else {"sampler": "dlfs"}
    config = with_preset(RunConfig(method=method, **changes), name)
    validation.check(config)
    assert preset_of(config) == name
    assert preset_of(config.with_(clip_norm=1.0)) == ""
    assert preset_of(config.with_(seed=3, epochs=2, dataset="overnight")) == name


def test_both_name_the_same_settings_and_differ_in_most() -> None:
    assert STRONG.settings.keys() == RELEASED.settings.keys()
    differing = {n for n in STRONG.settings if STRONG.settings[n] != RELEASED.settings[n]}
    assert differing == set(STRONG.settings) - {"task_masking"}


def test_a_methods_options_count() -> None:
    config = with_preset(RunConfig(method="ewc"), "released")
    assert config.method_options == {"anchors": "each", "fisher_dropout": True}
    assert preset_of(config.with_(method_options={})) == ""
    assert preset_of(RunConfig()) == ""
    dar = RunConfig(method_options={"adapters": "full", "ewc_weight": 3.0, "penalty": "ewc"})
    released = with_preset(dar, "released")
    assert released.method_options["adapter_formula"] == "release"
    assert released.method_options["ewc_weight"] == 3.0
    assert preset_of(released) == "released"


def test_the_command_line_starts_from_one_and_explicit_words_win() -> None:
    words = ["train", "--dataset", "toy", "--preset", "released", "--method", "emr", "--epochs",
             "1", "--memory-size", "3", "--quiet", "--optimizer", "fresh", "--lemmas", "none",
             "--hidden-size", "8", "--word-size", "8", "--action-size", "8"]  # fmt: skip
    assert main(words) == 0
    (run,) = Store().runs()
    config = run.config
    assert (config.optimizer, config.lemmas, config.applicable) == ("fresh", "none", "type")
    assert config.method_options == {"fast_epochs": 5}
    assert preset_of(config.with_(optimizer="kept", lemmas="noun")) == "released"


def test_the_command_line_says_which_preset_a_run_equals(capsys) -> None:
    words = ["train", "--dataset", "toy", "--method", "emr", "--epochs", "1", "--memory-size", "3",
             "--hidden-size", "8", "--word-size", "8", "--action-size", "8"]  # fmt: skip
    assert main([*words, "--task-masking", "--schedule", "linear"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(" (strong)")
    assert main(["show", "1"]) == 0
    assert "preset    strong (those under which" in capsys.readouterr().out
    assert main(words) == 0
    assert "(strong)" not in capsys.readouterr().out
    assert main(["show", "2"]) == 0
    assert "preset" not in capsys.readouterr().out


def test_the_ingredients_are_tried_under_both() -> None:
    for name, preset in (("ingredients", "strong"), ("ingredients-released", "released")):
        experiment = experiments[f"{name}-overnight"].value()
        configs = [experiment.arm_config(arm) for arm in experiment.arms]
        assert len(configs) == 7
        assert {preset_of(config) for config in configs} == {preset}


def test_small_runs_and_what_follows_another_preset() -> None:
    plain, recall = demo_configs()
    assert [p.name for p in presets_of(plain)] == [p.name for p in presets_of(recall)] == ["demo"]
    quick = changed_to(RunConfig(dataset="toy"), "quick", ["a", "b", "c", "d"])
    assert quick.task_order == ("a", "b", "c")
    assert [preset.name for preset in presets_of(quick)] == ["quick"]
    config = RunConfig(method="ewc", method_options={"ewc_weight": 3.0})
    released = changed_to(config, "released")
    assert released.method_options == {"ewc_weight": 3.0, "anchors": "each", "fisher_dropout": True}
    strong = changed_to(released, "strong")
    assert preset_of(strong) == "strong"
    assert strong.method_options == {"ewc_weight": 3.0}
    assert [preset.name for preset in presets_of(changed_to(quick, "strong"))] == [
        "quick",
        "strong",
    ]
