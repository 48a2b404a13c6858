"""The queue and one run of it, redrawn while it goes on: one fragment, always drawn."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.durations import duration
from core.events import Progress
from core.runs import settings
from core.runs.room import lacking_room
from core.runs.run import QUEUED, RUNNING, Run
from pages.shared.access.runs import SHOWN, store
from pages.shared.runs.actions import draw_head
from pages.shared.runs.attempts import say_refused
from pages.shared.runs.details import draw_details
from pages.shared.runs.figures import draw_figures
from pages.shared.runs.several import draw_several
from pages.shared.runs.table import choose_runs
from pages.shared.tray import keep_in_step
from pages.shared.ui.opening import live
from pages.shared.ui.text import escape

EVERY = 1.5  # seconds between two looks


@live(EVERY)
def draw_runs() -> None:
    """The table of runs, and below it the chosen one as it now stands."""
    say_refused()
    runs = store().runs(limit=SHOWN)
    keep_in_step(runs)
    if not runs:
        _say_empty()
        return
    with st.container(key="live"):
        choice = choose_runs(runs)
        if len(choice.ticked) > 1:
            draw_several(choice.ticked)
        run = choice.watched
        if run is None:
            return
        st.space("small")
        draw_head(run, runs)
        _state(run, runs)
        if run.progress > 0:  # else there is nothing to draw yet
            draw_figures(run)
        draw_details(run)


def _say_empty() -> None:
    st.info("No run yet. Launch one, or start the demonstration.", icon=":material/inbox:")
    with st.container(horizontal=True):
        st.page_link("pages/launch.py", label="Launch a run", icon=":material/play_circle:")
        st.page_link("app.py", label="Run the demonstration", icon=":material/home:")


def _state(run: Run, runs: Sequence[Run]) -> None:
    """How far it is, in a bar and a line of words; an error as it was recorded."""
    st.progress(run.progress, text=_words(run, runs))
    if run.status == RUNNING and (full := lacking_room()):
        st.warning(escape(full), icon=":material/hard_drive:")
    if run.error:
        st.error(escape(run.error), icon=":material/error:")


def _words(run: Run, runs: Sequence[Run]) -> str:
    if run.status == QUEUED:
        if not settings.wanted_workers(store()):
            return "Waiting for a worker elsewhere: here there are none (Experiments, Workers)."
        before = sum(other.id < run.id or other.status == RUNNING for other in _waiting(runs)) - 1
        return f"Waiting; {max(0, before)} before it." if before > 0 else "Waiting for a worker."
    last = run.last_progress
    parts = [f"{run.progress:.0%}"]
    if run.status == RUNNING and last:
        name = escape(run.task_name(last.task))
        parts.append(f"task {last.task + 1} of {len(run.tasks)}, {name}")
        parts.append(f"{escape(last.stage)} stage, epoch {_epoch(last)} of {last.epochs}")
    parts.append(f"{duration(run.seconds)} so far" if run.status == RUNNING else _took(run))
    if run.status == RUNNING and run.seconds_left is not None:
        parts.append(f"**{duration(run.seconds_left)} left**")
    return " · ".join(parts)


def _epoch(last: Progress) -> int:
    return min(last.epoch + 1, last.epochs)


def _took(run: Run) -> str:
    return f"took {duration(run.seconds)}" if run.seconds else "had not started"


def _waiting(runs: Sequence[Run]) -> list[Run]:
    return [run for run in runs if run.status in (QUEUED, RUNNING)]
