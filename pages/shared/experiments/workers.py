"""Workers: how many this machine has at once, and all that have given a sign of life."""

import socket

import pandas as pd
import streamlit as st

from core import paths
from core.analysis.durations import duration
from core.options import ConfigError
from core.runs import settings, worker_list
from core.runs.manager import manager
from core.runs.pool import MOST_WORKERS, default_workers
from core.runs.worker_list import SeenWorker
from pages.shared.access.runs import store
from pages.shared.ui.address import key_of
from pages.shared.ui.clicked import newly, selected_row
from pages.shared.ui.opening import live
from pages.shared.ui.tables import pick_row
from pages.shared.ui.text import escape

EVERY = 3.0  # seconds between two looks
SILENT = 30.0  # seconds after which a worker is not counted on
COLUMNS = {
    "Run": st.column_config.NumberColumn(width=60),
    "Does": st.column_config.TextColumn(width=330),
    "Since": st.column_config.DatetimeColumn(format="D MMM, HH:mm", width=115),
    "Sign of life": st.column_config.TextColumn(help="how long ago it last gave one"),
}


def at_hand() -> int:
    """How many workers can be counted on: those this machine is to have, or all that are seen."""
    return _at_hand(paths.database_url(), str(paths.home()))


@st.cache_data(ttl=4, max_entries=4, show_spinner=False)
def _at_hand(database: str, home: str) -> int:
    seen = sum(worker.silent < SILENT for worker in worker_list.workers(store()))
    try:
        return max(1, seen, settings.wanted_workers(store()))
    except ConfigError:  # TOTAL_RECALL_WORKERS is no number: the setting says so
        return max(1, seen)


def draw_setting() -> None:
    """How many workers this machine has for the app at once."""
    number, why = default_workers()
    st.markdown(
        f"**On this machine** ({escape(socket.gethostname())}): one worker is a thread of the app, "
        "more are processes of their own, which end with it. Workers elsewhere that reach the same "
        "store (`python -m core worker`) take from the same queue."
    )
    try:
        fixed = settings.fixed_workers()
    except ConfigError as error:
        st.error(escape(error), icon=":material/error:")
        return
    if fixed is not None:
        st.info(f"TOTAL_RECALL_WORKERS = {fixed} goes before what is chosen here.")
    chosen = settings.workers(store())
    now = number if chosen is None else chosen
    key = key_of("workers")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.number_input(
            "Workers at once",
            0,
            MOST_WORKERS,
            now,
            key=key,
            width=200,
            disabled=fixed is not None,
            help=f"By default {number}: {escape(why)}. With 0 what waits is left to workers "
            "elsewhere, or to a Ray cluster.",
        )
        st.button("Set", on_click=_settle, args=(key,), type="primary", disabled=fixed is not None)
        if chosen is not None:
            st.button(f"Back to the default, {number}", on_click=_settle, args=(None,))
    state = "chosen here" if chosen is not None else f"the default: {escape(why)}"
    st.caption(f"Now {now}, {state}. A change takes effect within five seconds.")
    if st.session_state.pop(key_of("refused"), None):
        st.error("That number of workers was refused.", icon=":material/error:")


def _settle(key: str | None) -> None:
    number = None if key is None else int(st.session_state[key])
    try:
        settings.set_workers(store(), number)
        manager().workers.wake()
    except ConfigError:
        st.session_state[key_of("refused")] = True


@live(EVERY)
def draw_workers() -> None:
    """All workers: where, on what, what they do, when last seen; a click on a row opens its run."""
    known = worker_list.workers(store())
    if not known:
        st.info("No worker has given a sign of life yet.", icon=":material/hourglass_empty:")
        return
    with st.container(key="live"):
        key = f"{key_of('workers')}/table/{hash(tuple((w.host, w.pid, w.run) for w in known))}"
        pick_row(table(known), COLUMNS, key=key, missing="–")
        st.caption("Choose a row to open the run that the worker carries out.")
        row = newly("worker", selected_row(key, len(known)))
    if row is not None and known[row].run is not None:
        st.switch_page("pages/runs.py", query_params={"run": str(known[row].run)})


def table(known: list[SeenWorker]) -> pd.DataFrame:
    """A row for each worker."""
    rows = [
        {
            "Host": worker.host,
            "Device": worker.device,
            "Kind": worker.kind,
            "Process": str(worker.pid),
            "Run": worker.run,
            "Does": worker.run_name or "waits for work",
            "Since": worker.since,
            "Sign of life": f"{duration(round(worker.silent))} ago",
        }
        for worker in known
    ]
    return pd.DataFrame(rows).astype({"Run": "Int64"})
