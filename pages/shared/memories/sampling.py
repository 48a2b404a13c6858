"""Memories chosen now: a task, samplers with their options, a size and seeds; then a click."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from core.analysis.memory import Memories, read_task
from core.config import RunConfig
from core.options import ConfigError, specs
from core.registry import samplers
from core.runs.run import Run
from pages.shared.access.aligning import prepare
from pages.shared.access.task_choice import Chosen, pick_task
from pages.shared.memories.model_based import choose, pick_parser
from pages.shared.tray import selected_config
from pages.shared.ui.address import follow, publish
from pages.shared.ui.memo import computed
from pages.shared.ui.options import MEMORY_SIZE, Form
from pages.shared.ui.seeds import read_seeds
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import several

DEFAULT = ["random", "lfs", "dlfs"]
MOST_MEMORIES = 60
Options = dict[str, dict[str, Any]]  # by sampler, those that differ from the defaults


def sampled(runs: Sequence[Run]) -> Memories:
    """Let task and samplers be chosen and memories computed; the page ends where there are none."""
    with st.container(border=True):
        chosen = pick_task(selected_config())
        config, names, seeds, options = _form(chosen)
        needed = [name for name in names if samplers[name].parser]
        run = pick_parser(chosen, runs) if needed else None
    size = config.memory_size
    wanted: dict[Any, Callable[[], Any]] = {
        ("task", chosen.key, size): partial(read_task, chosen.task.train, size)
    }
    for name in names:
        for seed in seeds:
            mine = config.with_(sampler=name, sampler_options=options[name], seed=seed)
            source = run.id if name in needed and run else 0
            by = run if source else None
            wanted["memory", chosen.key, mine.to_json(), source] = partial(choose, mine, chosen, by)
    smatch = any(each.get("similarity") == "smatch" for each in options.values())
    first = prepare(chosen.task.train, wanted) if smatch else None
    task, *kept = computed(wanted, _label(len(names) * len(seeds)), first)
    return Memories(task, tuple(kept), size)


def _label(count: int) -> str:
    return "Choose the memory" if count == 1 else f"Choose the {count} memories"


def _form(
    chosen: Chosen,
) -> tuple[RunConfig, list[str], tuple[int, ...], dict[str, dict[str, Any]]]:
    """The config but for the sampler, the samplers, the seeds and each sampler's options."""
    left, middle, right = st.columns([3, 1, 1], vertical_alignment="bottom")
    with left:
        labels = {name: entry.label for name, entry in samplers.items()}
        names = several("samplers", "Samplers", labels, DEFAULT)
    form = Form()
    with middle:
        form.draw([MEMORY_SIZE], columns=1)
    key = follow("seeds", "0-4")
    text = right.text_input("Seeds", key=key, help="Several show how stable a choice is: 0-4.")
    publish("seeds", None if text == "0-4" else text)
    options = _all_options(form, names)
    try:
        seeds = read_seeds(text)
    except ConfigError as error:
        form.errors.append(str(error))
    if not form.errors and len(seeds) * len(names) > MOST_MEMORIES:
        form.errors.append(f"At most {MOST_MEMORIES} memories are compared; choose fewer seeds.")
    for fault in dict.fromkeys(form.errors):
        st.error(escape(fault), icon=":material/error:")
    if form.errors:
        st.stop()
    if not names:
        st.info("Choose a sampler above.", icon=":material/arrow_upward:")
        st.stop()
    config = chosen.config.with_(memory_size=form.values["memory_size"])
    return config, names, seeds, options


def _all_options(form: Form, names: Sequence[str]) -> Options:
    """Each sampler's options that differ from their defaults."""
    chosen: Options = {name: {} for name in names}
    declared = {name: specs(samplers[name].options) for name in names}
    if not any(declared.values()):
        return chosen
    with st.expander("Options of the samplers", icon=":material/tune:"):
        for name in names:
            if declared[name]:
                st.markdown(f"**{escape(samplers[name].label)}**")
                form.draw(declared[name], f"{name}.", labels={"h": "Actions drawn (h)"})
                defaults = {spec.name: spec.default for spec in declared[name]}
                given = form.below(f"{name}.").items()
                chosen[name] = {n: value for n, value in given if value != defaults[n]}
    return chosen
