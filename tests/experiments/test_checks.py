"""What can't be run is refused in a sentence that names arm, pair and what would be right."""

from dataclasses import replace

import pytest

from core.config import RunConfig
from core.data.base import DataMissing
from core.experiments.checks import check
from core.experiments.experiment import Arm, Experiment, Pair, crossed, default_pairs
from core.experiments.presets import presets
from core.experiments.presets.parts import ENCODERS
from core.options import ConfigError


def refused(experiment: Experiment) -> str:
    with pytest.raises(ConfigError) as caught:
        check(experiment)
    return str(caught.value)


def test_a_good_one_passes(small: Experiment) -> None:
    check(small)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "finetune", "sampler": "random"}, ["keeps no memory", "leave it out"]),
        ({"method": "emr", "memory_size": 11}, ["memory_size = 11", "'zoo'", "10"]),
        ({"method": "emr", "memory_size": 0}, ["memory_size = 0", "from 1", "0 for a method"]),
        ({"method": "emr", "memory_size": -5}, ["memory_size = -5", "from 1", "0 for a method"]),
        ({"method": "nothing"}, ["nothing", "emr"]),
        ({"method.fats": 1}, ["fats", "is not an option"]),
        ({"epocs": 1}, ["epocs", "epochs"]),
        ({"epochs": 0}, ["epochs = 0", "from 1"]),
        ({"seed": 3}, ["seed comes with the pairs"]),
        ({"embeddings": "none.txt"}, ["none.txt", "no such file"]),
        ({"task_order": ("zoo", "moon")}, ["moon", "port"]),
        ({"task_order": ("zoo",)}, ["1 task", "at least 2"]),
        ({"dataset": "nowhere"}, ["nowhere", "toy"]),
    ],
)
def test_an_arm_that_cannot_be_run_is_named(small: Experiment, settings, words) -> None:
    bad = small.with_(arms=(*small.arms, Arm("bad one", settings)))
    sentence = refused(bad)
    for word in ["bad one", *words]:
        assert word in sentence


def test_the_pair_is_named_where_its_order_is_wrong(small: Experiment) -> None:
    pairs = (*small.pairs, Pair(0, 9, ("zoo", "sun")))
    assert "order zoo, sun, seed 9" in refused(small.with_(pairs=pairs))


@pytest.mark.parametrize(
    "make", [lambda: default_pairs(10**14), lambda: crossed(*[range(10**5)] * 2)]
)
def test_too_many_pairs_are_refused_before_they_are_made(make) -> None:
    with pytest.raises(ConfigError, match="expected 1 to 10,000"):
        make()


def test_no_arm_no_pair_no_name(small: Experiment) -> None:
    assert "no arm" in refused(small.with_(arms=()))
    assert "0 pairs" in refused(small.with_(pairs=()))
    assert "0.0625" in refused(small.with_(pairs=()))
    assert "name" in refused(small.with_(name=" "))


def test_what_is_there_twice_is_refused(small: Experiment) -> None:
    assert "'plain' is there 2 times" in refused(small.with_(arms=(*small.arms, small.arms[0])))
    twin = Arm("twin", {"method": "emr", "method.replay": "sample", "threads": 2})
    assert "'replay' and 'twin' are the same" in refused(small.with_(arms=(*small.arms, twin)))
    assert "order 1, seed 1" in refused(small.with_(pairs=(*small.pairs, small.pairs[0])))


def test_too_many_cells_are_counted(small: Experiment) -> None:
    many = small.with_(pairs=crossed(range(1, 101), range(100)))
    assert "2 arms × 10,000 pairs are 20,000 cells" in refused(many)


def test_a_data_set_that_is_not_here_names_the_arm(small, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path))
    arms = (*small.arms, Arm("real", {"method": "emr", "dataset": "overnight"}))
    with pytest.raises(DataMissing, match=r"Arm 'real'.*data get overnight"):
        check(small.with_(arms=arms))


def test_an_arm_without_memory_ignores_that_of_the_base(small: Experiment) -> None:
    base = small.base.with_(method="emr", sampler="fss", memory_size=2)
    experiment = replace(small, base=base)
    check(experiment)
    assert experiment.arm_config(experiment.arms[0]).sampler == RunConfig.sampler
    assert experiment.arm_config(experiment.arms[1]).sampler == "fss"


def test_pairs_go_outside_arms(small: Experiment) -> None:
    order = [(pair, arm) for pair, arm, _ in small.configs()]
    assert order == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    config = list(small.configs())[3][2]
    assert (config.order_seed, config.seed, config.method) == (2, 2, "emr")
    assert default_pairs(2) == (Pair(1, 1), Pair(2, 2))


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", list(presets))
def test_every_preset_can_be_run(name: str, real_data, monkeypatch) -> None:
    no_bert = "core.parser.transformer.check_model"  # BERT isn't here
    monkeypatch.setattr(no_bert, lambda config: None)
    check(presets[name].value())


def test_a_table_of_encoders_says_what_it_takes(small: Experiment, monkeypatch, tmp_path) -> None:
    table = presets["table4-overnight"].value()
    settings = [arm.settings for arm in table.arms]
    assert [each["encoder_trained"] for each in settings] == ["yes"] * 6 + ["no"] * 6
    for arm in table.arms:
        assert table.arm_config(arm).encoder_model.endswith("bert-base-uncased")
    elsewhere = replace(table, base=table.base.with_(encoder_model="/models/bert"))
    assert elsewhere.arm_config(table.arms[0]).encoder_model == "/models/bert"
    here = replace(small, arms=(Arm("BERT", {"method": "finetune", **ENCODERS["BERT fixed"]}),))
    monkeypatch.setattr("core.parser.pretrained.encoders", lambda: ("lstm",))
    assert "takes the package transformers: pip install -r" in refused(here)
    monkeypatch.setattr("core.parser.pretrained.encoders", lambda: ("lstm", "transformer"))
    monkeypatch.setattr("core.parser.pretrained._fetched", lambda name: tmp_path)
    assert "the folder has no config.json" in refused(here)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert "the folder has no weights; expected model.safetensors" in refused(here)


def test_the_demo_preset_can_be_run() -> None:
    experiment = presets["demo"].value()
    check(experiment)
    assert (len(experiment.arms), len(experiment.pairs)) == (3, 5)
