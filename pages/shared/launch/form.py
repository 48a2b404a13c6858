"""The form of a run's configuration, drawn from what RunConfig and the registries declare.

The few choices that matter come first; the rest is folded, and what has no effect is not drawn.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import validation
from core.config import OPTION_GROUPS, RunConfig, changed
from core.methods.parts.variants import NAMING
from core.options import ConfigError, OptionSpec, specs
from core.parser import pretrained
from core.registry import Entry, MethodEntry, SamplerEntry, methods, samplers
from core.runs import devices
from core.validation import default_sampler, requirements
from pages.shared.access.runs import find_run
from pages.shared.launch.tasks import draw_tasks
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.options import MEMORY_SIZE, Form, explain, title, write
from pages.shared.ui.text import escape

E = TypeVar("E", bound=Entry)
SPECS = {spec.name: spec for spec in specs(RunConfig)}
FIRST = ("epochs",)  # of training; the rest is folded
MATTER = {*NAMING} - {"fast_tasks"}  # of a method's options: its name says them
DRAWN_APART = {
    "dataset", "task_order", "order_seed", "method", "sampler", "memory_size", "seed", "device",
}  # fmt: skip
_SETTING = re.compile(r"([a-z_]+(?:\.[a-z_]+)?) = ")  # what a ConfigError begins with


@dataclass(frozen=True)
class Drawn:
    """What the form says: the config with seed 0, None where something is wrong; what that is, and
    the labels of the fields where it is.
    """

    config: RunConfig | None
    errors: list[str]
    fields: list[str]


def draw_config(folded: DeltaGenerator | None = None, *, of_pairs: bool = False) -> Drawn:
    """The form here, and its folded parts in the container `folded` (default: below).

    `of_pairs`: order seeds are those of an experiment's pairs, and not asked for.
    """
    _read_clone()
    form = Form(beside=True)
    with st.container(border=True):
        draw_tasks(form, _choose, of_pairs=of_pairs)
    with st.container(border=True):
        method, sampler = _method(form)
    with folded or st.container():
        _draw_folded(form, method, sampler)
    if form.errors:
        return _wrong(form)
    try:
        config = _build(form)
        validation.check(config)
    except ConfigError as error:
        form.fail(_field_of(str(error), form), str(error))
        return _wrong(form)
    return Drawn(config, [], [])


def parameters(config: RunConfig) -> dict[str, str]:
    """The address's parameters for a form that says this config."""
    settings = dict(changed(config)) | {"sampler": config.sampler}
    if config.sampler == default_sampler(config.method):
        del settings["sampler"]
    return {"seeds" if name == "seed" else name: write(value) for name, value in settings.items()}


def _wrong(form: Form) -> Drawn:
    return Drawn(None, list(dict.fromkeys(form.errors)), list(form.failed))


def _field_of(sentence: str, form: Form) -> str:
    """The field of which a refusal speaks: `total_recall.fast = …` is of `method.fast`."""
    named = _SETTING.match(sentence)
    name = named[1] if named else ""
    entry, dot, option = name.rpartition(".")
    chosen = {form.values.get(which): which for which in OPTION_GROUPS}
    return f"{chosen.get(entry, entry)}.{option}" if dot else name


def _read_clone() -> None:
    """`?clone=7` becomes the settings of run 7."""
    number = st.query_params.get("clone")
    if number is not None:
        run = find_run(number)
        tray = {name: st.query_params[name] for name in ("runs", "run") if name in st.query_params}
        st.query_params.from_dict(tray | ({} if run is None else parameters(run.config)))
        if run is None:
            st.warning(f"There is no run {escape(number)} to clone; these are the defaults.")


def _group(name: str, form: Form, leave_out: Iterable[str] = ()) -> Iterable[OptionSpec]:
    """The options under a heading that are drawn as a row and have an effect."""
    for spec in SPECS.values():
        if spec.group == name and spec.name not in {*DRAWN_APART, *leave_out}:
            deciding = {n: form.values.get(n, SPECS[n].default) for n in SPECS}
            if spec.name not in validation.without_effect(deciding):
                yield spec
            else:
                publish(spec.name, None)


