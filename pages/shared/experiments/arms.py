"""Arms: picked from what is registered, taken from Launch's form, or typed as TOML."""

import itertools
from typing import Any

import streamlit as st

from core.analysis.settings import method_name
from core.config import RunConfig
from core.experiments import toml
from core.experiments.experiment import Arm
from core.experiments.presets.parts import METHODS
from core.options import ConfigError, specs
from core.registry import methods, samplers
from pages.shared.ui.address import follow, publish
from pages.shared.ui.seeds import read_seeds
from pages.shared.ui.widgets import several

OWN = "own"  # the sampler of the method's own paper


def method_choices() -> dict[str, str]:
    """Every method by its label; those of the paper's tables with their variants first."""
    named = {f"paper:{label}": label for label in METHODS}
    known = {dict(settings).get("method") for settings in METHODS.values()}
    return named | {name: entry.label for name, entry in methods.items() if name not in known}


def pick_arms(prefix: str = "", *, in_address: bool = True) -> list[Arm]:
    """Widgets for the crossing of methods, samplers and memory sizes; what they say as arms.

    A ConfigError of the memory sizes is drawn, and no arm given then.
    """
    labels = {OWN: "the method's own"} | {name: entry.label for name, entry in samplers.items()}
    columns = st.columns([3, 2, 1]) if in_address else [st.container()] * 3
    with columns[0]:
        chosen = _several("arms", "Methods", method_choices(), prefix, in_address)
    with columns[1]:
        how = _several("arm_samplers", "Samplers", labels, prefix, in_address)
    with columns[2]:
        sizes = _several("arm_sizes", "Memory sizes", {}, prefix, in_address)
    try:
        numbers = [size for text in sizes for size in read_seeds(text)]
    except ConfigError:
        st.error("Memory sizes: expected whole numbers such as 10, 25, 50.")
        return []
    return crossed_arms(chosen, how, numbers)


def _several(
    name: str, label: str, choices: dict[str, str], prefix: str, in_address: bool
) -> list[str]:
    free = not choices
    if in_address and not free:
        return several(name, label, choices, [])
    options = list(choices)
    chosen: list[str] = st.multiselect(
        label,
        options,
        format_func=lambda each: choices.get(each, each),
        key=f"{prefix}{name}",
        accept_new_options=free,
        placeholder="as in the base" if free else "Choose options",
    )
    return chosen


def crossed_arms(chosen: list[str], how: list[str], sizes: list[int]) -> list[Arm]:
    """Every method with every sampler and size; one that keeps no memory once."""
    arms: dict[str, Arm] = {}
    for name in chosen:
        label, settings = _method(name)
        keeps = methods[settings["method"]].memory
        some_sizes: list[int | None] = [*sizes] or [None]
        kinds = itertools.product(how or [OWN], some_sizes) if keeps else [("", None)]
        for sampler, size in kinds:
            more: dict[str, Any] = {}
            words = [label]
            if sampler not in ("", OWN):
                more["sampler"] = sampler
                words.append(samplers[sampler].label)
            if size is not None:
                more["memory_size"] = size
                words.append(f"memory {size}")
            full = ", ".join(words)
            arms[full] = Arm(full, settings | more)
    return list(arms.values())


def _method(name: str) -> tuple[str, dict[str, Any]]:
    if name.startswith("paper:"):
        label = name.removeprefix("paper:")
        return label, dict(METHODS[label])
    return str(methods[name].label), {"method": name}


def form_arms(base: RunConfig) -> list[Arm]:
    """Arms typed as TOML, and a button that writes the form's method there. ConfigError."""
    key = follow("added", "")
    with st.expander("Arms with options of their own", expanded=bool(st.session_state[key])):
        st.caption(
            "Set a method and its options in the form below, name it, and take it as an arm."
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            name = f"{method_name(base)}, {len(st.session_state[key].split('[[arms]]'))}"
            label = st.text_input("Label of the arm", placeholder=name, max_chars=80, width=320)
            arm = Arm(label.strip() or name, _of_method(base))
            st.button(
                "Take the form's method as an arm",
                icon=":material/add:",
                on_click=_take,
                args=(key, arm),
            )
        text = st.text_area("Arms, as TOML", key=key, height=220 if st.session_state[key] else 80)
        publish("added", text or None)
    return list(toml.read_arms(text, base, "Arms"))


def _take(key: str, arm: Arm) -> None:
    before = st.session_state[key]
    st.session_state[key] = f"{before.rstrip()}\n\n{toml.write_arm(arm)}".lstrip()


def _of_method(config: RunConfig) -> dict[str, Any]:
    """All that the form says about the method, its memory and what goes with it, in full."""
    names = [spec.name for spec in specs(RunConfig) if spec.group == "Method"]
    keeps = methods[config.method].memory
    if not keeps:
        names = [name for name in names if name not in ("sampler", "memory_size")]
    settings: dict[str, Any] = {name: getattr(config, name) for name in names}
    for which in ("method", "sampler") if keeps else ("method",):
        options = config.options(which)
        for spec in specs(options.__class__):
            if spec.when is None or getattr(options, spec.when[0]) in spec.when[1:]:
                settings[f"{which}.{spec.name}"] = getattr(options, spec.name)
    return settings
