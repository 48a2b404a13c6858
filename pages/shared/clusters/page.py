"""Which forms to look at, in how many clusters, and the memories that are ringed on their map."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import streamlit as st

from core.analysis import choosing
from core.analysis.clusters import FormMap, read_map
from core.analysis.memory import Kept
from core.charts.marks import Mark
from core.config import RunConfig
from core.options import ConfigError, build_options, specs
from core.registry import samplers
from core.runs.run import Run
from core.similarity.clusters import ClusterOptions
from pages.shared.access.aligning import prepare
from pages.shared.access.runs import SHOWN, store
from pages.shared.access.task_choice import Chosen, pick_task, rows_key
from pages.shared.memories.model_based import choose, pick_parser
from pages.shared.tray import NONE, mark, selected_config, slots, titles
from pages.shared.ui.memo import computed
from pages.shared.ui.options import MEMORY_SIZE, Form
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import pick, several

SEED = next(spec for spec in specs(RunConfig) if spec.name == "seed")
SIZE = replace(
    MEMORY_SIZE,
    help="into how many clusters the distinct forms fall, and how many rows each ringed sampler "
    "keeps: a memory of M rows takes one row of each of M clusters (paper: 50)",
)
DEFAULT = ["dlfs"]
SAME_ROWS = {"task_order": (), "order_seed": 0, "idioms": 0}  # settings that change no row


@dataclass(frozen=True)
class Shown:
    """A task's forms on a map, memories to ring, and what tells this map from others."""

    chosen: Chosen
    map: FormMap
    kept: tuple[Kept, ...]
    options: ClusterOptions
    seed: int
    key: str
    layout: str = "scaling"
    looks: Mapping[str, Mark] = field(default_factory=dict)  # of rings that are a run's, by name


def pick_map() -> Shown:
    """Let task, clusters and memories be chosen; ends with a button where nothing is drawn yet."""
    runs = store().runs(limit=SHOWN)
    with st.container(border=True):
        chosen = pick_task(selected_config())
        request = _form(chosen, runs)
    config, options, rows = request.config, request.options, chosen.task.train
    values = [(spec.name, getattr(options, spec.name)) for spec in specs(ClusterOptions)]
    key = ("map", chosen.key, config.memory_size, config.seed, tuple(values), request.layout)
    wanted: dict[Any, Any] = {
        key: partial(read_map, rows, config.memory_size, config.seed, options, request.layout)
    }
    for name in request.samplers:
        mine = config.with_(sampler=name, sampler_options=_cluster_options(name, options))
        by = request.parser if samplers[name].parser else None
        wanted["memory", chosen.key, mine.to_json(), by.id if by else 0] = partial(
            choose, mine, chosen, by
        )
    first = prepare(rows, wanted) if options.similarity == "smatch" else None
    form_map, *kept = computed(wanted, "Draw the map", first)
    looks: dict[str, Mark] = {}
    if request.stored is not None:
        k = request.stored.tasks.index(chosen.task.name)
        stored = choosing.stored(store(), request.stored, k, mark(request.stored).name)
        kept += [] if stored is None else [stored]
        looks = {mark(request.stored).name: mark(request.stored)}
    return Shown(
        chosen, form_map, tuple(kept), options, config.seed, str(hash(key)), request.layout, looks
    )


def _cluster_options(sampler: str, options: ClusterOptions) -> dict[str, Any]:
    """The page's options of the clusters that the sampler has too, where not its defaults."""
    return {
        spec.name: getattr(options, spec.name)
        for spec in specs(samplers[sampler].options)
        if hasattr(options, spec.name) and getattr(options, spec.name) != spec.default
    }


@dataclass(frozen=True)
class _Request:
    """What the form says."""

    config: RunConfig
    options: ClusterOptions
    layout: str
    samplers: list[str]
    parser: Run | None  # whose parser the model-based samplers take
    stored: Run | None  # whose stored memory is ringed


def _form(chosen: Chosen, runs: Sequence[Run]) -> _Request:
    form = Form()
    columns = st.columns([5, 4, 9, 8], vertical_alignment="bottom")
    with columns[0]:
        form.draw([SIZE], columns=1, labels={SIZE.name: "Clusters (memory size)"})
    with columns[1]:
        form.draw([SEED], columns=1)
    with columns[2]:
        names = several(
            "samplers",
            "Ringed: what these samplers keep",
            {name: entry.label for name, entry in samplers.items()},
            DEFAULT,
            placeholder="None",
            help="As many rows as there are clusters, with this seed. LFS and DLFS take the "
            "options of the clusters below: of each cluster here they keep one row.",
        )
    with columns[3]:
        stored = _pick_run(chosen, runs)
    with st.expander("Options of the clusters and the map", icon=":material/tune:"):
        form.draw(specs(ClusterOptions), "cluster.", columns=4)
        layout = _pick_layout()
    try:
        options = build_options(ClusterOptions, form.below("cluster."), "cluster.")
    except ConfigError as error:
        form.errors.append(str(error))
    for fault in dict.fromkeys(form.errors):
        st.error(escape(fault), icon=":material/error:")
    if form.errors:
        st.stop()
    config = chosen.config.with_(memory_size=form.values["memory_size"], seed=form.values["seed"])
    by_parser = any(samplers[name].parser for name in names)
    parser = pick_parser(chosen, runs, stored) if by_parser else None
    return _Request(config, options, layout, names, parser, stored)


def _pick_layout() -> str:
    """How the map is laid out: UMAP only where its package is there."""
    labels = {"scaling": "classical scaling", "tsne": "t-SNE (seconds the first time)"}
    if importlib.util.find_spec("umap") is None:
        st.caption(
            "UMAP is offered as a layout too where the package umap-learn is installed (`pip "
            "install umap-learn`)."
        )
    else:
        labels["umap"] = "UMAP (half a minute the first time)"
    with st.columns(3)[0]:
        return pick("layout", "Layout of the map", labels)


def _pick_run(chosen: Chosen, runs: Sequence[Run]) -> Run | None:
    """A run whose stored memory of this task is ringed too (the tray's selected one unless another
    is chosen), or none.
    """
    tasks = choosing.stored_tasks(store(), [run.id for run in runs])
    stored = set(zip(tasks.run, tasks.task, strict=True))
    name, count = chosen.task.name, len(chosen.task.train)
    by_id = {}
    for run in runs:
        k = run.tasks.index(name) if name in run.tasks else -1
        if (
            (run.id, k) in stored
            and run.facts is not None
            and run.facts.n_train[k] == count
            and rows_key(run.config.with_(**SAME_ROWS)) == rows_key(chosen.config)
        ):
            by_id[str(run.id)] = run
    names = {NONE: "none"} | titles(by_id.values())
    selected = str(slots().selected)
    default = selected if selected in by_id else NONE
    return by_id.get(pick("stored", "Ringed: the memory stored by run", names, default))
