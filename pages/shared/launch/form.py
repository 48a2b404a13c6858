"""The form of a run's configuration, drawn from what RunConfig and the registries declare."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import streamlit as st

from core import validation
from core.config import OPTION_GROUPS, RunConfig, changed
from core.data.base import DataError, DataMissing
from core.data.upload import uploads
from core.options import ConfigError, OptionSpec, specs
from core.parser import pretrained
from core.registry import Entry, datasets, methods, samplers
from core.runs import devices
from core.validation import default_sampler, requirements
from pages.shared.access.datasets import task_rows
from pages.shared.access.runs import find_run
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.options import Form, explain, label, read, write
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import pick

E = TypeVar("E", bound=Entry)
SPECS = {spec.name: spec for spec in specs(RunConfig)}
SEEN_LATE = {  # in expanders
    "order_seed", "idioms", "evaluation", "schedule", "word_dropout", "clip_norm",
}  # fmt: skip
DRAWN_APART = {"dataset", "task_order", "method", "sampler", "memory_size", "seed", "device"}


def draw_config() -> tuple[RunConfig | None, list[str]]:
    """The form; the config with seed 0, None where something is wrong, and what that is."""
    _read_clone()
    form = Form()
    with st.container(border=True):
        _tasks(form)
    with st.container(border=True):
        _method(form)
    with st.container(border=True):
        _training(form)
    with st.expander("Parser: sizes, word vectors, decoding", icon=":material/account_tree:"):
        form.draw(_group("Parser"))
    with st.expander("Encoder: a pretrained transformer", icon=":material/psychology:"):
        form.draw(_group("Encoder"))
        if reason := pretrained.available():
            st.caption(escape(reason))
    with st.expander("Machine: device and threads", icon=":material/memory:"):
        _machine(form)
    with st.expander("Recording: what is noted beside accuracy", icon=":material/edit_note:"):
        form.draw(_group("Recording"))
    if form.errors:
        return None, form.errors
    try:
        config = _build(form)
        validation.check(config)
    except ConfigError as error:
        return None, [str(error)]
    return config, []


def parameters(config: RunConfig) -> dict[str, str]:
    """The address's parameters for a form that says this config."""
    settings = dict(changed(config)) | {"sampler": config.sampler}
    if config.sampler == default_sampler(config.method):
        del settings["sampler"]
    return {"seeds" if name == "seed" else name: write(value) for name, value in settings.items()}


def _read_clone() -> None:
    """`?clone=7` becomes the settings of run 7."""
    number = st.query_params.get("clone")
    if number is not None:
        run = find_run(number)
        st.query_params.from_dict({} if run is None else parameters(run.config))
        if run is None:
            st.warning(f"There is no run {escape(number)} to clone; these are the defaults.")


def _group(name: str, late: bool | None = None) -> Iterable[OptionSpec]:
    """The options under a heading that are drawn as a row; `late` picks those in expanders."""
    for spec in SPECS.values():
        here = spec.group == name and spec.name not in DRAWN_APART
        if here and (late is None or (spec.name in SEEN_LATE) == late):
            yield spec


def _choose(form: Form, name: str, entries: Mapping[str, E], preferred: str = "") -> E:
    """One of a registry's entries, its summary below; `preferred` until another is picked."""
    spec = SPECS[name]
    first = preferred or spec.default
    by_hand = bool(preferred) and _chosen_by_hand(name, preferred)
    key = follow(name, first)
    if preferred and not by_hand:
        st.session_state[key] = preferred
    if st.session_state[key] not in entries:
        unknown = st.session_state[key]
        form.errors.append(f"{name} = {unknown!r}: expected one of {', '.join(entries)}.")
        st.session_state[key] = first
    labels = {entry.name: entry.label for entry in entries.values()}
    chosen = st.selectbox(label(name), list(labels), format_func=labels.__getitem__, key=key)
    publish(name, None if chosen == first and not by_hand else chosen)
    form.add(spec, name, chosen)
    st.caption(escape(entries[chosen].summary))
    return entries[chosen]


