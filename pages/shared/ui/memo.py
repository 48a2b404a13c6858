"""Results that took a click to compute, kept by the value of what was asked; they open at once."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.data.base import DataError
from core.inspection.parsers import NoParser
from core.options import ConfigError
from core.runs.checkpoints import CheckpointError
from core.runs.run import FINISHED, Run
from pages.shared.ui.text import escape

T = TypeVar("T")
MOST = 400  # results kept; the one not looked at for longest goes first
FAULTS = (ConfigError, DataError, MemoryError, CheckpointError, NoParser, OSError)
Tell = Callable[[float, str], object]  # takes the share done, from 0 to 1, and words for it


class Results:
    """Values by key for the whole process; any thread may ask."""

    def __init__(self, most: int = MOST) -> None:
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def __contains__(self, key: object) -> bool:
        with self._lock:
            return key in self._kept

    def get(self, key: Any) -> Any:
        """What was kept under the key; None where nothing is (any longer)."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Any, value: Any) -> Any:
        """Keep the value, and return it."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value


@st.cache_resource
def results() -> Results:
    """The process's results."""
    return Results()


def remembered(key: tuple[object, ...], make: Callable[[], T], runs: Sequence[Run] = ()) -> T:
    """What `make` gives (never None), kept under the key and these runs where all of them have
    finished: what is drawn again and again is made once. Nobody may change it.
    """
    if any(run.status != FINISHED for run in runs):
        return make()
    whole = (*key, *((run.id, str(run.created)) for run in runs))
    known: T | None = results().get(whole)
    value: T = results().keep(whole, make()) if known is None else known
    return value


def computed(
    wanted: Mapping[Any, Callable[[], Any]],
    label: str,
    first: Callable[[Tell], None] | None = None,
) -> list[Any]:
    """The values wanted, by key and how to make them; none is None.

    Where some are not known yet, a button called `label` makes them one after the other; the page
    ends before that. `first` is what has to be done before, and tells how far it is. A click on
    Cancel, or on anything else, is heard between two values and where `first` tells something.
    """
    known = {key: results().get(key) for key in wanted}
    missing = [key for key, value in known.items() if value is None]
    if not missing:
        return list(known.values())
    area = st.empty()
    with area.container():
        go = st.button(label, type="primary", icon=":material/play_arrow:")
        st.caption("Computed on a click; what was computed once opens at once the next time.")
    if not go:
        st.stop()
    area.empty()
    with st.container():  # another than above, where greyed out the button would stay behind
        bar = st.progress(0.0, "Starting …")
        st.button("Cancel", icon=":material/close:")
        if first is not None:
            _carry_out(lambda: first(bar.progress))
        for number, key in enumerate(missing):
            bar.progress(number / len(missing), f"{number + 1} of {len(missing)} …")
            compute(key, wanted[key])
    st.rerun()


def compute(key: Any, make: Callable[[], Any]) -> Any:
    """Make a value and keep it; where that is not possible the page says so and ends."""
    return results().keep(key, _carry_out(make))


def _carry_out(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except FAULTS as error:
        st.error(escape(error), icon=":material/error:")
        st.stop()
