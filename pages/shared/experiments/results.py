"""The results page: what is compared, and one view of it."""

from collections.abc import Callable

import streamlit as st

from core import paths
from core.analysis import experiment_tables
from core.analysis.accuracy import MEASURES
from core.analysis.experiment_tables import Compared
from core.experiments import catalog, toml
from core.experiments.catalog import Stored
from core.runs.run import FINISHED
from pages.shared.access.experiments import pick_experiment, say_from_file, status_of
from pages.shared.access.runs import store
from pages.shared.experiments import result_tests, result_views
from pages.shared.experiments.picking import pick_labels
from pages.shared.tray.slots import MOST, arm_entry
from pages.shared.ui.exports import name_exports
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import switch

PAGES = {"accuracy": "Accuracy of the arms", "forgetting": "Forgetting", "memories": "Memories"}
Draw = Callable[[Stored, Compared, str], None]  # the experiment, its cells, the measure
VIEWS: dict[str, tuple[str, Draw]] = {
    "table": ("Table", result_views.draw_table_view),
    "cells": ("All cells", result_views.draw_cells),
    "curves": ("Curves", result_views.draw_curves),
    "differences": ("Differences", result_tests.draw_differences),
    "ranks": ("Ranks", result_tests.draw_ranks),
    "effects": ("Order and seed", result_tests.draw_effects),
}


def draw_results() -> None:
    """The experiment, its arms, the measure; one of the views; what is left out."""
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        stored = pick_experiment(above)
        measure = switch("measure", "Measure", MEASURES, "avg")
    labels = pick_labels("arms", "Arms", [arm.label for arm in stored.experiment.arms])
    view = switch(
        "view",
        "View",
        {name: title for name, (title, _) in VIEWS.items()},
        label_visibility="collapsed",
    )
    name_exports(stored.experiment.name)
    compared = _compared(stored, tuple(labels))
    n = len(compared.pairs)
    st.caption(
        f"{counted(len(compared.arms), 'arm')} compared in {counted(n, 'complete pair')} of "
        f"{len(stored.experiment.pairs):,}."
    )
    say_from_file(status_of(stored))
    _draw_links(stored, compared)
    if n:
        VIEWS[view][1](stored, compared, measure)
    else:
        _say_none(stored)
    _draw_left_out(compared)


def _draw_links(stored: Stored, compared: Compared) -> None:
    """The arms in the tray of the pages that show them as runs over orders and seeds."""
    arms = [arm_entry(stored.id, arm) for arm in compared.arms[:MOST]]
    if not arms:
        return
    query = {"runs": ",".join(arms), "run": arms[-1]}
    with st.container(horizontal=True, gap="small"):
        for page, label in PAGES.items():
            st.page_link(f"pages/{page}.py", label=label, query_params=query)


def _compared(stored: Stored, labels: tuple[str, ...]) -> Compared:
    finished = status_of(stored).counts[FINISHED]
    state = (paths.database_url(), stored.id, finished, toml.write(stored.experiment))
    return _read(stored.experiment.name, labels, state)


@st.cache_resource(ttl=120, max_entries=24, show_spinner="Reading the finished cells …")
def _read(name: str, labels: tuple[str, ...], state: tuple[object, ...]) -> Compared:
    return experiment_tables.from_store(store(), catalog.load(store(), name), labels)


def _say_none(stored: Stored) -> None:
    st.info(
        "No pair is complete yet: a pair counts once all of these arms have finished it. Fewer "
        "arms may have a complete pair sooner.",
        icon=":material/hourglass_empty:",
    )
    query = {"experiment": stored.experiment.name}
    st.page_link(
        "pages/experiments.py",
        label="See how far it is",
        icon=":material/science:",
        query_params=query,
    )


def _draw_left_out(compared: Compared) -> None:
    """Every arm and pair that is not compared, with the reason."""
    sentences = compared.left_out()
    if not sentences:
        return
    with st.expander(f"Left out ({len(sentences)})", expanded=len(sentences) <= 3):
        for sentence in sentences[:50]:
            st.markdown(escape(sentence))
        if len(sentences) > 50:
            st.caption(f"and {len(sentences) - 50:,} more")
