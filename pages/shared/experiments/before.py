"""Before an experiment starts, or goes on: how many cells are there, how long, how much disk."""

import streamlit as st

from core import paths
from core.analysis.durations import duration
from core.data.base import DataError
from core.experiments import catalog
from core.experiments.catalog import Stored
from core.experiments.outlook import Outlook, outlook
from core.experiments.status import Status
from core.options import ConfigError
from core.text import first_few
from pages.shared.access.runs import store
from pages.shared.ui.address import key_of
from pages.shared.ui.text import counted, escape, size

MEASURE_SECONDS = 1.0  # of steps of each arm


def draw_outlook(stored: Stored, now: Status, workers: int) -> None:
    """Cells, hours for the workers at hand, disk; a button to time a few steps where unknown."""
    key = f"{key_of('measured')}/{stored.id}"
    try:
        state = (stored.id, str(sorted(now.counts.items())), paths.database_url())
        ahead = st.session_state.get(key) or _outlook(stored.experiment.name, state)
    except (ConfigError, DataError) as error:
        st.error(escape(error), icon=":material/error:")
        return
    with st.container(border=True):
        left, middle, right, far = st.columns(4)
        left.metric("Cells to carry out", f"{ahead.left:,}", help=_of(ahead))
        middle.metric(f"Time with {counted(workers, 'worker')}", time_in_words(ahead, workers))
        right.metric(
            "Disk",
            "not known" if ahead.disk is None else f"about {size(ahead.disk)}",
            help="at the mean of the runs that have finished here",
        )
        far.metric(
            "There already",
            f"{ahead.finished:,} of {ahead.cells:,}",
            help="finished runs of the same configuration",
        )
        _draw_range(ahead, workers)
        if ahead.unknown and key not in st.session_state:
            names = escape(first_few(ahead.unknown, 4))
            st.caption(f"No earlier run here compares with {names}.")
            if st.button("Measure a few steps", icon=":material/timer:", key=f"{key}/button"):
                with st.spinner("Measuring …"):
                    st.session_state[key] = outlook(store(), stored, MEASURE_SECONDS)
                st.rerun(scope="fragment")


def _of(ahead: Outlook) -> str:
    return f"of {counted(ahead.cells, 'cell')}; {ahead.finished:,} have finished"


def time_in_words(ahead: Outlook, workers: int) -> str:
    """`about 3 h 20 min`, for so many workers at once."""
    if ahead.seconds is None:
        return "not known"
    return f"about {duration(_rounded(ahead.seconds / workers))}"


def _draw_range(ahead: Outlook, workers: int) -> None:
    if ahead.low is not None and ahead.high is not None and ahead.seconds:
        low, high = (duration(_rounded(end / workers)) for end in (ahead.low, ahead.high))
        st.caption(f"{low} to {high}, from the rates that were measured on this machine.")


def _rounded(seconds: float) -> float:
    step = 1 if seconds < 60 else 10 if seconds < 600 else 60 if seconds < 36_000 else 600
    return max(step, round(seconds / step) * step)


@st.cache_data(ttl=60, max_entries=32, show_spinner="Estimating the time …")
def _outlook(name: str, state: tuple[object, ...]) -> Outlook:
    return outlook(store(), catalog.load(store(), name))
