"""What a table of the paper has and nobody has run here: made an experiment by a click."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.analysis.exported_runs import ExportedRun
from core.analysis.paper_missing import missing
from core.data.base import DataError
from core.experiments import catalog
from core.experiments.checks import check
from core.experiments.experiment import DEFAULT_PAIRS, Experiment, default_pairs
from core.options import ConfigError
from core.registry import datasets
from core.runs.run import StoreError
from pages.shared.access.runs import store
from pages.shared.experiments.new import free_name
from pages.shared.ui.address import follow, publish, read_whole
from pages.shared.ui.text import counted, escape


def draw_missing(records: Sequence[ExportedRun], number: int) -> None:
    """A button for each data set, that makes an experiment of its missing cells."""
    st.subheader("What is missing")
    wanted = missing(records, number)
    if not wanted:
        st.success("Every cell that can be run here has been run.", icon=":material/check_circle:")
        return
    key = follow("pairs", DEFAULT_PAIRS, read_whole)
    st.session_state[key] = min(max(1, st.session_state[key]), 100)
    pairs: int = st.number_input(
        "Pairs of order and seed",
        1,
        100,
        key=key,
        width=220,
        help="The paper has 10; below 6 no difference can be significant at 0.05.",
    )
    publish("pairs", None if pairs == DEFAULT_PAIRS else str(pairs))
    for experiment in wanted:
        _draw_one(experiment.with_(pairs=default_pairs(pairs)))


def _draw_one(experiment: Experiment) -> None:
    arms, cells = len(experiment.arms), experiment.size
    label = datasets[experiment.base.dataset].label
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        clicked = st.button(
            f"Make an experiment for {label}", key=experiment.name, icon=":material/science:"
        )
        st.caption(
            f"{counted(arms, 'arm')}, {counted(cells, 'cell')}",
            help=escape("; ".join(arm.label for arm in experiment.arms)),
        )
    if clicked:
        _make(experiment)


def _make(experiment: Experiment) -> None:
    named = replace(experiment, name=free_name(experiment.name))
    try:
        check(named)
        catalog.create(store(), named)
    except (ConfigError, DataError, StoreError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    st.switch_page("pages/experiments.py", query_params={"experiment": named.name})
