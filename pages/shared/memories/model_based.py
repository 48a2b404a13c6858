"""Memories that samplers choose now, with the parser of a run where a sampler takes one."""

from collections.abc import Sequence

import streamlit as st

from core.analysis import accuracy, choosing
from core.analysis.memory import Kept
from core.config import RunConfig
from core.data.base import DataError
from core.registry import samplers
from core.runs.run import Run
from pages.shared.access.parsers import parsers_of
from pages.shared.access.runs import store
from pages.shared.access.task_choice import Chosen
from pages.shared.tray import titles
from pages.shared.ui.widgets import pick


def pick_parser(chosen: Chosen, runs: Sequence[Run], first: Run | None = None) -> Run:
    """The run whose parser, as it stood after the task, the model-based samplers take: `first`
    where it has learned the task and no other is chosen, else the newest.

    Says what to do, and the page ends, where no run has learned the task.
    """
    same = [
        run
        for run in runs
        if run.config.dataset == chosen.config.dataset
        and run.config.dataset_options == chosen.config.dataset_options
        and run.config.evaluation == "test"
        and chosen.task.name in run.tasks
    ]
    after = accuracy.latest(store(), [run.id for run in same]).set_index("run").after
    learned = {
        str(run.id): run
        for run in same
        if after.get(run.id, -1) >= run.tasks.index(chosen.task.name)
    }
    if not learned:
        st.info(
            "FSS, GSS and Prior choose by a trained parser, and no run has learned this task yet. "
            "Launch one, or leave these samplers out.",
            icon=":material/inbox:",
        )
        st.page_link("pages/launch.py", label="Launch a run", icon=":material/play_circle:")
        st.stop()
    default = str(first.id) if first is not None and str(first.id) in learned else None
    names = titles(learned.values())
    return learned[pick("parser", "Parser, after this task, of run", names, default)]


def choose(config: RunConfig, chosen: Chosen, run: Run | None) -> Kept:
    """What the sampler keeps of the task. The errors of choosing.choose and of parsers_of."""
    label = samplers[config.sampler].label
    if run is None:
        return choosing.choose(config, chosen.task.train, label)
    parsers = parsers_of(run)
    k = run.tasks.index(chosen.task.name)
    rows = parsers.tasks[k].train
    if [row.utterance for row in rows] != [row.utterance for row in chosen.task.train]:
        raise DataError(f"The data are no longer those that run {run.id} learned.")
    with parsers.after(k) as parser:
        return choosing.choose(config, rows, label, parser)
