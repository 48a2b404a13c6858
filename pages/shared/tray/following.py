"""Pages that follow runs which train: drawn again whenever one of them has got further."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from core.runs.run import QUEUED, RUNNING, Run, StoreError
from pages.shared.access.runs import find_run

EVERY = 3.0  # seconds between two looks at runs that train
_SEEN = "tray/seen"


def follow_training(runs: Sequence[Run], by: str = "task") -> None:
    """The page is drawn again whenever one of these runs has got a task (or an epoch) further."""
    ids = tuple(run.id for run in runs if run.status in (RUNNING, QUEUED))
    if ids:
        st.session_state[_SEEN] = _position(ids, by)
        _watch(ids, by)


@st.fragment(run_every=EVERY)
def _watch(ids: tuple[int, ...], by: str) -> None:
    st.caption(":material/sync: Follows a run that is not finished; zoom and choices stay.")
    with suppress(StoreError):
        if _position(ids, by) != st.session_state.get(_SEEN):
            st.rerun()


def _position(ids: tuple[int, ...], by: str) -> tuple[tuple[object, ...], ...]:
    """How far these runs are."""
    runs = [run for run in (find_run(str(id)) for id in ids) if run is not None]
    return tuple((run.id, run.status, *_at(run, by)) for run in runs)


def _at(run: Run, by: str) -> tuple[object, ...]:
    last = run.last_progress
    if last is None:
        return (len(run.tasks),)
    return (last.task, last.stage, last.epoch) if by == "epoch" else (last.task,)