def _chosen_by_hand(name: str, preferred: str) -> bool:
    """Whether a choice stands in the address or is not what was preset when it was drawn last."""
    chosen, preset = st.session_state.get(key_of(name)), key_of(f"{name}/preset")
    last = st.session_state.get(preset, preferred)
    st.session_state[preset] = preferred
    return name in st.query_params or chosen not in (None, last)


def _tasks(form: Form) -> None:
    st.subheader("Tasks")
    left, right = st.columns([1, 2])
    with left:
        entry = _choose(form, "dataset", datasets)
    with right:
        if entry.name == "upload":
            _choose_upload(form)
        else:
            form.draw(specs(entry.options), "dataset.")
        _task_order(form)
    with st.expander("More about tasks"):
        form.draw(_group("Tasks", late=True))


def _choose_upload(form: Form) -> None:
    """Which imported file: its digest is the option, its name is what people see."""
    spec = next(spec for spec in specs(datasets["upload"].options) if spec.name == "file")
    kept = {upload.digest: upload for upload in uploads() if not upload.fault}
    if not kept:
        st.info("No file has been imported yet.", icon=":material/upload_file:")
        st.page_link("app.py", label="Import one on the home page", icon=":material/home:")
        return
    labels = {digest: upload.label for digest, upload in kept.items()}
    chosen = pick("dataset.file", "File", labels)
    publish("dataset.file", chosen)  # the first as well: another import may become the first
    form.add(spec, "dataset.file", chosen)
    st.caption(escape(kept[chosen].summary))
    if kept[chosen].warning:
        st.warning(escape(kept[chosen].warning), icon=":material/warning:")


def _task_order(form: Form) -> None:
    """Which tasks, in which order: the order in which they are chosen; none chosen means all."""
    spec = SPECS["task_order"]
    try:
        dataset = form.values["dataset"]
        rows = task_rows(RunConfig(dataset=dataset, dataset_options=form.below("dataset.")))
    except DataMissing:
        st.warning("These data are not on this machine yet.", icon=":material/cloud_download:")
        st.page_link("app.py", label="Get them on the home page", icon=":material/home:")
        form.errors.append(f"dataset = '{dataset}': its data are not on this machine yet.")
        return
    except (DataError, ConfigError) as error:
        form.errors.append(str(error))
        return
    key = follow("task_order", [], lambda text: list(read(spec, text)))
    st.session_state[key] = [name for name in st.session_state[key] if name in rows]
    chosen = st.multiselect(
        "Tasks, in the order of learning",
        list(rows),
        format_func=lambda name: f"{name} ({rows[name][0]:,} rows)",
        key=key,
        placeholder=f"All {len(rows)}, in the data set's order",
        help=explain(spec),
    )
    publish("task_order", write(chosen) if chosen else None)
    form.add(spec, "task_order", tuple(chosen))


def _method(form: Form) -> None:
    st.subheader("Method")
    left, right = st.columns([1, 2])
    with left:
        method = _choose(form, "method", methods)
    with right:
        form.draw(specs(method.options), "method.", columns=2)
    st.caption(escape(requirements(method)))
    if method.memory:
        left, right = st.columns([1, 2])
        with left:
            sampler = _choose(form, "sampler", samplers, default_sampler(method.name))
        with right:
            form.draw([SPECS["memory_size"]], columns=2)
        if specs(sampler.options):
            with st.expander("More about the sampler"):
                form.draw(specs(sampler.options), "sampler.")
    form.draw(_group("Method"), columns=2)


def _training(form: Form) -> None:
    st.subheader("Training")
    form.draw(_group("Training", late=False), columns=4)
    with st.expander("More about training"):
        form.draw(_group("Training", late=True))


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
        form.draw(_group("Machine"), columns=2)


def _build(form: Form) -> RunConfig:
    """The config of the form's values, options in it where they are not the defaults."""
    values: dict[str, Any] = {name: v for name, v in form.values.items() if name in SPECS}
    for which, registry in OPTION_GROUPS.items():
        chosen = registry[values.get(which, SPECS[which].default)]
        declared = {spec.name: spec.default for spec in specs(chosen.options)}
        given = form.below(f"{which}.")
        values[f"{which}_options"] = {n: v for n, v in given.items() if v != declared[n]}
    return RunConfig(**values)
