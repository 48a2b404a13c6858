"""What can be done with an experiment: start, pause, go on, cancel, retry, add, prefer, delete."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core.analysis.experiment_tables import cells_as_text
from core.experiments import catalog, toml, work
from core.experiments.catalog import Stored
from core.experiments.experiment import Arm, Pair
from core.experiments.status import Status
from core.runs import queue
from core.runs.run import FAILED, FINISHED, QUEUED
from core.runs.store import Store
from pages.shared.access.runs import store
from pages.shared.experiments.arms import pick_arms
from pages.shared.experiments.on_click import try_it
from pages.shared.experiments.on_ray import draw_on_ray
from pages.shared.ui.address import key_of
from pages.shared.ui.text import counted

ARMS_AS_TOML = (
    '[[arms]]\nlabel = "Total Recall, memory 25"\nmethod = "total_recall"\nmemory_size = 25'
)


def draw_actions(stored: Stored, now: Status) -> None:
    """Buttons for what its state allows, and where its results are."""
    name, counts = stored.experiment.name, now.counts
    open_cells = now.cells - counts[FINISHED] - counts[FAILED] - now.pending
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if now.pending and not stored.paused:
            _button("Pause", ":material/pause:", work.pause, name)
        elif open_cells or now.pending:
            label = "Go on" if counts[FINISHED] or now.pending else "Start"
            _button(label, ":material/play_arrow:", work.enqueue, name, primary=True)
        if open_cells and now.pending and not stored.paused:
            label = f"Queue {counted(open_cells, 'cell')} more"
            _button(label, ":material/playlist_add:", work.enqueue, name)
        if counts[QUEUED]:
            _button("Cancel what waits", ":material/playlist_remove:", work.cancel, name)
        if counts[FAILED]:
            label = f"Retry {counted(counts[FAILED], 'failed cell')}"
            _button(label, ":material/replay:", work.retry, name)
        query = {"experiment": name}
        st.page_link(
            "pages/results.py", label="Results", icon=":material/bar_chart:", query_params=query
        )
        draw_on_ray(stored, off=not (open_cells or now.pending))
        _add(stored)
        _prefer(stored)
        _files(stored)
        _delete(stored)


def _button(
    label: str, icon: str, action: Callable[..., Any], *args: Any, primary: bool = False
) -> None:
    kind = "primary" if primary else "secondary"
    key = f"{key_of(label.split()[0])}/{args[0]}"
    st.button(label, icon=icon, type=kind, key=key, on_click=try_it, args=(action, *args))  # type: ignore[arg-type]


def _add(stored: Stored) -> None:
    name = stored.experiment.name
    with st.popover("Add", icon=":material/add:", type="tertiary"):
        st.markdown("More pairs or arms; finished cells stay what they are.")
        key = f"{key_of('more')}/{stored.id}"
        st.number_input(
            "More pairs",
            0,
            10_000,
            0,
            key=f"{key}/pairs",
            help="Order seeds and seeds go on from the largest there are.",
        )
        arms = pick_arms(f"{key}/", in_address=False)
        st.text_area("Other arms, as TOML", key=f"{key}/toml", placeholder=ARMS_AS_TOML, height=120)
        take = lambda: try_it(_added, name, arms, key)  # noqa: E731
        st.button("Add them", key=f"{key}/take", on_click=take, type="primary")


def _added(store: Store, name: str, arms: list[Arm], key: str) -> str:
    """The definition gets what the form says; its cells are queued once it goes on."""
    stored = catalog.load(store, name)
    text = st.session_state[f"{key}/toml"]
    if text.strip():
        arms = [*arms, *toml.read_arms(text, stored.experiment.base, "Other arms")]
    pairs = next_pairs(stored.experiment.pairs, st.session_state[f"{key}/pairs"])
    more = work.add(store, name, arms, pairs).experiment
    return f"{counted(more.size, 'cell')} by now; the new ones are queued by Go on."


def next_pairs(pairs: tuple[Pair, ...], count: int) -> tuple[Pair, ...]:
    """So many pairs that go on from the largest order seed and seed."""
    largest = max((max(pair.order_seed, pair.seed) for pair in pairs), default=0)
    return tuple(Pair(largest + n, largest + n) for n in range(1, count + 1))


def _prefer(stored: Stored) -> None:
    with st.popover("Priority", icon=":material/low_priority:", type="tertiary"):
        st.markdown(
            f"Runs launched by hand have {queue.BY_HAND}, experiments {queue.CELLS} unless "
            "changed here. What has more goes first; among equals experiments take turns, pair by "
            "pair."
        )
        key = f"{key_of('priority')}/{stored.id}"
        st.number_input("Priority", -1000, 1000, stored.priority, step=1, key=key)
        take = lambda: try_it(work.prefer, stored.experiment.name, st.session_state[key])  # noqa: E731
        st.button("Set it", key=f"{key}/take", on_click=take, type="primary")


def _files(stored: Stored) -> None:
    name = stored.experiment.name
    with st.popover("Files", icon=":material/description:", type="tertiary"):
        text = toml.write(stored.experiment)
        st.download_button(
            "Save as TOML",
            text,
            file_name=f"{name}.toml",
            mime="application/toml",
            key=f"{key_of('toml')}/{stored.id}",
            on_click="ignore",
            icon=":material/download:",
        )
        st.download_button(
            "Save the finished cells as JSON",
            partial(cells_as_text, store(), stored.id),
            file_name=f"{name}.json",
            mime="application/json",
            key=f"{key_of('cells')}/{stored.id}",
            on_click="ignore",
            icon=":material/download:",
            help="Another store takes them over: Experiments, New, Finished cells.",
        )
        query = {"view": "new", "start": "toml", "of": name}
        st.page_link(
            "pages/experiments.py",
            label="Make another of it",
            icon=":material/content_copy:",
            query_params=query,
        )
        st.code(text, language=None, height=320)


def _delete(stored: Stored) -> None:
    with st.popover("Delete", icon=":material/delete:", type="tertiary"):
        st.markdown("Forget this experiment? What waits is cancelled; its runs stay.")
        _button(
            "Delete it", ":material/delete_forever:", _deleted, stored.experiment.name, primary=True
        )


def _deleted(store: Store, name: str) -> None:
    stored = catalog.load(store, name)
    work.cancel(store, name)
    work.pause(store, name)
    catalog.delete_experiment(store, stored.id)
