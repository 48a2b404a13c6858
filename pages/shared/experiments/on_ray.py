"""An experiment's cells on a Ray cluster: which, how much of it a cell takes, how it goes."""

import streamlit as st

from core.experiments import catalog, dispatcher
from core.experiments.catalog import Stored
from core.experiments.checks import check
from core.experiments.on_ray import MISSING, Share
from core.runs.store import Store
from pages.shared.experiments.on_click import try_it
from pages.shared.ui.address import key_of


def draw_on_ray(stored: Stored, *, off: bool) -> None:
    """The cluster's address, a cell's share of a node, the button; what the dispatcher says.

    `off`: nothing is left to be carried out.
    """
    key = f"{key_of('ray')}/{stored.id}"
    with st.popover("On Ray", icon=":material/hub:", type="tertiary"):
        st.markdown(
            "Carry the cells out on a [Ray](https://docs.ray.io) cluster, a cell a task. Workers "
            "of this app take cells of the same queue, unless there are 0; none is carried out "
            "twice."
        )
        st.page_link(
            "pages/experiments.py",
            label="How many workers this app has",
            icon=":material/engineering:",
            query_params={"view": "workers"},
        )
        here = dispatcher.is_installed()
        if not here:
            st.info(f"{MISSING}.", icon=":material/info:")
        st.text_input(
            "Address of the cluster",
            key=f"{key}/address",
            placeholder="begins one on this machine",
            help="HOST:PORT of its head. Nodes on other machines have to reach the store "
            "(PostgreSQL) and the folder of the runs, or an object store.",
        )
        st.number_input("CPUs a cell", 0.0, 1024.0, 1.0, 0.5, key=f"{key}/cpus")
        st.number_input("GPUs a cell", 0.0, 64.0, 0.0, 0.25, key=f"{key}/gpus")
        take = lambda: try_it(_dispatched, stored.experiment.name, key)  # noqa: E731
        off = off or not here
        st.button("Carry out on Ray", key=f"{key}/go", on_click=take, type="primary", disabled=off)
        said = dispatcher.last_words(dispatcher.log_of(stored.id))
        if said:
            st.caption("What the dispatcher has said last:")
            st.code(said, language=None, wrap_lines=True)


def _dispatched(store: Store, name: str, key: str) -> str:
    address, cpus, gpus = (
        st.session_state[f"{key}/{what}"] for what in ("address", "cpus", "gpus")
    )
    stored = catalog.load(store, name)
    check(stored.experiment)
    dispatcher.start(name, dispatcher.log_of(stored.id), address.strip(), Share(cpus, gpus))
    return "A dispatcher has begun: its cells appear once the cluster answers."
