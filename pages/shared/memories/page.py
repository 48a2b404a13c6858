"""Which memories to look at: chosen now by samplers, or stored by runs after a task."""

from collections.abc import Sequence

import streamlit as st

from core.analysis import choosing
from core.analysis.memory import Memories, read_task
from core.analysis.settings import differing, method_name
from core.data.base import DataError, Task
from core.options import ConfigError
from core.registry import samplers
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, pick_runs, store
from pages.shared.access.task_choice import pick, rows_key, tasks_of
from pages.shared.memories.sampling import sampled
from pages.shared.ui.address import follow, publish
from pages.shared.ui.memo import compute, computed, results
from pages.shared.ui.text import escape

SOURCES = {"samplers": "Chosen now by samplers", "runs": "Stored by runs"}
FEW_FORMS = 1500  # up to so many, clusters are drawn without a click: about a second


def pick_memories() -> Memories:
    """Let memories be chosen; says what to do next and ends where there are none yet."""
    runs = store().runs(limit=SHOWN)
    key = follow("source", "samplers")
    if st.session_state[key] not in SOURCES:
        st.session_state[key] = "samplers"
    source = st.segmented_control(
        "Memories", list(SOURCES), format_func=SOURCES.get, key=key, required=True
    )
    publish("source", None if source == "samplers" else source)
    return _stored(runs) if source == "runs" else sampled(runs)


# --- stored by runs ---------------------------------------------------------------------------


def _stored(runs: Sequence[Run]) -> Memories:
    table = choosing.stored_tasks(store(), [run.id for run in runs])
    told = [run for run in runs if run.id in set(table.run)]
    if not told:
        st.info("No run has stored a memory yet.", icon=":material/inbox:")
        with st.container(horizontal=True):
            st.page_link("pages/launch.py", label="Launch a run", icon=":material/play_circle:")
            st.page_link("pages/runs.py", label="Watch the runs", icon=":material/list_alt:")
        st.stop()
    chosen = pick_runs("Runs", told, default=[told[0].id])
    if not chosen:
        st.info("Choose a run above.", icon=":material/arrow_upward:")
        st.stop()
    after = table[table.run == chosen[0].id].task
    names = list(chosen[0].tasks)
    there = [names[k] for k in after if k < len(names)]
    if not there:
        st.info("This run has not said yet what its tasks are.", icon=":material/hourglass:")
        st.stop()
    name = pick("task", "Memory of task", there, there[0])
    return _of_runs(chosen, name)


def _of_runs(runs: Sequence[Run], name: str) -> Memories:
    """What these runs stored of the task, against the rows of the first that still match."""
    task, source, kept = None, runs[0], []
    labels = _labels(runs)
    for run, label in zip(runs, labels, strict=True):
        names = list(run.tasks)
        k = names.index(name) if name in names else -1
        memory = choosing.stored(store(), run, k, label)
        rows = _rows_of(run, k)
        if memory is None or rows is None or (task is not None and not _same_rows(rows, task)):
            why = "has stored no memory of it" if memory is None else "learned other rows than here"
            st.warning(escape(f"Run {run.id} {why}."), icon=":material/warning:")
            continue
        if task is None:
            task, source = rows, run
        kept.append(memory)
    if task is None:
        st.info("Choose a run whose data are on this machine.", icon=":material/arrow_upward:")
        st.stop()
    if source.config.idioms:
        st.caption(
            f"Actions are those of run {source.id}, larger idioms among them "
            f"({source.config.idioms} learned a task)."
        )
    k = max(len(memory.rows) for memory in kept)
    key = ("task", (*rows_key(source.config), name), k)
    make = lambda: read_task(task.train, k)  # noqa: E731
    if len(task.forms) > FEW_FORMS:
        (rows,) = computed({key: make}, "Draw the clusters to hold it against")
    else:
        rows = results().get(key) or compute(key, make)
    return Memories(rows, tuple(kept), k)


def _same_rows(one: Task, other: Task) -> bool:
    """Whether both have the same utterances and forms, in whatever actions."""
    return one.train is other.train or [(r.utterance, r.logical_form) for r in one.train] == [
        (r.utterance, r.logical_form) for r in other.train
    ]


def _labels(runs: Sequence[Run]) -> list[str]:
    """Sampler and whatever else tells the runs apart; equal where only the seed differs."""
    apart = differing([run.config for run in runs], leave_out=("seed", "method", "sampler"))
    found = []
    for run, words in zip(runs, apart, strict=True):
        sampler = run.config.sampler
        name = samplers[sampler].label if sampler in samplers else sampler
        found.append(", ".join([f"{name} ({method_name(run.config)})", *words]))
    return found


def _rows_of(run: Run, k: int) -> Task | None:
    """Task k as the run learned it, in its actions; None where the data here aren't those."""
    try:
        tasks = tasks_of(run.config)
    except (DataError, ConfigError):
        return None
    if run.facts is None or tuple(task.name for task in tasks) != run.tasks:
        return None
    return tasks[k] if len(tasks[k].train) == run.facts.n_train[k] else None
