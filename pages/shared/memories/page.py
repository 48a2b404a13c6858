"""Which memories to look at: chosen now by samplers, or stored by runs after a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from core.analysis import choosing
from core.analysis.memory import Memories, read_task
from core.analysis.short_names import named_groups
from core.charts.marks import Mark, of_groups
from core.data.base import DataError, Task
from core.options import ConfigError
from core.registry import samplers
from core.runs.run import Run
from pages.shared.access.runs import SHOWN, store
from pages.shared.access.task_choice import rows_key, tasks_of
from pages.shared.memories.sampling import sampled
from pages.shared.tray import (
    arm_groups,
    arm_mark,
    mark,
    marks,
    tray_runs_and_arms,
    with_records,
)
from pages.shared.ui.memo import compute, computed, results
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import pick, switch

SOURCES = {"samplers": "Chosen now by samplers", "runs": "Stored by runs"}
FEW_FORMS = 1500  # up to so many, clusters are drawn without a click: about a second


@dataclass(frozen=True)
class Shown:
    """Memories of a task, and by label what they look like (None: by their positions)."""

    memories: Memories
    looks: dict[str, Mark] | None = None
    runs: tuple[Run, ...] = ()  # that have stored them
    of_runs: Mapping[int, Mark] = field(default_factory=dict)  # looks, by number; an arm's are one


def pick_memories() -> Shown:
    """Let memories be chosen; says what to do next and ends where there are none yet."""
    runs = store().runs(limit=SHOWN)
    if switch("source", "Memories", SOURCES) == "runs":
        return _stored(runs)
    return Shown(sampled(runs))


# --- stored by runs ---------------------------------------------------------------------------


def _stored(runs: Sequence[Run]) -> Shown:
    table = choosing.stored_tasks(store(), [run.id for run in runs])
    recorded = with_records(runs, set(table.run), "No run has stored a memory yet.")
    alone, arms = tray_runs_and_arms(recorded, "memory")
    first = alone[0] if alone else arms[0].runs[0]
    after = choosing.stored_tasks(store(), [first.id]).task
    tasks = [first.tasks[k] for k in after if k < len(first.tasks)]
    if not tasks:
        text = "This run has not recorded yet what its tasks are."
        st.info(text, icon=":material/hourglass:")
        st.stop()
    name = pick("task", "Memory of task", tasks)
    looks = marks(alone)
    groups = named_groups(alone, {id: look.name for id, look in looks.items()})
    drawn, of_arms = of_groups(groups, looks), arm_groups(arms, [each.label for each in groups])
    drawn |= {each.label: arm_mark(arm) for each, arm in zip(of_arms, arms, strict=True)}
    members = [(each, run) for each in (*groups, *of_arms) for run in each.runs]
    labelled = [(f"{each.label} ({_sampler(run)})", each.label, run) for each, run in members]
    return Shown(
        _of_runs([(run, label) for label, _, run in labelled], name),
        {label: Mark(label, drawn[group].slot) for label, group, _ in labelled},
        tuple({run.id: run for _, _, run in labelled}.values()),
        {run.id: arm_mark(arm) for arm in arms for run in arm.runs} | looks,
    )


def _sampler(run: Run) -> str:
    sampler = run.config.sampler
    return samplers[sampler].label if sampler in samplers else sampler


def _of_runs(runs: Sequence[tuple[Run, str]], name: str) -> Memories:
    """What these runs, each under its label, stored of the task, against the rows of the first that
    still match.
    """
    task: Task | None = None
    source, kept, wrong = runs[0][0], [], set[str]()
    for run, label in runs:
        k = run.tasks.index(name) if name in run.tasks else -1
        memory = choosing.stored(store(), run, k, label)
        rows = _rows_of(run, k)
        if memory is None or rows is None or (task is not None and not _same_rows(rows, task)):
            why = "has stored no memory of it" if memory is None else "learned other rows than here"
            wrong.add(f"{mark(run).name} {why}.")  # runs of an arm once
            continue
        if task is None:
            task, source = rows, run
        kept.append(memory)
    for sentence in sorted(wrong):
        st.warning(escape(sentence), icon=":material/warning:")
    if task is None:
        st.info("Choose a run whose data are on this machine.", icon=":material/arrow_back:")
        st.stop()
    if source.config.idioms:
        st.caption(
            f"Actions are those of {escape(mark(source).name)}, larger idioms among them "
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


def _same_rows(left: Task, right: Task) -> bool:
    """Whether both have the same utterances and forms, in whatever actions."""
    rows = [[(e.utterance, e.logical_form) for e in task.train] for task in (left, right)]
    return rows[0] == rows[1]


def _rows_of(run: Run, k: int) -> Task | None:
    """Task k as the run learned it, in its actions; None where the data here aren't those."""
    try:
        tasks = tasks_of(run.config)
    except (DataError, ConfigError):
        return None
    if run.facts is None or tuple(task.name for task in tasks) != run.tasks:
        return None
    return tasks[k] if len(tasks[k].train) == run.facts.n_train[k] else None
