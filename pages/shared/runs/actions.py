"""A run's head: its name and status, what can be done with it, where it can be looked at."""

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from core.analysis.choosing import stored_tasks
from core.analysis.durations import duration
from core.runs.checkpoints import CheckpointError
from core.runs.manager import manager
from core.runs.run import QUEUED, RUNNING, STOPPED, Run, StoreError
from pages.shared.access.runs import beside, store
from pages.shared.ui.address import key_of
from pages.shared.ui.text import STATUS, escape


def draw_head(run: Run, runs: Sequence[Run]) -> None:
    """Name, status and what can be done."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.subheader(escape(run.name), anchor=False, width="content")
        look = STATUS[run.status]
        word = "stopping" if run.stop_requested else run.status
        st.badge(word, icon=look.icon, color=look.colour, help=f"This run {look.means}.")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if run.can_resume:
            _button("Resume", ":material/play_arrow:", manager().resume, run.id, kind="primary")
        elif run.can_release:
            _go_on_without(run)
        elif run.status in (QUEUED, RUNNING):
            off = not run.can_stop
            _button("Stop", ":material/stop:", manager().stop, run.id, disabled=off)
        here = {"run": str(run.id)}
        _link("accuracy", "Accuracy", "show_chart", here)
        together = beside(run, runs)
        if len(together) > 1:
            _link("accuracy", "Compare", "compare_arrows", {"run": ",".join(map(str, together))})
        _link("forgetting", "Forgetting", "trending_down", here)
        if not stored_tasks(store(), [run.id]).empty:
            _link("memories", "Memories", "inventory_2", {"source": "runs"} | here)
        _link("launch", "Clone", "content_copy", {"clone": str(run.id)})
        _rename(run)
        _delete(run)


def _link(page: str, label: str, icon: str, query: dict[str, str]) -> None:
    file = f"pages/{page}.py"
    st.page_link(file, label=label, icon=f":material/{icon}:", query_params=query)


def _button(
    label: str,
    icon: str,
    action: Callable[[int], None],
    run: int,
    *,
    kind: Literal["primary", "secondary"] = "secondary",
    disabled: bool = False,
) -> None:
    st.button(
        label,
        icon=icon,
        type=kind,
        disabled=disabled,
        key=f"{label}/{run}",
        on_click=_try,
        args=(action, run),
    )


def _try(action: Callable[..., None], *args: object) -> None:
    """Do it; what can't be done is said once the page is drawn again: a callback draws nothing."""
    try:
        action(*args)
    except (StoreError, CheckpointError) as error:
        st.session_state[key_of("refused")] = str(error)


def say_refused() -> None:
    """What the last click asked for and could not be done."""
    refused = st.session_state.pop(key_of("refused"), None)
    if refused is not None:
        st.toast(escape(refused), icon=":material/error:")


def _rename(run: Run) -> None:
    key = f"name/{run.id}"
    with st.popover("Rename", icon=":material/edit:", type="tertiary"):
        st.text_input("Name", value=run.name, max_chars=120, key=key)
        take = lambda: _try(store().rename, run.id, st.session_state[key])  # noqa: E731
        st.button("Save", key=f"save/{run.id}", on_click=take, type="primary")


def _delete(run: Run) -> None:
    with st.popover("Delete", icon=":material/delete:", type="tertiary"):
        if run.status == RUNNING and not run.can_release:
            st.markdown("It is running: stop it first.")
            return
        st.markdown(f"Delete run {run.id} with its results and checkpoints? There is no way back.")
        _button("Delete it", ":material/delete_forever:", _deleted, run.id, kind="primary")


def _go_on_without(run: Run) -> None:
    """What to do with a run whose process is there but silent: nothing, unless somebody says so."""
    with st.popover("Silent process", icon=":material/hourglass_disabled:"):
        st.markdown(
            f"The process that carries the run out has given no sign of life for "
            f"{duration(run.silent)}: it is suspended, or its machine can't reach the store. Go on "
            "without it? What it still writes when it wakes is refused."
        )
        _button("Resume here", ":material/play_arrow:", _taken_over, run.id, kind="primary")
        _button("Stop it for good", ":material/stop:", _stopped, run.id)


def _taken_over(run: int) -> None:
    store().release(run)
    manager().resume(run)


def _stopped(run: int) -> None:
    store().release(run, STOPPED)


def _deleted(run: int) -> None:
    if store().run(run).can_release:
        store().release(run)
    manager().delete(run)
