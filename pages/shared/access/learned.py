"""A run's data as it learns them, read once, and what its memory of a task covers."""

from collections import Counter

import streamlit as st

from core.analysis.choosing import stored
from core.analysis.drilldown import Learned, check_same, read_learned
from core.data.base import DataError, DataMissing
from core.options import ConfigError
from core.runs.run import Run
from pages.shared.access.runs import store


def learned(run: Run) -> Learned | str:
    """Tasks and grammar of the run; a sentence where its data are not on this machine."""
    try:
        with st.spinner("Reading the data set …"):
            data = read_learned(run.config)
        check_same(store(), run, data)
    except DataMissing:
        return "The data that the run learned are not on this machine."
    except (DataError, ConfigError) as error:
        return str(error)
    return data


def in_memory(run: Run, origin: int) -> tuple[Counter[str] | None, str]:
    """How often each action, as text, occurs in the rows that the run's memory keeps of a task
    (from 0); None, and why, where that can't be said.
    """
    kept = stored(store(), run, origin, "")
    if kept is None:
        return None, "The run keeps no memory of this task."
    data = learned(run)
    if isinstance(data, str):
        return None, f"What its memory covers can't be said. {data}"
    rows = [data.tasks[origin].train[row] for row in kept.rows]
    return Counter(str(step.action) for row in rows for step in row.derivation), ""
