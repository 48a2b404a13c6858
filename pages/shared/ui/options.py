"""A form drawn from declared options: one widget each, bound to the address, checked together."""

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.analysis.settings import in_words, show
from core.config import RunConfig
from core.options import ConfigError, OptionSpec, specs
from pages.shared.ui.address import follow, publish, read_whole
from pages.shared.ui.text import escape

MEMORY_SIZE = replace(next(s for s in specs(RunConfig) if s.name == "memory_size"), low=1)  # > 0
BOUNDLESS = 2**31 - 1  # people need not know this limit
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

    Values are held as given; `errors` has a sentence for each that is not allowed. With `beside`
    the sentence also stands below the field.
    """

    values: dict[str, Any] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)  # of what was drawn
    failed: dict[str, None] = field(default_factory=dict)  # labels of fields that are wrong
    beside: bool = False
    _below: dict[str, DeltaGenerator] = field(default_factory=dict)

    def draw(
        self,
        options: Iterable[OptionSpec],
        prefix: str = "",
        columns: int = 3,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """A widget for each option that has an effect, in rows of so many; `labels` by name, where
        not its own.
        """
        at = 0
        for spec in options:
            name = prefix + spec.name
            if spec.when is not None and not self._has_effect(spec.when, prefix):
                publish(name, None)
                continue
            if at % columns == 0:
                row = st.columns(columns, vertical_alignment="top" if self.beside else "bottom")
            with row[at % columns]:
                text = (labels or {}).get(spec.name, title(spec, name))
                value = draw_option(spec, name, text)
                self.add(spec, name, value, text)
            at += 1

    def add(self, spec: OptionSpec, name: str, value: Any, text: str = "") -> None:
        """Take a value of a field called `text`, and what is wrong with it."""
        self.values[name] = value
        self.field(name, text or title(spec, name))
        try:
            self.values[name] = spec.check(value, name.removesuffix(spec.name))
        except ConfigError:
            sentence = f"{self.labels[name]}: {shown(value)} can't be; expected {limits(spec)}."
            self.fail(name, sentence)

    def field(self, name: str, text: str) -> None:
        """A field of this name and label has been drawn here: what is wrong stands below it."""
        self.labels[name] = text
        self._below[name] = st.container()

    def fail(self, name: str, sentence: str) -> None:
        """Something is wrong with the field of this name; where none is, with the whole."""
        self.errors.append(sentence)
        self.failed[self.labels.get(name, label(name))] = None
        if self.beside and name in self._below:
            self._below[name].markdown(f":red[:material/error: {escape(sentence)}]")

    def below(self, prefix: str) -> dict[str, Any]:
        """The values whose name begins so, without the beginning."""
        start = len(prefix)
        return {name[start:]: v for name, v in self.values.items() if name.startswith(prefix)}

    def _has_effect(self, when: tuple[str, ...], prefix: str) -> bool:
        """Whether the other option, drawn before, has one of the values."""
        return prefix + when[0] not in self.values or self.values[prefix + when[0]] in when[1:]


def explain(spec: OptionSpec) -> str:
    """An option's help: what it is, what may stand there, what stands there by default."""
    within = "" if spec.type is bool else f" Expected: {escape(limits(spec))}."
    return f"{escape(_begun(spec.help))}.{within} Default: {escape(shown(spec.default))}."


def limits(spec: OptionSpec) -> str:
    """What may stand there, with ranges as people write them: `a whole number from 0 to 1,000`."""
    if spec.choices is not None or spec.type not in (int, float):
        return spec.allowed
    kind = "a whole number" if spec.type is int else "a number"
    low, high = spec.low, spec.high
    if high is not None and high >= BOUNDLESS:
        high = None
    least = "above 0" if low is not None and 0 < low < 1e-3 else ""
    if low is None or high is None:
        ends = [f"of at least {low:,g}"] if low is not None else []
        ends += [f"of at most {high:,g}"] if high is not None else []
        return " ".join([kind, *ends])
    most = f"{high:,.0f}" if high >= 1 and high == int(high) else f"{high:g}"
    return f"{kind} {least}, at most {most}" if least else f"{kind} from {low:,g} to {most}"


def shown(value: Any) -> str:
    """A value as people write it: `100,000`, `−5`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}".replace("-", "−")
    return show(value).replace("-", "−") if isinstance(value, float) else show(value)


def _begun(text: str) -> str:
    """The text with a capital at its start, but for symbols and for the names of choices."""
    first = text.split()[0] if text.split() else ""
    if len(first) < 2 or not first[0].isascii() or first.endswith(":"):
        return text
    return text[:1].upper() + text[1:]


def title(spec: OptionSpec, name: str) -> str:
    """The option's label, else its name in words."""
    return spec.label or label(name)


def setting(name: str) -> str:
    """The label of a setting of runs."""
    return title(next(spec for spec in specs(RunConfig) if spec.name == name), name)


def label(name: str) -> str:
    """A name as a label."""
    return _begun(in_words(name))


def draw_option(spec: OptionSpec, name: str, text: str) -> Any:
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
        only = len(shown) == 1 < len(spec.choices)  # the others can't be had here
        value = st.selectbox(text, shown, key=key, help=help, disabled=only)
    elif spec.type is int:
        value = st.number_input(text, step=1, key=key, help=help)
    elif spec.type is float:
        value = st.number_input(text, step=_step(spec), format="%g", key=key, help=help)
    elif spec.type is tuple:
        value = tuple(st.multiselect(text, [], key=key, help=help, accept_new_options=True))
    elif spec.suggested:
        texts = list(dict.fromkeys([*spec.suggested, st.session_state[key]]))
        value = st.selectbox(text, texts, key=key, help=help, accept_new_options=True)
    else:
        value = st.text_input(text, key=key, help=help)
    publish(name, None if value == spec.default else write(value))
    return value


def _step(spec: OptionSpec) -> float:
    """About a fifth to a half of the default, as a round number."""
    size = abs(spec.default) or (spec.high or 1.0) / 2
    return 10.0 ** math.floor(math.log10(size)) / 2
