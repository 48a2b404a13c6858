"""A form drawn from declared options: one widget each, bound to the address, checked together."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.analysis.settings import in_words, show
from core.config import RunConfig
from core.options import ConfigError, OptionSpec, specs
from pages.shared.ui.address import LARGEST, follow, publish, read_whole
from pages.shared.ui.text import escape

SEED = next(spec for spec in specs(RunConfig) if spec.name == "seed")
_READ: dict[type, Callable[[str], Any]] = {
    bool: lambda text: {"on": True, "off": False}[text] if text in ("on", "off") else _no(text),
    int: read_whole,
    float: lambda text: value if math.isfinite(value := float(text)) else _no(text),
    str: str,
    tuple: lambda text: _names(text),
}


def _names(text: str) -> tuple[str, ...]:
    try:
        return tuple(next(csv.reader([text]), ()))
    except csv.Error as error:  # a line break
        raise ValueError(text) from error


def _no(text: str) -> Any:
    raise ValueError(text)


def read(spec: OptionSpec, text: str) -> Any:
    """An option's value from an address; ValueError where it is none of its type."""
    return _READ[spec.type](text)


def write(value: Any) -> str:
    """An option's value as it stands in an address; the inverse of `read`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (tuple, list)):
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(value)
        return line.getvalue()
    return str(value)


@dataclass
class Form:
    """Values given on a page so far, by name (`epochs`, `method.fast_epochs`), and what is wrong.

    Values are held as given; `errors` has a sentence for each that is not allowed.
    """

    values: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def draw(
        self,
        options: Iterable[OptionSpec],
        prefix: str = "",
        columns: int = 3,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """A widget for each option, in rows of so many; `labels` by name, where not its own."""
        for at, spec in enumerate(options):
            if at % columns == 0:
                row = st.columns(columns, vertical_alignment="bottom")
            with row[at % columns]:
                name = prefix + spec.name
                self.add(spec, name, _draw(spec, name, (labels or {}).get(spec.name, label(name))))

    def add(self, spec: OptionSpec, name: str, value: Any) -> None:
        """Take a value, and what is wrong with it."""
        self.values[name] = value
        try:
            self.values[name] = spec.check(value, name.removesuffix(spec.name))
        except ConfigError as error:
            self.errors.append(str(error))

    def below(self, prefix: str) -> dict[str, Any]:
        """The values whose name begins so, without the beginning."""
        start = len(prefix)
        return {name[start:]: v for name, v in self.values.items() if name.startswith(prefix)}


def explain(spec: OptionSpec) -> str:
    """An option's help: what it is, what may stand there, what stands there by default."""
    limits = "" if spec.type is bool else f" Expected: {escape(spec.allowed)}."
    return f"{escape(spec.help[:1].upper() + spec.help[1:])}.{limits} Default: {_default(spec)}."


def _default(spec: OptionSpec) -> str:
    return escape(show(spec.default))


def label(name: str) -> str:
    """The option's name as a label."""
    words = in_words(name)
    return words[:1].upper() + words[1:]


def _draw(spec: OptionSpec, name: str, text: str) -> Any:
    """The widget that fits the option's type; the number fields leave the range to the check."""
    key = follow(name, spec.default, lambda text: read(spec, text))
    help = explain(spec)
    value: Any
    if spec.type is bool:
        value = st.toggle(text, key=key, help=help)
    elif spec.choices is not None:
        if st.session_state[key] not in spec.choices:
            st.session_state[key] = spec.default
        asked = st.session_state[key]  # by an address, say, though it can't be had here
        shown = [choice for choice in spec.choices if choice in (*spec.offered, asked)]
        value = st.selectbox(text, shown, key=key, help=help)
    elif spec.type is int:
        value = st.number_input(text, step=1, key=key, help=help)
    elif spec.type is float:
        value = st.number_input(text, step=_step(spec), format="%g", key=key, help=help)
    elif spec.type is tuple:
        value = tuple(st.multiselect(text, [], key=key, help=help, accept_new_options=True))
    else:
        value = st.text_input(text, key=key, help=help)
    publish(name, None if value == spec.default else write(value))
    return value


def _step(spec: OptionSpec) -> float:
    """About a fifth to a half of the default, as a round number."""
    size = abs(spec.default) or (spec.high or 1.0) / 2
    return 10.0 ** math.floor(math.log10(size)) / 2


def _whole(digits: str) -> int:
    """Python refuses to read thousands of digits; no option goes as high as LARGEST."""
    return int(digits) if len(digits) < 100 else LARGEST


def read_seeds(text: str) -> tuple[int, ...]:
    """`0, 3 5-8` → (0, 3, 5, 6, 7, 8): commas or blanks between; ConfigError says what is wrong."""
    seeds: dict[int, None] = {}
    joined = re.sub(r"(?<=\d)\s*-\s*(?=\d)", "-", text.strip())  # a range, however it is spaced
    for part in re.split(r"\s*,\s*|\s+", joined):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ConfigError(
                f"seeds = {text[:100]!r}: expected whole numbers such as 0, 1, 2 or a range such "
                "as 0-4."
            )
        begin, end = (SEED.check(_whole(digits), "") for digits in (first, last or first))
        if not begin <= end <= begin + 99:
            raise ConfigError(f"seeds: {part} is no range of at most 100 seeds from low to high.")
        seeds.update(dict.fromkeys(range(begin, end + 1)))
    return tuple(seeds)
