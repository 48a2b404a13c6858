"""Experiments are written as TOML and read back as they were; typos are named."""

import pytest

from core.config import RunConfig
from core.experiments import toml
from core.experiments.experiment import Arm, Experiment, Pair, default_pairs
from core.experiments.presets import presets
from core.options import ConfigError


@pytest.mark.parametrize("name", list(presets))
def test_what_is_written_is_read_back(name: str) -> None:
    experiment = presets[name].value()
    assert toml.read(toml.write(experiment)) == experiment


def test_orders_in_full_and_odd_names_survive() -> None:
    base = RunConfig(method_options={"penalty": "ewc", "ewc_weight": 7.5}, embeddings='a"b\\c')
    arms = (Arm('quoted "é"\n', {"method.fast": "none", "task_masking": True, "epochs": 3}),)
    pairs = (Pair(0, 1, ("b", "a")), Pair(2, 2))
    experiment = Experiment("naïve # 1", base, arms, pairs)
    assert toml.read(toml.write(experiment)) == experiment


def test_names_and_labels_are_a_line_without_control_characters() -> None:
    experiment = Experiment("a\x1b\nb\u202e" + "c" * 500, RunConfig(), (Arm("x\ny", {}),))
    assert experiment.name.startswith("a bccc")
    assert len(experiment.name) == 200
    assert experiment.arms[0].label == "x y"
    assert toml.read(toml.write(experiment)) == experiment


def test_a_short_file_takes_the_defaults() -> None:
    text = """
        name = "two"
        [base]
        dataset = "overnight"
        method = "emr"
        [base.method_options]
        replay = "joint"
        [[arms]]
        label = "EMR"
        [[arms]]
        label = "no"
        method = "finetune"
    """
    experiment = toml.read(text)
    assert experiment.pairs == default_pairs(10)
    assert experiment.base.sampler == "random"  # EMR's own
    assert experiment.base.method_options == {"replay": "joint"}
    assert experiment.arms[0].settings == {}


HEAD = '[base]\ndataset = "toy"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nmae = 'x'", ["nmae", "name"]),
        ("name = ", ["not TOML"]),
        ("name = 3", ["name = 3", "text"]),
        ("pairs = 'many'", ["pairs", "number of pairs"]),
        ("pairs = 99999999999999", ["99,999,999,999,999 pairs", "1 to 10,000"]),
        (f"pairs = {'9' * 5000}", ["not TOML", "digits"]),
        (f"pairs = {'[' * 5000}{']' * 5000}", ["nested too deep"]),
        ("pairs = [[1, 2, 3]]", ["[1, 2, 3]", "order seed and seed"]),
        ("pairs = [[1, -2]]", ["seed = -2", "0 to"]),
        ("[[pairs]]\nsed = 1", ["sed", "seed"]),
        ("[base]\nepohcs = 3", ["base", "epohcs", "epochs"]),
        ("[base]\nepochs = 0", ["base", "epochs = 0", "from 1"]),
        ("base = 3", ["base = 3", "table"]),
        ("arms = 3", ["[[arms]]"]),
        ("[[arms]]\nmethod = 'emr'", ["arm 1", "label"]),
        (f"{HEAD}[[arms]]\nlabel = 'A'\nmetod = 'emr'", ["arm 'A'", "metod", "method"]),
        (f"{HEAD}[[arms]]\nlabel = 'A'\nmethod = 'emmr'", ["arm 'A'", "emmr", "emr"]),
        (f"{HEAD}[[arms]]\nlabel = 'A'\n'method.fsat' = 'x'", ["method.fsat", "method.fast"]),
    ],
)
def test_a_typo_is_named_with_what_would_be_right(text: str, words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        toml.read(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml")
    for word in words:
        assert word in str(caught.value)


def test_a_file_without_a_name_is_called_as_it_is(tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[[arms]]\nlabel = 'A'\n")
    assert toml.read_file(path).name == "mine"
    with pytest.raises(ConfigError, match="can't be read"):
        toml.read_file(tmp_path / "none.toml")
