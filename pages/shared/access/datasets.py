"""Data sets on pages: what their tasks are called and hold, read once."""

import json

import streamlit as st

from core import paths
from core.config import RunConfig
from core.data.base import Task
from core.registry import datasets


def task_rows(config: RunConfig) -> dict[str, tuple[int, int]]:
    """Task name → training and test rows, in the data set's order.

    DataError (DataMissing) where the data can't be read, ConfigError where options are wrong.
    """
    options = json.dumps(dict(config.dataset_options), sort_keys=True)
    config.options("dataset")
    return _task_rows(config.dataset, options, str(paths.data_folder()), str(paths.home()))


@st.cache_data(show_spinner="Reading the data set …", max_entries=32, ttl=3600)
def _task_rows(
    dataset: str, options: str, data_folder: str, home: str
) -> dict[str, tuple[int, int]]:
    config = RunConfig(dataset=dataset, dataset_options=json.loads(options))
    tasks: tuple[Task, ...] = datasets[dataset].value(config.options("dataset"))
    return {task.name: (len(task.train), len(task.test)) for task in tasks}
