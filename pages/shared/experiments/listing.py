"""The experiments there are, and the chosen one as it stands: one fragment, always drawn."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.experiments import catalog
from core.experiments.catalog import Stored
from pages.shared.access.experiments import overview, readable_names, say_none, say_unknown
from pages.shared.access.runs import store
from pages.shared.experiments.on_click import say_done
from pages.shared.experiments.progress import draw_one
from pages.shared.experiments.workers import at_hand
from pages.shared.runs.attempts import say_refused
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.clicked import newly, selected_row
from pages.shared.ui.opening import live
from pages.shared.ui.tables import pick_row

EVERY = 2.0  # seconds between two looks
SEEN = 7  # experiments of the table without scrolling
COLUMNS = {
    "Experiment": st.column_config.TextColumn(width=220),
    "Done": st.column_config.ProgressColumn(format="%.0f %%", max_value=100, width=110),
    "Left": st.column_config.TextColumn(help="for the workers at hand"),
    "Created": st.column_config.DatetimeColumn(format="D MMM, HH:mm", width=115),
}


def follow_experiment() -> None:
    """Take the experiment that the address asks for; called by the page, before the fragment."""
    name = st.session_state[follow("experiment", None)]
    say_unknown([] if name is None else catalog.names(store()), name)


@live(EVERY)
def draw_experiments() -> None:
    """The table of experiments, and below it the chosen one."""
    say_refused()
    say_done()
    names = readable_names()
    if not names:
        say_none()
        return
    with st.container(key="live"):
        stored = _choose(names)
        publish("experiment", stored.experiment.name)
        draw_one(stored)


def _choose(names: Sequence[str]) -> Stored:
    """The table; the experiment chosen in it just now, else the one asked for, else the newest."""
    key = key_of("experiment")
    table = f"{key}/table/{hash(tuple(names))}"
    row = newly("table", selected_row(table, len(names)))
    if row is not None:
        st.session_state[key] = names[row]
    if st.session_state.get(key) not in names:
        st.session_state[key] = names[0]
    height: Any = "content" if len(names) <= SEEN else 36 * (SEEN + 1)
    pick_row(overview(at_hand()), COLUMNS, key=table, height=height, missing="–")
    return catalog.load(store(), st.session_state[key])
