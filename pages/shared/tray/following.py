"""Pages that follow runs which train: drawn again whenever one of them has got further."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import streamlit as st

from core.runs.run import QUEUED, RUNNING, Run, StoreError
from pages.shared.access.runs import find_run
from pages.shared.tray import state

EVERY = 3.0  # seconds between two looks at runs that train
_SEEN, _DRAWN = "tray/seen", "tray/drawn"


def follow_training(runs: Sequence[Run], by: str = "task") -> None:
    """The page is drawn again whenever one of these runs has got a task (or an epoch) further."""
    ids = tuple(run.id for run in runs if run.status in (RUNNING, QUEUED))
    if ids:
        st.session_state[_SEEN] = _position(ids, by)
        _watch(ids, by)


def drawn_with(known: Mapping[int, Run]) -> None:
    """The side bar shows the tray with these runs."""
    st.session_state[_DRAWN] = _look(known)


def keep_in_step(runs: Sequence[Run]) -> None:
    """For a part of a page that is drawn by itself: where the tray is not (any longer) as the side
    bar shows it, by a click here or because one of these runs has ended, the page is drawn again.
    """
    known = {run.id: run for run in runs}
    for id in state.slots().ids:
        if id not in known and (run := find_run(str(id))) is not None:
            known[id] = run
    if _look(known) != st.session_state.get(_DRAWN):
        drawn_with(known)
        st.rerun()


def _look(known: Mapping[int, Run]) -> tuple[object, ...]:
    held = state.slots()
    statuses = [(id, known[id].status) for id in held.ids if id in known]
    return (held.entries, held.selected, statuses)


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
