"""Two configurations are the same run where nothing differs that decides the result."""

from dataclasses import dataclass, replace

import pytest

from core.config import OPTION_GROUPS, RECORDING, RunConfig
from core.options import ConfigError, OptionSpec, option, specs
from core.registry import methods
from core.runs import digest as module
from core.runs.digest import digest, digest_of_stored

WITHOUT_EFFECT = {"device", "threads", *RECORDING}


def another(spec: OptionSpec, value: object) -> object:
    """An allowed value other than this one."""
    if spec.choices is not None:
        return next(choice for choice in spec.choices if choice != value)
    if spec.type is bool:
        return not value
    if spec.type is str:
        return f"{value}x"
    if spec.type is tuple:
        return ("zoo", "port")
    return value + 1 if spec.high is None or value + 1 <= spec.high else (value + spec.high) / 2


@pytest.mark.parametrize("spec", specs(RunConfig), ids=lambda spec: spec.name)
def test_every_setting_that_decides_the_result_changes_the_digest(spec: OptionSpec) -> None:
    base = RunConfig(dataset="toy", method="emr", sampler="random")
    values = {"dataset": "demo", "method": "gem", "sampler": "fss", "device": "cuda:0"}
    value = values.get(spec.name) or another(spec, getattr(base, spec.name))
    same = digest(base.with_(**{spec.name: value})) == digest(base)
    assert same == (spec.name in WITHOUT_EFFECT)


@pytest.mark.parametrize("name", list(methods))
def test_options_left_unsaid_are_their_defaults(name: str) -> None:
    base = RunConfig(method=name)
    stated = {spec.name: spec.default for spec in specs(methods[name].options)}
    assert digest(base.with_(method_options=stated)) == digest(base)


def test_settings_without_effect_decide_nothing() -> None:
    plain = RunConfig(method="finetune")
    assert digest(plain.with_(sampler="fss", memory_size=7)) == digest(plain)
    recall = RunConfig(method="total_recall", method_options={"fast": "none"})
    more = {"fast": "none", "fast_epochs": 9}
    assert digest(recall.with_(method_options=more)) == digest(recall)
    assert digest(recall.with_(method_options={"fast_epochs": 9})) != digest(recall)


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(ConfigError, match=r"emr\.fats is not an option"):
        digest(RunConfig(method="emr", method_options={"fats": 1}))


@dataclass(frozen=True)
class _NowWithMore:
    """Options of a later version: a new one, and a default that has changed."""

    new: str = option("off", "", choices=("off", "on"))
    epochs: int = option(0, "", earlier=5)


def test_a_digest_keeps_its_meaning_when_options_come_and_defaults_change(monkeypatch) -> None:
    @dataclass(frozen=True)
    class Before:
        epochs: int = option(5, "")

    def under(options: type, **given: object) -> str:
        changed = replace(methods["oracle"], options=options)
        monkeypatch.setattr(
            module, "entry_of", lambda which, n: changed if which == "method" else real(which, n)
        )
        return digest(RunConfig(method="oracle", method_options=given))

    real = module.entry_of
    before = under(Before)
    assert under(_NowWithMore) != before  # unsaid is 0 by now
    assert under(_NowWithMore, epochs=5) == before
    assert under(Before, epochs=7) == under(_NowWithMore, epochs=7)
    assert under(_NowWithMore, epochs=5, new="on") != before


def test_a_configuration_stored_before_there_were_digests(monkeypatch) -> None:
    config = RunConfig(method="emr", sampler="random", method_options={"replay": "joint"})
    with monkeypatch.context() as patch:
        patch.setattr(module, "REVISION", 1)
        then = digest(config)
    assert digest_of_stored(config.to_json()) == then != digest(config)
    assert digest_of_stored('{"method": "emr", "gone": 1}') == ""
    assert set(OPTION_GROUPS) == {"dataset", "method", "sampler"}


def test_a_later_revision_of_what_is_learned_is_another_run(monkeypatch) -> None:
    before = digest(RunConfig())
    monkeypatch.setattr(module, "REVISION", module.REVISION + 1)
    assert digest(RunConfig()) != before
