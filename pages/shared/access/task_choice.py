"""Choosing one task of a data set, and its training rows, read once."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core import paths
from core.config import RunConfig
from core.data.base import DataError, DataMissing, Task
from core.data.deriving import derived_tasks
from core.data.naming import dataset_name
from core.data.upload import uploads
from core.options import ConfigError, specs
from core.registry import datasets
from pages.shared.ui.exports import name_exports
from pages.shared.ui.options import Form
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick


@dataclass(frozen=True)
class Chosen:
    """A task, and a config that says which data it comes from."""

    config: RunConfig
    task: Task

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its rows from others'."""
        return (*rows_key(self.config), self.task.name)


def tasks_of(config: RunConfig) -> tuple[Task, ...]:
    """The tasks of a config, in its order and with its larger idioms.

    DataError (DataMissing) where the data can't be read, ConfigError where settings are wrong.
    """
    with st.spinner("Reading the data set …"):
        return derived_tasks(config)


def rows_key(config: RunConfig) -> tuple[str, ...]:
    """What decides which tasks a config has and in which actions, and where their data lie."""
    kept = RunConfig(
        dataset=config.dataset,
        dataset_options=config.dataset_options,
        task_order=config.task_order,
        order_seed=config.order_seed,
        permutation=config.permutation,
        idioms=config.idioms,
        evaluation=config.evaluation,
    )
    return (kept.to_json(), str(paths.data_folder()), str(paths.home()))


def pick_task(of: RunConfig | None = None) -> Chosen:
    """Data set, its options and one of its tasks; says what to do and ends where there is none.
    `of`: whose data set is shown until another is chosen.
    """
    left, right, last = st.columns(3, vertical_alignment="bottom")
    with left:
        labels = {name: entry.label for name, entry in datasets.items()}
        known = of is not None and of.dataset in labels
        dataset = pick("dataset", "Data set", labels, of.dataset if of and known else "demo")
    with last:
        options = _options(dataset, of)
    try:
        config = RunConfig(dataset=dataset, dataset_options=options)
        tasks = {task.name: task for task in tasks_of(config)}
    except DataMissing:
        st.warning("These data are not on this machine yet.", icon=":material/cloud_download:")
        st.page_link("app.py", label="Get them on the home page", icon=":material/home:")
        st.stop()
    except (DataError, ConfigError) as error:
        st.error(escape(error), icon=":material/error:")
        st.stop()
    with right:
        rows = {name: f"{name} ({counted(len(task.train), 'row')})" for name, task in tasks.items()}
        task = pick("task", "Task", rows)
    name_exports(dataset_name(config), task=task)
    return Chosen(config, tasks[task])


def _options(dataset: str, of: RunConfig | None) -> dict[str, Any]:
    """The data set's options that differ from their defaults."""
    declared = specs(datasets[dataset].options)
    if dataset == "upload":
        kept = {upload.digest: upload.label for upload in uploads() if not upload.fault}
        if not kept:
            st.info("No file has been imported yet.", icon=":material/upload_file:")
            st.page_link("app.py", label="Import one on the home page", icon=":material/home:")
            st.stop()
        file = of.dataset_options.get("file") if of is not None else None
        return {"file": pick("dataset.file", "File", kept, file if file in kept else None)}
    form = Form()
    form.draw(declared, "dataset.", columns=max(1, len(declared)))
    if form.errors:
        st.error(escape(form.errors[0]), icon=":material/error:")
        st.stop()
    defaults = {spec.name: spec.default for spec in declared}
    return {n: v for n, v in form.below("dataset.").items() if v != defaults[n]}
