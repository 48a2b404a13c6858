"""The marks of the tray's runs on the page that is drawn."""

import html
from collections.abc import Iterable

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from core.analysis.short_names import short_names
from core.charts.marks import Mark
from core.runs.run import Run
from pages.shared.access.runs import title_of
from pages.shared.tray.arms import ShownArm
from pages.shared.tray.slots import Entry

SIGN, CHOSEN = " ", "Chosen as"  # headings of the tray's signs and short names in tables
_KEY = "tray/marks"


def set_marks(
    slots: dict[Entry, int], runs: Iterable[Run], arms: Iterable[ShownArm]
) -> dict[Entry, Mark]:
    """Name these runs and arms, which lie in these slots, for the page that begins."""
    kept = [run for run in runs if run.id in slots]
    names: dict[Entry, str] = dict(short_names(kept).items())
    for arm in arms:
        taken = arm.label in names.values()
        names[arm.entry] = f"{arm.label}, {arm.experiment}" if taken else arm.label
    drawn = {entry: Mark(name, slots[entry]) for entry, name in names.items()}
    st.session_state[_KEY] = drawn
    return drawn


def arm_mark(arm: ShownArm) -> Mark:
    """The look of an arm of the tray."""
    drawn: dict[Entry, Mark] = st.session_state.get(_KEY) or {}
    return drawn[arm.entry]


def mark(run: Run) -> Mark:
    """A run's name, colour and symbol; one that is not in the tray takes the first free slot."""
    drawn: dict[Entry, Mark] = st.session_state.get(_KEY) or {}
    if run.id in drawn:
        return drawn[run.id]
    taken = {each.slot for each in drawn.values()}
    free = next(slot for slot in range(len(taken) + 1) if slot not in taken)
    return Mark(short_names([run])[run.id], free)


def marks(runs: Iterable[Run]) -> dict[int, Mark]:
    """The marks of these runs, by number."""
    return {run.id: mark(run) for run in runs}


def with_signs(frame: pd.DataFrame) -> Styler | pd.DataFrame:
    """A table of runs, one a row by its `Run`, with sign and short name of those in the tray."""
    drawn: dict[Entry, Mark] = st.session_state.get(_KEY) or {}
    looks = [drawn.get(int(id)) for id in frame.Run]
    if not any(looks):
        return frame
    colours = ["" if look is None else f"color: {look.hex}" for look in looks]
    shown = frame.copy()
    shown.insert(0, SIGN, ["" if look is None else look.sign for look in looks])
    shown.insert(2, CHOSEN, ["" if look is None else look.name for look in looks])
    return shown.style.apply(lambda _: colours, subset=[SIGN])


def titles(runs: Iterable[Run]) -> dict[str, str]:
    """Choices of runs by number: the tray's first, by their names there; others as in lists."""
    drawn: dict[Entry, Mark] = st.session_state.get(_KEY) or {}
    known = sorted(runs, key=lambda run: run.id not in drawn)
    return {
        str(run.id): f"{drawn[run.id].name} (run {run.id})" if run.id in drawn else title_of(run)
        for run in known
    }


def draw_label(look: Mark) -> None:
    """A run's symbol, in its colour, and its name: what stands below is of this run."""
    sign = f'<span style="color:{look.hex}" aria-hidden="true">{look.sign}</span>'
    st.html(f'<strong class="run-label">{sign} {html.escape(look.name)}</strong>')
