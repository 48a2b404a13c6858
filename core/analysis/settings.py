"""What runs are called by their settings: the method's name, and in what runs differ."""

import json
from collections.abc import Collection, Sequence
from typing import Any

from core.config import OPTION_GROUPS, RECORDING, RunConfig
from core.data.naming import file_name
from core.methods.parts.variants import NAMING, variant
from core.options import specs
from core.registry import methods

_OF_MEMORY = ("memory_size", "sampler")
_NAMED = {f"method.{name}" for name in NAMING}  # the method's name says them


def method_name(config: RunConfig) -> str:
    """The method's name with what its options add; loads no method, so that no torch is needed."""
    label = methods.declared(config.method, "label")
    return (label or config.method.replace("_", " ").capitalize()) + variant(config.method_options)


def settings(config: RunConfig) -> dict[str, Any]:
    """All settings with an effect in one flat table, options of a method as `method.name`."""
    flat = {spec.name: getattr(config, spec.name) for spec in specs(RunConfig)}
    if methods.declared(config.method, "memory") is False:
        flat = {name: value for name, value in flat.items() if name not in _OF_MEMORY}
    for which in OPTION_GROUPS:
        for name, value in getattr(config, f"{which}_options").items():
            flat[f"{which}.{name}"] = value
    return flat


def same_settings(config: RunConfig, leave_out: Collection[str] = ()) -> str:
    """A text that is equal for configs with equal settings, but for these and what is recorded."""
    flat = settings(config)
    return json.dumps(
        {name: flat[name] for name in flat if name not in RECORDING and name not in leave_out},
        sort_keys=True,
    )


def differing(configs: Sequence[RunConfig], leave_out: Collection[str] = ()) -> list[list[str]]:
    """For each config its settings that are not the same in all, as words: `memory size 25`.

    A method's options and its sampler count only beside configs of the same method: elsewhere its
    name says enough. What a run records is left out, for it changes no result.
    """
    tables = [settings(config) for config in configs]
    names = [method_name(config) for config in configs]
    words: list[list[str]] = [[] for _ in configs]
    for name in dict.fromkeys(name for table in tables for name in table):
        if name in leave_out or name in RECORDING or name in _NAMED:
            continue
        of_method = name.startswith(("method.", "sampler"))
        compared = names if of_method else [""] * len(configs)
        values: dict[str, set[str]] = {}
        for among, table in zip(compared, tables, strict=True):
            if name in table or of_method or "." in name:
                values.setdefault(among, set()).add(repr(table.get(name)))
        for own, among, table in zip(words, compared, tables, strict=True):
            if name in table and len(values[among]) > 1:
                own.append(f"{in_words(name)} {show_setting(name, table[name])}")
    return words


def show_setting(name: str, value: Any) -> str:
    """The value of a setting as text; an imported file by its name, for nobody knows a digest."""
    return file_name(value) if name == "dataset.file" and value else show(value)


def in_words(name: str) -> str:
    """`memory_size` and `method.fast_epochs` as people write them; `dataset.seed` with its noun."""
    which, _, setting = name.rpartition(".")
    words = f"{which} {setting}".split() if which == "dataset" else [setting]
    return " ".join(_as_written(w) for word in words for w in word.split("_"))


def _as_written(word: str) -> str:
    """A method's name among the words as its label, where that is an acronym."""
    label = methods.declared(word, "label") or word
    return "MB" if word == "mb" else label if label.isupper() else word


def show(value: Any) -> str:
    """A setting's value as text."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value)) or "all"
    return f"{value:g}" if isinstance(value, float) else str(value) or "none"
