"""What can be done with several runs at once: compare, stop, resume, tag, put away, delete."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.runs.checkpoints import CheckpointError
from core.runs.labels import add_tags, archive, read_tags
from core.runs.manager import manager
from core.runs.run import RUNNING, Run, StoreError
from core.text import first_few
from pages.shared.access.runs import store
from pages.shared.runs.attempts import attempt, closing, delete
from pages.shared.ui.address import key_of
from pages.shared.ui.text import counted, escape


def draw_several(runs: Sequence[Run]) -> None:
    """The bar for the runs that are ticked."""
    ids = [run.id for run in runs]
    stoppable = [run.id for run in runs if run.can_stop]
    resumable = [run.id for run in runs if run.can_resume]
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{counted(len(runs), 'run')}**", width="content")
        st.page_link(
            "pages/accuracy.py",
            label="Compare",
            icon=":material/compare_arrows:",
            query_params={"run": ",".join(map(str, ids))},
        )
        _button("Stop", ":material/stop:", stoppable, manager().stop)
        _button("Resume", ":material/play_arrow:", resumable, manager().resume)
        _tag(ids)
        away = all(run.archived for run in runs)
        st.button(
            "Take out of the archive" if away else "Archive",
            icon=":material/unarchive:" if away else ":material/archive:",
            key="several/archive",
            on_click=attempt,
            args=(archive, store(), ids, not away),
        )
        _delete([run for run in runs if run.status != RUNNING or run.can_release], len(runs))


def _button(label: str, icon: str, ids: Sequence[int], action: Callable[[int], None]) -> None:
    st.button(
        f"{label} {len(ids)}" if ids else label,
        icon=icon,
        disabled=not ids,
        key=f"several/{label}",
        on_click=_each,
        args=(ids, action),
    )


def _each(ids: Sequence[int], action: Callable[[int], None]) -> None:
    """Do it with each; what can't be done with one does not keep the others from it."""
    faults = []
    for id in ids:
        try:
            action(id)
        except (StoreError, CheckpointError) as error:
            faults.append(str(error))
    if faults:
        st.session_state[key_of("refused")] = " ".join(faults)


def _tag(ids: Sequence[int]) -> None:
    with st.popover("Tag", icon=":material/sell:", key=closing("several/tag")):
        field = "several/tags"
        st.text_input("Tags to add", key=field, placeholder="baseline, for the paper")
        st.button("Add", type="primary", on_click=_tagged, args=(ids, field))


def _tagged(ids: Sequence[int], field: str) -> None:
    attempt(add_tags, store(), ids, read_tags(st.session_state[field]))
    st.session_state[field] = ""
    closing("several/tag", close=True)


def _delete(runs: Sequence[Run], chosen: int) -> None:
    if not runs:
        return
    with st.popover(f"Delete {len(runs)}", icon=":material/delete:", key=closing("several/delete")):
        names = first_few([f"{run.id} ({escape(run.name)})" for run in runs], 12)
        st.markdown(
            f"Delete {counted(len(runs), 'run')} with results and checkpoints? There is no way "
            f"back. {names}."
        )
        if len(runs) < chosen:
            st.caption("Runs that are going on stay: stop them first.")
        st.button(
            "Delete them",
            type="primary",
            icon=":material/delete_forever:",
            on_click=_deleted,
            args=([run.id for run in runs],),
        )


def _deleted(ids: Sequence[int]) -> None:
    _each(ids, delete)
    closing("several/delete", close=True)
