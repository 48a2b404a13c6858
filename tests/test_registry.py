"""What is registered is checked at once; labels are those given, also where nothing is imported."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from core.methods.base import Method
from core.options import ConfigError, option
from core.paths import PROJECT
from core.registry import (
    DatasetEntry,
    MethodEntry,
    NotationEntry,
    RegistrationError,
    Registry,
    SamplerEntry,
    datasets,
    methods,
    notations,
    samplers,
)

THIS = r"tests/test_registry\.py: "
ENTRIES = {
    "dataset": DatasetEntry,
    "sampler": SamplerEntry,
    "method": MethodEntry,
    "notation": NotationEntry,
}
REGISTRIES = {
    "dataset": datasets,
    "sampler": samplers,
    "method": methods,
    "notation": notations,
}


def fresh(kind: str) -> Registry[Any]:
    """A registry of this kind that shares nothing with the project's."""
    return Registry(kind, REGISTRIES[kind].package, ENTRIES[kind])


def sampler(examples: Any, size: int, options: Any, rng: Any, parser: Any) -> None:
    """Keeps nothing."""


def dataset(options: Any) -> None:
    """No tasks."""


class Learns(Method):
    """Learns."""


RIGHT = {"sampler": sampler, "dataset": dataset, "method": Learns}


def without_docstring(options: Any) -> None:
    pass


def without_options() -> None:
    """No tasks."""


def without_parser(examples: Any, size: int, options: Any, rng: Any) -> None:
    """Keeps nothing."""


def must_be_stopped(
    examples: Any, size: int, options: Any, rng: Any, parser: Any, should_stop: Any
) -> None:
    """Keeps nothing."""


class NoMethod:
    """Learns nothing."""


@dataclass
class Thawed:
    """Options that can be changed."""


@dataclass(frozen=True)
class Bare:
    """A field that forms would not show."""

    size: int = 1


class WithBare(Learns):
    """Learns."""

    Options = Bare


WRONG: list[tuple[str, Any, dict[str, Any], str]] = [
    ("dataset", without_options, {}, r"expected def … \(options\) -> tuple\[Task, …\]"),
    ("dataset", without_docstring, {}, "it has no docstring; expected one"),
    ("dataset", dataset, {"options": Thawed}, "Thawed; expected a frozen dataclass"),
    ("dataset", dataset, {"options": Bare}, r"size is no option; expected option\(default, help\)"),
    ("dataset", dataset, {"label": ""}, "expected a label"),
    ("dataset", dataset, {"licence": 3}, "licence = 3; expected str"),
    ("dataset", dataset, {"rank": "first"}, "rank = 'first'; expected float"),
    ("dataset", dataset, {"parser": True}, "no trait parser; there are: label, options, rank, fol"),
    ("sampler", without_parser, {}, r"expected def … \(examples, size, options, rng, parser\)"),
    (
        "sampler",
        must_be_stopped,
        {},
        "any further argument with a default: should_stop: .* = never",
    ),
    ("sampler", NoMethod, {}, r"expected def … \(examples, size, options, rng, parser\)"),
    ("sampler", sampler, {"parser": "yes"}, "parser = 'yes'; expected bool"),
    ("sampler", sampler, {"praser": True}, "no trait praser; there are: .*parser"),
    ("method", NoMethod, {}, r"expected a class that inherits from core\.methods\.base\.Method"),
    ("notation", NoMethod, {}, r"expected a class that inherits from core\.language\.notations"),
    ("method", sampler, {}, r"expected a class that inherits from core\.methods\.base\.Method"),
    ("method", WithBare, {}, "size is no option"),
    ("method", Learns, {"memory": True}, "expected memory=True and, as sampler=…"),
    ("method", Learns, {"sampler": "random"}, "expected memory=True and, as sampler=…"),
    ("method", Learns, {"fisher": 1}, r"fisher = 1; expected bool \| str"),
]


@pytest.mark.parametrize(("kind", "value", "traits", "fault"), WRONG)
def test_what_is_wrong_is_refused_where_it_is_written(kind, value, traits, fault) -> None:
    registry = fresh(kind)
    with pytest.raises(RegistrationError) as refusal:
        registry.register("strange", **{"label": "Strange", **traits})(value)
    said = str(refusal.value)
    assert re.match(rf"{THIS}{kind} 'strange' \({value.__qualname__}\): ", said)
    assert re.search(fault, said), said
    assert registry.declared("strange", "label") is None


@pytest.mark.parametrize("kind", RIGHT)
def test_what_needs_nothing_is_registered_with_a_label_alone(kind: str) -> None:
    registry = fresh(kind)
    assert registry.register("plain", label="LwF")(RIGHT[kind]) is RIGHT[kind]
    assert registry.declared("plain", "label") == "LwF"
    assert registry["plain"].summary
    assert registry["plain"].options() is not None


def test_a_name_that_the_command_line_would_split_is_refused() -> None:
    with pytest.raises(RegistrationError, match="expected small letters, digits, _ and -"):
        fresh("dataset").register("my data", label="Mine")(dataset)


def test_a_name_belongs_to_the_file_that_has_it() -> None:
    where = r"core/methods/finetune\.py has this name already"
    with pytest.raises(RegistrationError, match=THIS + ".*" + where):
        methods.register(next(iter(methods)), label="Mine")(Learns)


def test_a_sampler_without_parser_reads_none() -> None:
    registry = fresh("sampler")
    registry.register("plain", label="Plain")(sampler)
    assert registry["plain"].parser is False


@pytest.mark.parametrize("kind", REGISTRIES)
def test_a_name_that_is_not_registered_is_answered_with_those_that_are(kind: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        REGISTRIES[kind]["strange"]
    assert f"{kind} 'strange' is not known" in str(refusal.value)
    assert all(name in str(refusal.value) for name in REGISTRIES[kind])


@pytest.mark.parametrize("kind", REGISTRIES)
def test_what_a_file_declares_is_read_without_importing_it(kind: str) -> None:
    by_file, missing = fresh(kind), "strange"
    assert by_file.declared(missing, "label") is None
    traits = ["label", "rank", *["memory", "sampler"] * (kind == "method")]
    for name, entry in REGISTRIES[kind].items():
        if entry.value.__module__.startswith("core."):
            for trait in traits:
                assert by_file.declared(name, trait) == getattr(entry, trait), (name, trait)


@pytest.mark.slow
def test_names_for_people_load_no_torch() -> None:
    code = (
        "import sys\nfrom core.registry import methods\n"
        "assert methods.declared('derpp', 'label') == 'DER++'\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=PROJECT)


def test_an_option_made_by_option_is_accepted() -> None:
    @dataclass(frozen=True)
    class Options:
        """One."""

        size: int = option(1, "how many", low=1)

    register: Callable[[Any], Any] = fresh("sampler").register(
        "plain", label="Plain", options=Options
    )
    assert register(sampler) is sampler
