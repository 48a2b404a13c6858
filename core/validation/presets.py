"""Conditions under which methods are compared: `strong`, this project's, and `released`.

A preset names settings of a run and, for methods that declare them, options. It says nothing of the
data, the method, sizes, seeds and what is recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.config import RunConfig
from core.options import plain, specs
from core.registry import methods

_DEFAULTS = {spec.name: spec.default for spec in specs(RunConfig)}


@dataclass(frozen=True)
class Preset:
    """What runs under these conditions have in common."""

    name: str
    about: str
    settings: Mapping[str, Any]
    options: Mapping[str, Any]  # of methods that declare them


RELEASED = Preset(
    "released",
    "as the paper's release trains",
    {
        "permutation": "release",
        "lemmas": "noun",
        "task_masking": True,
        "applicable": "type",
        "schedule": "constant",
        "clip_norm": 0.0,
        "label_smoothing": 0.1,
        "optimizer": "kept",
        "action_init": "glorot",
    },
    {
        "anchors": "each",
        "fisher_dropout": True,
        "adapter_formula": "release",
        "episodes": "overwrite",
        "fast_epochs": 5,
    },
)
STRONG = Preset(
    "strong",
    "those under which methods do best here",
    {name: _DEFAULTS[name] for name in RELEASED.settings}
    | {"task_masking": True, "schedule": "linear"},
    {},
)
PRESETS = {preset.name: preset for preset in (STRONG, RELEASED)}


def options_of(preset: Preset, method: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """The method's options under the preset: those stated, then the preset's that have an effect.

    The Oracle has no fast stage under either.
    """
    declared = {spec.name: spec for spec in specs(methods[method].options)}
    values = {name: spec.default for name, spec in declared.items()} | dict(stated)
    chosen = dict(stated)
    for name, value in preset.options.items():
        spec = declared.get(name)
        if spec is None or name in stated or (method, name) == ("oracle", "fast_epochs"):
            continue
        if spec.when is None or values[spec.when[0]] in spec.when[1:]:
            chosen[name] = value
    return chosen


def with_preset(config: RunConfig, name: str) -> RunConfig:
    """The run under these conditions; options of the method that it states stay as they are."""
    preset = PRESETS[name]
    options = options_of(preset, config.method, config.method_options)
    return config.with_(**preset.settings, method_options=options)


def preset_of(config: RunConfig) -> str:
    """The preset whose conditions the run has in full; empty where it is none."""
    for preset in PRESETS.values():
        settings = {name: getattr(config, name) for name in preset.settings}
        wanted = preset.options if preset.options else RELEASED.options
        mine = plain(config.options("method"))
        free = {n: v for n, v in config.method_options.items() if n not in wanted}
        expected = config.with_(method_options=options_of(preset, config.method, free))
        if settings == dict(preset.settings) and plain(expected.options("method")) == mine:
            return preset.name
    return ""
