"""A run's head: its name and status, what can be done with it, where it can be looked at."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import streamlit as st

from core.analysis.choosing import stored_tasks
from core.analysis.durations import duration
from core.runs.labels import MOST_TAGS, NOTE_LENGTH, archive, describe, read_tags
from core.runs.manager import manager
from core.runs.run import QUEUED, RUNNING, STOPPED, Run
from pages.shared.access.runs import beside, store
from pages.shared.runs.attempts import attempt, closing, delete
from pages.shared.ui.text import STATUS, escape

PAGES = (  # where one run can be looked at: file, label, icon
    ("accuracy", "Accuracy", "show_chart"),
    ("forgetting", "Forgetting", "trending_down"),
    ("drilldown", "Drill-down", "manage_search"),
    ("error_curves", "Error curves", "stacked_line_chart"),
    ("playground", "Playground", "chat"),
    ("clusters", "Clusters", "bubble_chart"),
    ("report", "Report", "description"),
)


def draw_head(run: Run, runs: Sequence[Run]) -> None:
    """Name, status, tags and note, what can be done, where it can be looked at."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.subheader(escape(run.name), anchor=False, width="content")
        look = STATUS[run.status]
        word = "stopping" if run.stop_requested else run.status
        st.badge(word, icon=look.icon, color=look.colour, help=f"This run {look.means}.")
        for tag in run.tags:
            st.badge(escape(tag), color="gray", icon=":material/sell:")
    if run.note:
        st.markdown(escape(run.note))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if run.can_resume:
            _button("Resume", ":material/play_arrow:", manager().resume, run.id, kind="primary")
        elif run.can_release:
            _go_on_without(run)
        elif run.status in (QUEUED, RUNNING):
            off = not run.can_stop
            _button("Stop", ":material/stop:", manager().stop, run.id, disabled=off)
        _link("launch", "Clone", "content_copy", {"clone": str(run.id)})
        _describe(run)
        _archive(run)
        _delete(run)
    if run.progress > 0:
        _links(run, runs)


def _links(run: Run, runs: Sequence[Run]) -> None:
    """The pages on which the run can be looked at."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        here = {"run": str(run.id)}
        for file, label, icon in PAGES:
            _link(file, label, icon, here)
        together = beside(run, runs)
        if len(together) > 1:
            _link("accuracy", "Compare", "compare_arrows", {"run": ",".join(map(str, together))})
        if not stored_tasks(store(), [run.id]).empty:
            _link("memories", "Memories", "inventory_2", {"source": "runs"} | here)


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
        on_click=attempt,
        args=(action, run),
    )


def _describe(run: Run) -> None:
    """Name, tags and note; the popover closes once they are saved."""
    fields = {name: f"{name}/{run.id}" for name in ("name", "tags", "note")}
    popover = f"describe/{run.id}"
    with st.popover(
        "Rename, tag, note", icon=":material/edit:", type="tertiary", key=closing(popover)
    ):
        st.text_input("Name", value=run.name, max_chars=120, key=fields["name"])
        st.text_input(
            "Tags",
            value=", ".join(run.tags),
            key=fields["tags"],
            placeholder="baseline, for the paper",
            help=f"Commas between; at most {MOST_TAGS}.",
        )
        st.text_area("Note", value=run.note, max_chars=NOTE_LENGTH, key=fields["note"])
        st.button(
            "Save",
            key=f"save/{run.id}",
            on_click=_described,
            args=(run.id, fields, popover),
            type="primary",
        )


def _described(run: int, fields: dict[str, str], popover: str) -> None:
    name, tags, note = (st.session_state[field] for field in fields.values())
    attempt(store().rename, run, name)
    attempt(partial(describe, store(), run, tags=read_tags(tags), note=note))
    closing(popover, close=True)


def _archive(run: Run) -> None:
    st.button(
        "Take out of the archive" if run.archived else "Archive",
        icon=":material/unarchive:" if run.archived else ":material/archive:",
        type="tertiary",
        key=f"archive/{run.id}",
        on_click=attempt,
        args=(archive, store(), [run.id], not run.archived),
    )


def _delete(run: Run) -> None:
    popover = f"delete/{run.id}"
    with st.popover("Delete", icon=":material/delete:", type="tertiary", key=closing(popover)):
        if run.status == RUNNING and not run.can_release:
            st.markdown("It is running: stop it first.")
            return
        st.markdown(f"Delete run {run.id} with its results and checkpoints? There is no way back.")
        _button("Delete it", ":material/delete_forever:", delete, run.id, kind="primary")


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
