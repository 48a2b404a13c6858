"""Data sets on pages: what their tasks are called and hold."""

import streamlit as st

from core.config import RunConfig
from core.data.base import source_tasks
from core.data.upload import load_upload, upload_of


def read_with_bar(config: RunConfig) -> None:
    """Read an imported file, if it is not read yet, and show how far that is; errors as below."""
    if config.dataset != "upload":
        return
    slot = st.empty()

    def show(share: float) -> None:
        slot.progress(share, "Reading the file …")

    load_upload(config.options("dataset"), show)
    slot.empty()


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
