"""Experiments on pages: the names there are, one of them by its address, how far all are."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import paths
from core.analysis.durations import duration
from core.experiments import catalog
from core.experiments.catalog import Stored
from core.experiments.status import Status, status
from core.runs.run import FAILED, FINISHED, QUEUED, RUNNING
from pages.shared.access.runs import store
from pages.shared.ui.address import follow, publish
from pages.shared.ui.text import counted, escape


def pick_experiment(warnings: DeltaGenerator) -> Stored:
    """The experiment that the address names, else the newest; the page ends where there is none.

    What is wrong with the names is said in `warnings`.
    """
    with warnings:
        names = readable_names()
        if not names:
            say_none()
            st.stop()
        key = follow("experiment", names[0])
        say_unknown(names, st.session_state[key])
    if st.session_state[key] not in names:
        st.session_state[key] = names[0]
    name: str = st.selectbox("Experiment", names, key=key)
    publish("experiment", name)
    return catalog.load(store(), name)


def readable_names() -> list[str]:
    """The experiments' names, newest first; says of which that can't be read."""
    good, bad = catalog.look(store())
    for sentence in bad.values():
        st.warning(escape(sentence), icon=":material/heart_broken:")
    return list(good)


def say_none() -> None:
    """No experiment yet: what one is, and where to make it."""
    st.info(
        "No experiment yet. An experiment is several methods over the same task orders and seeds.",
        icon=":material/inbox:",
    )
    address = {"view": "new"}
    st.page_link(
        "pages/experiments.py", label="Make one", icon=":material/add:", query_params=address
    )


def say_unknown(names: Sequence[str], name: str | None) -> None:
    """Where an address names an experiment that there is not."""
    if name is not None and name not in names:
        st.warning(f"There is no experiment '{escape(name[:80])}'.", icon=":material/search_off:")


def state_of(stored: Stored, now: Status) -> str:
    """An experiment's state in a word or two."""
    counts = now.counts
    if now.pending and stored.paused:
        return "paused"
    if counts[RUNNING]:
        return "running"
    if counts[QUEUED]:
        return "waiting"
    if counts[FINISHED] == now.cells:
        return "finished"
    if counts[FAILED] and counts[FAILED] + counts[FINISHED] == now.cells:
        return "ended, some failed"
    return "paused" if stored.paused else "partly done" if counts[FINISHED] else "not started"


def left_in_words(now: Status, workers: int) -> str:
    """How long what runs and waits will take; empty where nothing does or it is not known."""
    seconds = now.seconds_left(max(1, workers)) if now.pending else None
    return "" if seconds is None else f"about {duration(round(seconds))}"


def overview(workers: int) -> pd.DataFrame:
    """A row for each experiment, newest first."""
    rows = []
    for name, stored in catalog.look(store())[0].items():
        now = status_of(stored)
        counts = now.counts
        rows.append(
            {
                "Experiment": name,
                "State": state_of(stored, now),
                "Done": 100 * now.done,
                "Arms": len(stored.experiment.arms),
                "Pairs": len(stored.experiment.pairs),
                "Cells": now.cells,
                "Finished": counts[FINISHED],
                "Running": counts[RUNNING],
                "Waiting": counts[QUEUED],
                "Failed": counts[FAILED],
                "Left": left_in_words(now, workers) or None,
                "Created": stored.created,
            }
        )
    return pd.DataFrame(rows)


def say_from_file(now: Status) -> None:
    """That some finished cells were not carried out here."""
    if now.from_file:
        cells = counted(now.counts[FINISHED], "finished cell")
        st.caption(
            f":material/file_open: {now.from_file:,} of {cells} come from a file: their accuracies "
            "are all that is known of them. No parser is kept, no action recorded."
        )


def status_of(stored: Stored) -> Status:
    """How far it is; of a large one as it was at most a few seconds ago."""
    cells = stored.experiment.size
    if cells <= 500:
        return status(store(), stored.id)
    return _status_lately(stored.id, cells, paths.database_url())


@st.cache_data(ttl=6, max_entries=32, show_spinner=False)
def _status_lately(id: int, cells: int, database: str) -> Status:
    return status(store(), id)
