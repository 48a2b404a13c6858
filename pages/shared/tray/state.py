"""What the session holds of the tray, and how it keeps step with the address.

`runs=3,,7` are the slots, `run=7` is the selected one. The address wins where it has changed since
it was last written (a link, a bookmark); otherwise the session does. What a fresh session shows
without an address is chosen once and then written out, so that the address opens the same view
after newer runs exist.
"""

from collections.abc import Iterable, Sequence

import streamlit as st

from pages.shared.tray.slots import Entry, Slots, read_slots

_SLOTS, _WRITTEN, _DEFAULT, _GONE = "tray/slots", "tray/written", "tray/default", "tray/gone"


def slots() -> Slots:
    """The tray as the session has it."""
    return Slots(*st.session_state.get(_SLOTS, ()))


def hold(held: Slots, by_default: bool = False) -> None:
    """Keep this; `by_default`: nobody has chosen it, so that a page may take other runs."""
    st.session_state[_SLOTS] = (held.runs, held.selected)
    st.session_state[_DEFAULT] = by_default


def by_default() -> bool:
    """Whether nobody has chosen these runs."""
    return bool(st.session_state.get(_DEFAULT))


def untouched() -> bool:
    """Whether neither the session nor the address says anything of runs."""
    chosen = _SLOTS in st.session_state and not (by_default() and not slots().entries)
    return not chosen and not {"runs", "run"} & set(st.query_params)


def show(ids: Sequence[Entry], by_default: bool = False) -> None:
    """Fill the tray with these runs, the first selected; for callbacks and before a page ends."""
    hold(slots().holding(ids).selecting(next(iter(ids), None)), by_default)


def add(*ids: Entry) -> None:
    """Put these runs into the tray where they aren't there, and select the first."""
    held = slots()
    hold(held.holding([*ids, *held.entries]).selecting(ids[0]))


def forget(id: int) -> None:
    """A run was deleted here: it leaves the tray, and nothing is said of it. Where none is left,
    the next page chooses anew.
    """
    held = slots()
    if id in held.ids:
        left = held.holding(each for each in held.entries if each != id)
        hold(left, by_default() or not left.entries)
        for name in () if left.entries else ("runs", "run"):
            st.query_params.pop(name, None)
    st.session_state[_GONE] = {*st.session_state.get(_GONE, ()), str(id)}


def followed() -> tuple[Slots, list[str]]:
    """The tray by the address where that has changed, else by the session; what in the address is
    no number. What was deleted here is not said again.
    """
    held, strange = slots(), list[str]()
    runs, run = st.query_params.get("runs"), st.query_params.get("run")
    written = st.session_state.get(_WRITTEN, (None, None))
    if runs is not None and runs != written[0]:
        held, strange = read_slots(runs)
    if run is not None and (runs, run) != written:
        chosen, more = read_slots(run)
        strange += more
        if len(chosen.entries) > 1:  # as addresses were before there was a tray
            held = held.holding(chosen.entries)
        else:
            beside = read_slots(st.query_params.get("other", ""))[0].ids[:1]
            held = held.holding([*chosen.entries, *beside, *held.entries])
        held = held.selecting(next(iter(chosen.entries), None))
    return held, strange


def write(held: Slots, by_default: bool) -> None:
    """Into the session and into the address."""
    hold(held, by_default)
    text = (
        held.write() if held.entries or not by_default else None,
        None if held.selected is None else str(held.selected),
    )
    for name, value in zip(("runs", "run"), text, strict=True):
        if value is None:
            if name in st.query_params:
                del st.query_params[name]
        elif st.query_params.get(name) != value:
            st.query_params[name] = value
    st.session_state[_WRITTEN] = text


def not_deleted_here(names: Iterable[str]) -> list[str]:
    """Those of the names that are no runs which were deleted in this session, each once."""
    gone = st.session_state.get(_GONE, ())
    return [name for name in dict.fromkeys(names) if name not in gone]
