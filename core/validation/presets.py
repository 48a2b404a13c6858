"""Conditions under which methods are compared, `strong` and `released`, and small runs to begin
with, `demo` and `quick`.

A preset names settings of a run and, for methods that declare them, options. Conditions say nothing
of the data, the method, sizes, seeds and what is recorded; small runs say data and sizes alone.
"""

from collections.abc import Mapping, Sequence
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
    label: str
    about: str
    settings: Mapping[str, Any]
    options: Mapping[str, Any]  # of methods that declare them


RELEASED = Preset(
    "released",
    "Paper, as released",
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
    "Strong",
    "those under which methods do best here",
    {name: _DEFAULTS[name] for name in RELEASED.settings}
    | {"task_masking": True, "schedule": "linear"},
    {},
)
PRESETS = {preset.name: preset for preset in (STRONG, RELEASED)}

_SMALL: Mapping[str, Any] = {
    "epochs": 8,
    "batch_size": 32,
    "learning_rate": 0.006,
    "word_size": 64,
    "hidden_size": 96,
}
_WHOLE: Mapping[str, Any] = {name: _DEFAULTS[name] for name in ("task_order", "order_seed")}
DEMO = Preset(
    "demo",
    "Demo",
    "six made-up domains, learned by a small parser",
    {"dataset": "demo", "dataset_options": {}, **_WHOLE, **_SMALL},
    {},
)
QUICK_TASKS = 3
QUICK = Preset(
    "quick",
    f"Quick check: {QUICK_TASKS} tasks",
    f"the first {QUICK_TASKS} tasks of the data set, learned by a small parser",
    {**_SMALL, "epochs": 3},
    {},
)
SMALL_RUNS = {preset.name: preset for preset in (DEMO, QUICK)}


def demo_configs() -> tuple[RunConfig, RunConfig]:
    """The demo's two runs: fine-tuned, and with Total Recall."""
    base = RunConfig(**DEMO.settings)
    return base.with_(method="finetune"), base


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


def changed_to(config: RunConfig, name: str, tasks: Sequence[str] = ()) -> RunConfig:
    """The run as the preset has it: without options that other conditions have set, of the demo
    in full. `tasks`: those of its data set, of which `quick` takes the first.
    """
    if name in PRESETS:
        others = {n for preset in PRESETS.values() for n in preset.options}
        free = {n: v for n, v in config.method_options.items() if n not in others}
        return with_preset(config.with_(method_options=free), name)
    if name == DEMO.name:
        return RunConfig(**DEMO.settings, method=config.method)
    first = config.task_order or tuple(tasks)
    return config.with_(**QUICK.settings, task_order=first[:QUICK_TASKS])


def preset_of(config: RunConfig) -> str:
    """The preset whose conditions the run has in full; empty where it is none."""
    for preset in PRESETS.values():
        if not _has(config, preset):  # before what loads the methods, and PyTorch with them
            continue
        wanted = preset.options if preset.options else RELEASED.options
        mine = plain(config.options("method"))
        free = {n: v for n, v in config.method_options.items() if n not in wanted}
        expected = config.with_(method_options=options_of(preset, config.method, free))
        if plain(expected.options("method")) == mine:
            return preset.name
    return ""


def presets_of(config: RunConfig) -> tuple[Preset, ...]:
    """All presets that the run equals, small runs first."""
    small = [
        preset
        for preset in SMALL_RUNS.values()
        if _has(config, preset) and (preset is DEMO or len(config.task_order) == QUICK_TASKS)
    ]
    conditions = preset_of(config)
    return (*small, *([PRESETS[conditions]] if conditions else []))


def presets_in_words(config: RunConfig) -> str:
    """The presets that the run equals: `strong (those under which …)`; empty where it is none."""
    return "; ".join(f"{preset.name} ({preset.about})" for preset in presets_of(config))


def _has(config: RunConfig, preset: Preset) -> bool:
    return all(getattr(config, name) == value for name, value in preset.settings.items())
