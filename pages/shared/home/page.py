"""The home page: the demonstration, the latest runs, the data at hand."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.data.io import inventory, vector_files
from core.data.io.inventory import Availability, State
from core.registry import DatasetEntry, datasets
from core.runs.run import Run
from core.validation.presets import DEMO, presets_of
from pages.shared.access import downloads
from pages.shared.access.runs import COLUMNS, overview, store
from pages.shared.home.demo import draw_demo
from pages.shared.tray import keep_in_step, with_signs
from pages.shared.ui.opening import live
from pages.shared.ui.text import escape, size

_ALL_VECTORS = "glove-6b-200"  # fetched as the archive of all four tables
LATEST = 5  # runs on the home page
LISTED = 50  # among which they are found, where some were put away
EVERY = 2.0  # seconds between two looks

INTRODUCTION = """A semantic parser turns questions into logical forms; taught one domain after the
other, it forgets the earlier ones. *Total Recall* (Li, Qu and Haffari, EMNLP 2021) keeps a small,
well-chosen memory of each and learns in a fast and a slow stage. Here such parsers are trained on
real data, watched while they learn, and compared."""


def draw_start() -> None:
    """The way to runs of one's own."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            "**Train your own**: a data set, the order of its tasks, a method and its memory. Runs "
            "wait in a queue, can be stopped and go on later.",
            width="stretch",
        )
        if st.button("Launch a run", icon=":material/play_circle:"):
            st.switch_page("pages/launch.py")


@live(EVERY)
def draw_state() -> None:
    """The demonstration, the latest runs and the data at hand, as they now stand.

    The demonstration comes first until there are runs of another kind.
    """
    recent = store().runs(limit=LISTED)
    keep_in_step(recent)
    with st.container(key="live"):
        runs = [run for run in recent if not run.archived][:LATEST]
        parts: list[Callable[[], None]] = [draw_demo, draw_start, lambda: _latest_runs(runs)]
        first = all(DEMO in presets_of(run.config) for run in runs)
        for part in parts if first else parts[::-1]:
            part()
            st.space("small")
        _data_at_hand()


def _data_at_hand() -> None:
    st.subheader("Data at hand", anchor=False)
    known = inventory.available()
    shown = [entry for entry in datasets.values() if entry.name != "upload"]
    for at, entry in enumerate(shown):
        if at % 2 == 0:
            row = st.columns(2, gap="medium")
        with row[at % 2]:
            _data_set(entry, known.get(entry.name))
    with st.columns(2, gap="medium")[0]:
        _word_vectors()


def _word_vectors() -> None:
    """GloVe: whether it is here, which tables; the archive brings them all."""
    tables = vector_files.TABLES
    states = {name: vector_files.availability(name) for name in tables}
    here = [name for name, state in states.items() if state.state is State.COMPLETE]
    under_way = downloads.downloads().get(_ALL_VECTORS)
    with st.container(border=True, gap="xsmall", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Word vectors: GloVe 6B**", width="stretch")
            if here:
                st.badge("here", icon=":material/check:", color="green")
            elif under_way is None or not under_way.under_way:
                note = f"{vector_files.CITATION} {vector_files.LICENCE}"
                _offer(_ALL_VECTORS, note, states[_ALL_VECTORS])
        st.caption(escape(vector_files.ABOUT))
        if here:
            st.caption(f"As embeddings: {escape(', '.join(here))}.")
        elif under_way is not None:
            _download(under_way)


def _latest_runs(runs: Sequence[Run]) -> None:
    if not runs:
        return
    st.subheader("Latest runs", anchor=False)
    table = with_signs(overview(store(), runs))
    st.dataframe(table, hide_index=True, column_config=COLUMNS, placeholder="–", key="latest")
    st.page_link("pages/runs.py", label="All runs", icon=":material/list_alt:")


def _data_set(entry: DatasetEntry, state: Availability | None) -> None:
    """One data set: what it is, whether it is here, a way to get it."""
    under_way = downloads.downloads().get(entry.name)
    with st.container(border=True, gap="xsmall", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escape(entry.label)}**", width="stretch")
            if state is None:
                st.badge("built in", icon=":material/check:", color="green")
            elif state.state is State.COMPLETE:
                st.badge("here", icon=":material/check:", color="green")
            elif under_way is None or not under_way.under_way:
                _offer(entry.name, f"{entry.citation} {entry.licence}", state)
        st.caption(escape(entry.summary))
        if under_way is not None and (state is None or state.state is not State.COMPLETE):
            _download(under_way)


def _offer(name: str, note: str, state: Availability) -> None:
    left = state.bytes - state.bytes_there
    st.button(
        f"Get ({size(left)})",
        icon=":material/download:",
        key=f"get/{name}",
        on_click=downloads.start,
        args=(name,),
        help=escape(note),
    )
    with st.popover("", icon=":material/more_horiz:", type="tertiary"):
        key = f"mirror/{name}"
        st.text_input(
            "From elsewhere",
            key=key,
            placeholder="URL or folder of a mirror",
            help="Laid out as the data folder is; every file is checked against its digest.",
        )
        take = lambda: downloads.start(name, st.session_state[key])  # noqa: E731
        st.button("Get from there", key=f"from/{name}", on_click=take)


def _download(download: downloads.Download) -> None:
    progress = download.progress
    if download.under_way:
        share = progress.bytes_done / progress.bytes if progress else 0.0
        words = (
            f"{size(progress.bytes_done)} of {size(progress.bytes)}" if progress else "Connecting …"
        )
        st.progress(min(1.0, share), text=words)
        st.button("Cancel", key=f"cancel/{download.dataset}", on_click=download.cancel)
    elif download.error:
        st.error(escape(download.error), icon=":material/cloud_off:")
