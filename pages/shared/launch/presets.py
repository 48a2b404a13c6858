"""Where a form starts from: presets with what each sets in sight, and which of them it equals."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import streamlit as st

from core.analysis.settings import method_name
from core.config import RunConfig
from core.data.base import DataError
from core.data.naming import dataset_name
from core.options import ConfigError, specs
from core.registry import methods
from core.validation.presets import PRESETS, SMALL_RUNS, Preset, changed_to, presets_of
from pages.shared.access.datasets import task_rows
from pages.shared.access.runs import store
from pages.shared.launch.form import SPECS, parameters
from pages.shared.ui.options import shown, title
from pages.shared.ui.text import escape

KEPT = ("seeds", "vary_order", "runs", "run")  # of the address, whatever the form starts from
_FEW = ("dataset", "epochs", "batch_size", "learning_rate", "word_size", "hidden_size")


@dataclass(frozen=True)
class Start:
    """A place to start from."""

    name: str
    label: str
    sets: str  # in words
    equal: bool  # whether the form says this already


def draw_presets(config: RunConfig | None) -> None:
    """A button for each, and beside it what it sets; the form's config, None where it has none."""
    with st.container(border=True, gap="xsmall", key="launch_presets"):
        st.markdown("**Start from** a preset; everything can be changed below.")
        for start in _starts(config):
            left, right = st.columns([2, 5], vertical_alignment="center", gap="small")
            left.button(
                start.label,
                key=f"preset/{start.name}",
                width="stretch",
                icon=":material/check:" if start.equal else None,
                type="primary" if start.equal else "secondary",
                on_click=_apply,
                args=(start.name, config or RunConfig()),
            )
            right.caption(start.sets)


def _starts(config: RunConfig | None) -> Iterator[Start]:
    equal = presets_of(config) if config else ()
    for preset in (*SMALL_RUNS.values(), *PRESETS.values()):
        yield Start(preset.name, preset.label, sets(preset), preset in equal)
    last = store().runs(limit=1)
    if last:
        same = config is not None and config == last[0].config.with_(seed=0)
        run = last[0]
        words = f"Run {run.id}: {method_name(run.config)} on {dataset_name(run.config)}"
        yield Start("last", "My last run", escape(words), same)


def sets(preset: Preset) -> str:
    """What the preset sets, in words: labels and values."""
    settings = dict(preset.settings)
    if preset.name in SMALL_RUNS:
        settings = {name: settings[name] for name in _FEW if name in settings}
    words = [
        f"{title(SPECS[n], n)}: {shown(v)}"
        for n, v in settings.items()
        if v != SPECS[n].default or n == "dataset"
    ]
    words += [f"{_titles()[name]}: {shown(value)}" for name, value in preset.options.items()]
    return f"**{escape(preset.about[:1].upper() + preset.about[1:])}.** {escape(' · '.join(words))}"


@cache
def _titles() -> dict[str, str]:
    """Methods' options as their fields are called."""
    declared = [spec for entry in methods.values() for spec in specs(entry.options)]
    return {spec.name: title(spec, spec.name) for spec in declared}


def _apply(name: str, config: RunConfig) -> None:
    """Write the preset's settings into the address, which the form follows."""
    kept = {n: st.query_params[n] for n in KEPT if n in st.query_params}
    if name == "last":
        runs = store().runs(limit=1)
        target = runs[0].config.with_(seed=0) if runs else config
    else:
        target = changed_to(config, name, _tasks(config))
    st.query_params.from_dict(parameters(target.with_(device=config.device)) | kept)


def _tasks(config: RunConfig) -> list[str]:
    try:
        return list(task_rows(config))
    except (DataError, ConfigError):
        return []
