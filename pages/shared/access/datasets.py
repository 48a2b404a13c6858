"""Data sets on pages: what their tasks are called and hold."""

import streamlit as st

from core.config import RunConfig
from core.data.base import source_tasks
from core.data.upload import upload_of


def task_rows(config: RunConfig) -> dict[str, tuple[int, int]]:
    """Task name → training and test rows, in the data set's order.

    DataError (DataMissing) where the data can't be read, ConfigError where options are wrong.
    """
    kept = upload_of(config.options("dataset").file) if config.dataset == "upload" else None
    if kept is not None:  # the summary says it, and the file need not be read
        return {
            task: (train, test)
            for task, (train, _, test) in zip(kept.tasks, kept.rows, strict=True)
        }
    with st.spinner("Reading the data set …"):
        return {task.name: (len(task.train), len(task.test)) for task in source_tasks(config)}
