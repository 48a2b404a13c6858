"""How options are declared.

Whoever uses an option declares it with `option(...)`: default, help, range. The launch form, the
command line and the checks are all drawn from these declarations.
"""

import tomllib
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from core.regular import read_text


class ConfigError(ValueError):
    """A configuration that can't be run: which option, which value, what is allowed."""


def option(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: Sequence[str] | None = None,
    offered: Callable[[], Collection[str]] | None = None,
    group: str = "",
    when: tuple[str, ...] | None = None,
    earlier: Any = MISSING,
    label: str = "",
    expected: str = "",
    suggested: tuple[str, ...] = (),
) -> Any:
    """A dataclass field that knows its help text and what values are allowed.

    `low` and `high` are inclusive; `choices` lists the allowed strings, `offered` gives those that
    can be had on this machine, where some need a package; `group` is a heading;
    `when` is another option's name and those of its values with which this one has an effect.
    `earlier` is the value that runs had which were made before this default (see core.runs.digest);
    say it where a default changes, or where a new option's default is not what was done before.
    `label` is what people call it, where its name alone does not say enough; `expected` what may
    stand here, where type and range do not say it all; `suggested` are texts that forms list.
    """
    declared = {
        "help": help,
        "low": low,
        "high": high,
        "choices": choices,
        "offered": offered,
        "group": group,
        "when": when,
        "earlier": default if earlier is MISSING else earlier,
        "label": label,
        "expected": expected,
        "suggested": suggested,
    }
    return field(default=default, metadata=declared)


@dataclass(frozen=True)
class OptionSpec:
    """A declared option, as forms and parsers need it."""

    name: str
    type: type  # bool, int, float, str or tuple (of strings)
    default: Any
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...] | None
    can_be_had: Callable[[], Collection[str]] | None
    group: str
    when: tuple[str, ...] | None
    earlier: Any  # the value that runs had which don't state one
    label: str  # what people call it; empty: its name in words
    expected: str  # what may stand here; empty: as type and range have it
    suggested: tuple[str, ...]  # texts that forms list, where any other may stand here too

    @property
    def offered(self) -> tuple[str, ...]:
        """The choices that can be had on this machine."""
        known = self.can_be_had() if self.can_be_had else self.choices
        return tuple(choice for choice in self.choices or () if choice in (known or ()))

    @property
    def allowed(self) -> str:
        """What may stand here, in words."""
        if self.expected:
            return self.expected
        if self.choices is not None:
            return "one of " + ", ".join(self.choices)
        words = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
        kind = words.get(self.type, "a list of names")
        if self.low is not None and self.high is not None:
            return f"{kind} from {self.low:,.12g} to {self.high:,.12g}"
        if self.low is not None:
            return f"{kind} of at least {self.low:,.12g}"
        return kind if self.high is None else f"{kind} of at most {self.high:,.12g}"

    def check(self, value: Any, where: str) -> Any:
        """The value in the option's type; ConfigError names option, value and what is allowed."""
        if self.type is tuple:
            names = [value] if isinstance(value, str) else value
            if isinstance(names, (list, tuple)) and all(isinstance(n, str) for n in names):
                return tuple(names)
        else:
            if self.type is float and isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            if type(value) is self.type and self._within(value):
                return value
        raise ConfigError(f"{where}{self.name} = {value!r}: expected {self.allowed}.")

    def _within(self, value: Any) -> bool:
        """Whether it is a choice, or a number neither lower nor higher than allowed."""
        if self.choices is not None:
            return value in self.choices
        too_low = self.low is not None and value < self.low
        too_high = self.high is not None and value > self.high
        is_number = bool(value == value)
        return is_number and not too_low and not too_high


@cache
def specs(options: type) -> tuple[OptionSpec, ...]:
    """The declared options of a dataclass, in order; fields not made by `option` are left out."""
    hints = typing.get_type_hints(options)
    return tuple(
        _spec(item, typing.get_origin(hints[item.name]) or hints[item.name])
        for item in fields(options)
        if "help" in item.metadata
    )


def _spec(item: Field[Any], kind: type) -> OptionSpec:
    declared = dict(item.metadata)
    choices = declared.pop("choices")
    return OptionSpec(
        name=item.name,
        type=kind,
        default=item.default if item.default is not MISSING else None,
        choices=None if choices is None else tuple(choices),
        can_be_had=declared.pop("offered"),
        **declared,
    )


def build_options(options: type, values: Mapping[str, Any], where: str = "") -> Any:
    """An `options` object from plain values; ConfigError on an unknown or wrong one."""
    declared = {spec.name: spec for spec in specs(options)}
    for name in values:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ConfigError(f"{where}{name} is not an option; there are: {known}.")
    return options(**{name: declared[name].check(value, where) for name, value in values.items()})


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file says; ConfigError names the file where it is not one."""
    try:
        return tomllib.loads(read_text(path))
    except RecursionError:
        raise ConfigError(f"{path}: its tables or lists are nested too deep.") from None
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror or error}.") from error
    except ValueError as error:  # no UTF-8, no TOML, a number of thousands of digits
        raise ConfigError(f"{path}: {error}.") from error


def plain(options: Any) -> dict[str, Any]:
    """An options object as plain values."""
    return asdict(options)
