"""The queue and one run of it, redrawn while it goes on: one fragment, always drawn."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.durations import duration
from core.events import Progress
from core.runs.run import QUEUED, RUNNING, Run
from pages.shared.access.runs import COLUMNS, SHOWN, overview, store
from pages.shared.runs.actions import draw_head, say_refused
from pages.shared.runs.details import draw_details
from pages.shared.runs.figures import draw_figures
from pages.shared.ui.address import follow, key_of, publish, read_whole
from pages.shared.ui.opening import live
from pages.shared.ui.text import escape

EVERY = 1.5  # seconds between two looks


@live(EVERY)
def draw_runs() -> None:
    """The table of runs, and below it the chosen one as it now stands."""
    say_refused()
    runs = store().runs(limit=SHOWN)
    if not runs:
        _say_empty()
        return
    with st.container(key="live"):
        run = _choose(runs)
        publish("run", str(run.id))
        st.space("small")
        draw_head(run, runs)
        _state(run, runs)
        draw_figures(run)
        draw_details(run)


def follow_choice() -> None:
    """Take the run that the address asks for; called by the page, before the fragment."""
    follow("run", None, read_whole)


def _say_empty() -> None:
    st.info("No run yet. Launch one, or start the demonstration.", icon=":material/inbox:")
    with st.container(horizontal=True):
        st.page_link("pages/launch.py", label="Launch a run", icon=":material/play_circle:")
        st.page_link("app.py", label="Run the demonstration", icon=":material/home:")


def _choose(runs: Sequence[Run]) -> Run:
    """The table; the run that is chosen in it, else the one asked for, else the newest."""
    key, ids = key_of("run"), [run.id for run in runs]
    if st.session_state.get(key) not in ids:
        if st.session_state.get(key) is not None:
            st.toast(f"There is no run {escape(st.session_state[key])}.", icon=":material/info:")
        busy = [run.id for run in runs if run.status == RUNNING]
        st.session_state[key] = (busy or ids)[0]
    table = f"{key}/table/{hash(tuple(ids))}/{_asked(key)}"
    chosen = st.dataframe(
        overview(store(), runs),
        key=table,
        column_config=COLUMNS,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [ids.index(st.session_state[key])]}},
        placeholder="–",
    )
    if chosen.selection.rows:
        st.session_state[key] = ids[chosen.selection.rows[0]]
    st.session_state[f"{key}/drawn"] = st.session_state[key]
    if len(runs) == SHOWN:
        st.caption(f"The newest {SHOWN} runs are shown.")
    return runs[ids.index(st.session_state[key])]


def _asked(key: str) -> int:
    """Counts how often the choice came from elsewhere than the table: it is drawn anew then."""
    times: int = st.session_state.get(f"{key}/asked", 0)
    if st.session_state.get(f"{key}/drawn") != st.session_state[key]:
        times = st.session_state[f"{key}/asked"] = times + 1
    return times


def _state(run: Run, runs: Sequence[Run]) -> None:
    """How far it is, in a bar and a line of words; an error as it was recorded."""
    st.progress(run.progress, text=_words(run, runs))
    if run.error:
        st.error(escape(run.error), icon=":material/error:")


def _words(run: Run, runs: Sequence[Run]) -> str:
    if run.status == QUEUED:
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
