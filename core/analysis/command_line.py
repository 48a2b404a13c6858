"""A run's configuration as what to type to start it; core.commands.line reads it back."""

import shlex
from typing import Any

from core.config import RunConfig, changed


def command_line(config: RunConfig, own: str = "", *, keeps_memory: bool = True) -> str:
    """What to type to start a run of this config.

    `own` is the method's own sampler, which needs no words; where that is not known, words say it
    of a method that keeps a memory.
    """
    settings = dict(changed(config))
    if config.sampler == own or not keeps_memory:
        settings.pop("sampler", None)
    elif own or config.method != RunConfig.method:
        settings["sampler"] = config.sampler  # the default one may not be the method's own
    words = ["python", "-m", "core", "train"]
    by_kind = sorted(settings.items(), key=lambda item: isinstance(item[1], (list, tuple)))
    for name, value in by_kind:  # lists last: they take every word that follows
        words += _words(flag(name), value)
    return shlex.join(words)


def flag(name: str) -> str:
    """The word for an option: `method.fast_epochs` → `--method.fast-epochs`."""
    return "--" + name.replace("_", "-")


def _words(option: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [option if value else option.replace("--", "--no-", 1)]
    if isinstance(value, (list, tuple)):
        if any(item.startswith("-") for item in value):
            return [f"{option}={item}" for item in value]
        return [option, *value]
    text = str(value)
    return [f"{option}={text}"] if text.startswith("-") else [option, text]