def _choose(form: Form, name: str, entries: Mapping[str, E], preferred: str = "") -> E:
    """One of a registry's entries, its summary below; `preferred` until another is picked."""
    spec = SPECS[name]
    first = preferred or spec.default
    by_hand = bool(preferred) and _chosen_by_hand(name, preferred)
    key = follow(name, first)
    if preferred and not by_hand:
        st.session_state[key] = preferred
    unknown = None if st.session_state[key] in entries else st.session_state[key]
    if unknown is not None:
        st.session_state[key] = first
    labels = {entry.name: entry.label for entry in entries.values()}
    text = title(spec, name)
    chosen = st.selectbox(text, list(labels), format_func=labels.__getitem__, key=key)
    publish(name, None if chosen == first and not by_hand else chosen)
    form.add(spec, name, chosen, text)
    if unknown is not None:
        form.fail(name, f"{text}: '{unknown}' is not known; expected one of {', '.join(entries)}.")
    st.caption(escape(entries[chosen].summary))
    return entries[chosen]


def _chosen_by_hand(name: str, preferred: str) -> bool:
    """Whether a choice stands in the address or is not what was preset when it was drawn last."""
    chosen, preset = st.session_state.get(key_of(name)), key_of(f"{name}/preset")
    last = st.session_state.get(preset, preferred)
    st.session_state[preset] = preferred
    return name in st.query_params or chosen not in (None, last)


def _method(form: Form) -> tuple[MethodEntry, SamplerEntry | None]:
    """The method, what its name says of its options, its memory, and how long it learns."""
    st.subheader("Method", anchor=False)
    left, right = st.columns([1, 2])
    with left:
        method = _choose(form, "method", methods)
        st.caption(escape(requirements(method)))
    with right:
        named = [spec for spec in specs(method.options) if spec.name in MATTER]
        form.draw(named, "method.", columns=2)
        form.draw([SPECS[name] for name in (*FIRST, "task_masking")], columns=2)
    if not method.memory:
        return method, None
    left, right = st.columns([1, 2])
    with left:
        sampler = _choose(form, "sampler", samplers, default_sampler(method.name))
    with right:
        form.draw([MEMORY_SIZE], columns=2)
    return method, sampler


def _draw_folded(form: Form, method: MethodEntry, sampler: SamplerEntry | None) -> None:
    """All other settings, by what they are about."""
    more = [spec for spec in specs(method.options) if spec.name not in MATTER]
    with st.expander(
        "Details of the method: replay, stages, allowed actions", icon=":material/tune:"
    ):
        form.draw(more, "method.")
        form.draw(_group("Method", form, ["task_masking"]))
    if sampler is not None and specs(sampler.options):
        with st.expander("Sampler: how it chooses", icon=":material/inventory_2:"):
            form.draw(specs(sampler.options), "sampler.")
    with st.expander("Training: batches, learning rate, dropout", icon=":material/speed:"):
        form.draw(_group("Training", form, FIRST), columns=4)
    with st.expander("Encoder: LSTM, or a pretrained transformer", icon=":material/psychology:"):
        form.draw(_group("Encoder", form))
        if reason := pretrained.available():
            st.caption(escape(reason))
    with st.expander("Parser: sizes, word vectors, decoding", icon=":material/account_tree:"):
        form.draw(_group("Parser", form))
    with st.expander("Data: rows tested on, words, idioms", icon=":material/dataset:"):
        form.draw(_group("Tasks", form))
    with st.expander("Machine: device and threads", icon=":material/memory:"):
        _machine(form)
    with st.expander("Recording: what is noted beside accuracy", icon=":material/edit_note:"):
        form.draw(_group("Recording", form), columns=4)


def _machine(form: Form) -> None:
    left, right = st.columns([1, 2])
    spec = SPECS["device"]
    available = ["auto", *devices.available()]
    with left:
        key = follow("device", spec.default)
        shown = list(dict.fromkeys([*available, st.session_state[key]]))  # one of another machine
        device = st.selectbox("Device", shown, key=key, help=explain(spec))
        publish("device", None if device == spec.default else device)
        form.add(spec, "device", device)
    with right:
        form.draw(_group("Machine", form), columns=2)


def _build(form: Form) -> RunConfig:
    """The config of the form's values, options in it where they are not the defaults."""
    values: dict[str, Any] = {name: v for name, v in form.values.items() if name in SPECS}
    for which, registry in OPTION_GROUPS.items():
        chosen = registry[values.get(which, SPECS[which].default)]
        declared = {spec.name: spec.default for spec in specs(chosen.options)}
        given = form.below(f"{which}.")
        values[f"{which}_options"] = {n: v for n, v in given.items() if v != declared[n]}
    return RunConfig(**values)
