"""Which forms to look at, in how many clusters, and the memories that are ringed on their map."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from core.analysis import choosing
from core.analysis.clusters import FormMap, read_map
from core.analysis.memory import Kept
from core.config import RunConfig
from core.options import ConfigError, build_options, specs
from core.registry import samplers
from core.runs.life import Run
from core.similarity.clusters import ClusterOptions
from pages.shared.address import follow, publish
from pages.shared.options import Form
from pages.shared.results import computed
from pages.shared.runs import SHOWN, store, title_of
from pages.shared.task_choice import Chosen, pick, pick_task, rows_key
from pages.shared.text import escape

SEED = next(spec for spec in specs(RunConfig) if spec.name == "seed")
SIZE = next(spec for spec in specs(RunConfig) if spec.name == "memory_size")
DEFAULT = ["dlfs"]


@dataclass(frozen=True)
class Shown:
    """A task's forms on a map, memories to ring, and what tells this map from others."""

    chosen: Chosen
    map: FormMap
    kept: tuple[Kept, ...]
    seed: int
    key: str


def pick_map() -> Shown:
    """Let task, clusters and memories be chosen; ends with a button where nothing is drawn yet."""
    runs = store().runs(limit=SHOWN)
    with st.container(border=True):
        chosen = pick_task()
        config, options, names, run = _form(chosen, runs)
    values = [(spec.name, getattr(options, spec.name)) for spec in specs(ClusterOptions)]
    key = ("map", chosen.key, config.memory_size, config.seed, tuple(values))
    rows = chosen.task.train
    wanted: dict[Any, Any] = {
        key: partial(read_map, rows, config.memory_size, config.seed, options)
    }
    for name in names:
        mine = config.with_(sampler=name)
        label = samplers[name].label
        wanted["memory", chosen.key, mine.to_json(), 0] = partial(
            choosing.choose, mine, rows, label
        )
    found, *kept = computed(wanted, "Draw the map")
    if run is not None:
        place = run.facts["tasks"].index(chosen.task.name)
        stored = choosing.stored(store(), run, place, f"run {run.id}")
        kept += [] if stored is None else [stored]
    return Shown(chosen, found, tuple(kept), config.seed, str(hash(key)))


def _form(
    chosen: Chosen, runs: Sequence[Run]
) -> tuple[RunConfig, ClusterOptions, list[str], Run | None]:
    form = Form()
    columns = st.columns([1, 1, 2, 2], vertical_alignment="bottom")
    with columns[0]:
        form.draw([SIZE], columns=1)
    with columns[1]:
        form.draw([SEED], columns=1)
    offered = [name for name, entry in samplers.items() if not entry.traits["parser"]]
    key = follow("samplers", DEFAULT, lambda text: text.split(","))
    st.session_state[key] = [name for name in st.session_state[key] if name in offered]
    with columns[2]:
        names = st.multiselect(
            "Ringed: what these samplers keep",
            offered,
            format_func=lambda name: samplers[name].label,
            key=key,
            help="As many rows as the memory size says, with this seed and their own defaults.",
        )
    publish("samplers", None if names == DEFAULT else ",".join(names))
    with columns[3]:
        run = _pick_run(chosen, runs)
    declared = [spec for spec in specs(ClusterOptions) if spec.name != "similarity"]
    with st.expander("Options of the clusters", icon=":material/tune:"):
        form.draw(declared, "cluster.")
    try:
        options = build_options(ClusterOptions, form.below("cluster."), "cluster.")
        config = chosen.config.with_(
            memory_size=form.values["memory_size"], seed=form.values["seed"]
        )
    except ConfigError as error:
        form.errors.append(str(error))
    if not form.errors and not config.memory_size:
        form.errors.append("memory_size = 0: expected at least 1 cluster.")
    for error in dict.fromkeys(form.errors):
        st.error(escape(error), icon=":material/error:")
    if form.errors:
        st.stop()
    return config, options, names, run


def _pick_run(chosen: Chosen, runs: Sequence[Run]) -> Run | None:
    """A run whose stored memory of this task is ringed too, or none."""
    tasks = choosing.stored_tasks(store(), [run.id for run in runs])
    stored = set(zip(tasks.run, tasks.task, strict=True))
    name, count = chosen.task.name, len(chosen.task.train)
    there = {}
    for run in runs:
        names = list(run.facts.get("tasks", []))
        k = names.index(name) if name in names else -1
        if (
            (run.id, k) in stored
            and run.facts["train_rows"][k] == count
            and rows_key(run.config.with_(task_order=(), order_seed=0)) == rows_key(chosen.config)
        ):
            there[str(run.id)] = run
    titles = {id: title_of(run) for id, run in there.items()} | {"": "none"}
    label = "Ringed: the memory stored by run"
    return there.get(pick("run", label, ["", *there], "", titles))
