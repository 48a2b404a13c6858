"""What methods need, and what is refused: over the registry, so that new methods are covered."""

from collections.abc import Iterator
from typing import Any

import pytest

from core import validation
from core.config import OPTION_GROUPS, RunConfig
from core.options import ConfigError, OptionSpec, specs
from core.registry import methods, samplers
from core.validation import default_sampler, requirements

WITH_MEMORY = [name for name in methods if methods[name].memory]
WITHOUT = [name for name in methods if name not in WITH_MEMORY]


def with_default_sampler(name: str, **changes: Any) -> RunConfig:
    """The method as its own paper runs it."""
    return RunConfig(method=name, sampler=default_sampler(name), **changes)


def conditional() -> Iterator[tuple[str, str, OptionSpec]]:
    """Every option of a method or sampler that depends on another one."""
    for which, registry in OPTION_GROUPS.items():
        for name, entry in registry.items():
            for spec in specs(entry.options):
                if spec.when is not None:
                    yield which, name, spec


@pytest.mark.parametrize("name", list(methods))
def test_every_method_is_accepted_with_its_default_sampler_and_the_default_one(name) -> None:
    validation.check(with_default_sampler(name))
    validation.check(RunConfig(method=name))


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_every_method_with_a_memory_names_its_default_sampler(name) -> None:
    assert methods[name].sampler in samplers
    said = requirements(methods[name])
    assert "a memory of each finished task" in said
    assert samplers[default_sampler(name)].label in said


def test_samplers_are_those_of_the_methods_papers() -> None:
    papers = {
        "ewc": "random",
        "gem": "random",
        "agem": "random",
        "emr": "random",
        "derpp": "random",
        "arper": "prior",
        "total_recall": "dlfs",
    }
    assert {name: default_sampler(name) for name in papers} == papers


@pytest.mark.parametrize("name", WITHOUT)
def test_a_method_without_memory_says_so(name) -> None:
    assert "memory" not in requirements(methods[name])


@pytest.mark.parametrize("name", WITH_MEMORY)
def test_a_memory_of_no_rows_is_refused_where_one_is_needed(name) -> None:
    with pytest.raises(ConfigError, match=r"memory_size = 0: .* needs a memory"):
        validation.check(with_default_sampler(name, memory_size=0))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sampler": "random"}, "sampler = 'random' has no effect"),
        ({"memory_size": 10}, "memory_size = 10 has no effect"),
        ({"sampler_options": {"similarity": "productions"}}, "dlfs.similarity has no effect"),
    ],
)
@pytest.mark.parametrize("name", WITHOUT)
def test_what_is_said_of_a_memory_is_refused_where_there_is_none(name, changes, said) -> None:
    with pytest.raises(ConfigError) as refusal:
        validation.check(RunConfig(method=name, **changes))
    assert said in str(refusal.value)
    assert methods[name].label in str(refusal.value)
    validation.check(RunConfig(method=name, memory_size=0))  # which is so


@pytest.mark.parametrize(
    ("which", "name", "spec"), list(conditional()), ids=lambda v: getattr(v, "name", v)
)
def test_an_option_that_another_one_leaves_without_effect_is_refused(which, name, spec) -> None:
    declared = {option.name: option for option in specs(OPTION_GROUPS[which][name].options)}
    deciding, *values = spec.when
    switch = declared[deciding]
    idle = next(value for value in switch.choices if value not in values)

    def config(value: str) -> RunConfig:
        options = {deciding: value, spec.name: spec.default}
        return RunConfig(**{which: name, f"{which}_options": options})

    with pytest.raises(ConfigError) as refusal:
        validation.check(config(idle))
    for part in (f"{name}.{spec.name}", f"{deciding} = '{idle}'", f"choose {deciding} = "):
        assert part in str(refusal.value)
    for value in values:
        validation.check(config(value))


def test_an_option_without_effect_is_refused_with_the_default_of_the_other_too() -> None:
    with pytest.raises(ConfigError, match=r"ewc_weight = 9\.0 has no effect with penalty = 'none'"):
        validation.check(RunConfig(method="total_recall", method_options={"ewc_weight": 9.0}))


@pytest.mark.parametrize("name", ["ewc", "arper", "total_recall"])
def test_a_negative_weight_is_refused(name) -> None:
    with pytest.raises(ConfigError, match=r"ewc_weight = -1.0: expected a number from 0"):
        validation.check(with_default_sampler(name, method_options={"ewc_weight": -1.0}))


def test_an_option_that_the_method_has_not_is_answered_with_those_that_it_has() -> None:
    said = r"emr.lwf is not an option; there are: replay, replay_rows, fast_epochs\."
    with pytest.raises(ConfigError, match=said):
        validation.check(with_default_sampler("emr", method_options={"lwf": 2}))
    with pytest.raises(ConfigError, match=r"method 'sgd' is not known; there are: finetune"):
        validation.check(RunConfig(method="sgd"))
