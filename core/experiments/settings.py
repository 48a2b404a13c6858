"""Settings by name on a base configuration: `epochs`, or `method.fast_epochs` for an option."""

import difflib
from collections.abc import Mapping
from typing import Any

from core.config import OPTION_GROUPS, RunConfig, entry_of
from core.options import ConfigError, specs
from core.registry import methods
from core.validation.defaults import DEFAULTS, default_sampler

_OF_MEMORY = ("sampler", "memory_size")


def with_settings(base: RunConfig, settings: Mapping[str, Any]) -> RunConfig:
    """The base with these settings, as the command line would understand them.

    The base's options for a method, sampler or data set that is replaced don't count. Where the
    method changes and no sampler is named, it is the method's own; one that keeps no memory takes
    over nothing that concerns it. ConfigError names what is not a setting or not allowed.
    """
    changes: dict[str, Any] = {}
    options: dict[str, dict[str, Any]] = {}
    for name, value in settings.items():
        which, dot, option = name.partition(".")
        if dot and which in OPTION_GROUPS:
            options.setdefault(which, {})[option] = value
        elif name in DEFAULTS:
            changes[name] = value
        else:
            raise ConfigError(unknown(name, names_of(base, settings)))
    if changes.get("method", base.method) != base.method:
        changes = _of_memory(changes) | changes
    for which in OPTION_GROUPS:
        kept = changes.get(which, getattr(base, which)) == getattr(base, which)
        before = dict(getattr(base, f"{which}_options")) if kept else {}
        changes[f"{which}_options"] = before | options.get(which, {})
    config = base.with_(**changes)
    for which in OPTION_GROUPS:
        config.options(which)
    return config


def _of_memory(changes: Mapping[str, Any]) -> dict[str, Any]:
    """What a change of the method changes beside it."""
    method = changes["method"]
    if methods[method].memory:
        return {"sampler": default_sampler(method)}
    return {name: DEFAULTS[name] for name in _OF_MEMORY}


def names_of(base: RunConfig, settings: Mapping[str, Any]) -> list[str]:
    """Every setting that there is beside these."""
    names = [spec.name for spec in specs(RunConfig)]
    for which in OPTION_GROUPS:
        entry = entry_of(which, settings.get(which, getattr(base, which)))
        names += [f"{which}.{spec.name}" for spec in specs(entry.options)]
    return names


def unknown(name: str, names: list[str], what: str = "setting") -> str:
    """The sentence that a name is none of these, with the nearest of them."""
    near = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names)}."
    return f"'{name}' is not a {what}; {hint}"
