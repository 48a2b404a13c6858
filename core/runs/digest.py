"""When two configurations are the same run: the digest of all that decides the result.

Left out are what is recorded, the device and the number of threads (they change the rounding, and
with that single rows, but not what is computed), and options without effect: a sampler where
nothing is kept, an option whose `when` does not hold. Options left unsaid count as their defaults.

A stored digest must keep its meaning while options are added and defaults change. Therefore a
setting is left out where it equals its `earlier` value (core.options.option): what a run did before
the option, or its present default, existed.

Files count by what they hold, not by where they lie (core.parser.contents).
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from core.config import OPTION_GROUPS, RECORDING, RunConfig, entry_of
from core.options import ConfigError, OptionSpec, build_options, specs
from core.parser.contents import of_model, of_vectors
from core.registry import methods

REVISION = 2  # 2: batches are drawn freely, not from examples of like length
"""Raise it where equal configurations learn otherwise than before and no option says so: runs of an
earlier revision then count as other runs."""

_WHERE = {"device", "threads"}  # where a run is carried out
_OF_MEMORY = {"sampler", "memory_size"}


def digest(config: RunConfig) -> str:
    """The configuration's digest; ConfigError where a name or an option is not known."""
    settings = decisive(config)
    for name, content in (("embeddings", of_vectors), ("encoder_model", of_model)):
        if name in settings:
            settings[name] = content(settings[name])
    return digest_of(settings)


def digest_of(settings: Mapping[str, Any], revision: int | None = None) -> str:
    """The digest of decisive settings (of today's revision)."""
    text = json.dumps({"revision": revision or REVISION, **settings}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def digest_of_stored(text: str) -> str:
    """Of a configuration stored before runs had digests; empty where it can't be read.

    That was in revision 1, and what it leaves unsaid is what was done then.
    """
    try:
        return digest_of(decisive(RunConfig.from_json(text), unsaid=False), 1)
    except (ValueError, TypeError, AttributeError):
        return ""


def decisive(config: RunConfig, *, unsaid: bool = True) -> dict[str, Any]:
    """The settings that decide the result, options as `method.name`, without `earlier` values."""
    left_out = {*_WHERE, *RECORDING}
    groups = list(OPTION_GROUPS)
    if not methods[config.method].memory:
        left_out |= _OF_MEMORY
        groups.remove("sampler")
    settings = {
        spec.name: getattr(config, spec.name)
        for spec in specs(RunConfig)
        if spec.name not in left_out and getattr(config, spec.name) != spec.earlier
    }
    for which in groups:
        for spec, value, stated in _options(config, which):
            if (stated or unsaid) and value != spec.earlier:
                settings[f"{which}.{spec.name}"] = value
    return settings


def _options(config: RunConfig, which: str) -> list[tuple[OptionSpec, Any, bool]]:
    """The options with an effect: how declared, their value, whether the config states them."""
    entry, given = entry_of(which, getattr(config, which)), getattr(config, f"{which}_options")
    try:
        options = build_options(entry.options, given)
    except ConfigError as error:
        raise ConfigError(f"{entry.name}.{error}") from error
    rows = []
    for spec in specs(entry.options):
        if spec.when is None or getattr(options, spec.when[0]) in spec.when[1:]:
            rows.append((spec, getattr(options, spec.name), spec.name in given))
    return rows
