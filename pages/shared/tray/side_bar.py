"""The tray in the side bar: the legend of the chosen runs, one of them selected, and the choice."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.accuracy import latest
from core.charts.marks import Mark
from core.runs.run import FINISHED, Run
from pages.shared.access.runs import SHOWN, beside, find_run, store, title_of
from pages.shared.tray import state
from pages.shared.tray.marks import set_marks
from pages.shared.tray.slots import MOST, Slots
from pages.shared.ui.text import escape

_CHOSEN, _SELECTED = "tray/chosen", "tray/selected"
_SAID = 40  # letters of what an address names and isn't there
_FEW = 5  # of the names that are said


def draw_tray() -> str:
    """The tray as it now is, in the side bar; a sentence on what the address names and isn't there,
    empty where all is.
    """
    recent = store().runs(limit=SHOWN)
    fresh = state.untouched()
    slots, unknown = state.followed()
    changed = (slots.runs, slots.selected) != (state.slots().runs, state.slots().selected)
    known = {run.id: run for run in recent}
    for id in slots.ids:
        run = known.get(id) or find_run(str(id))
        if run is None:
            unknown.append(str(id))
        else:
            known[id] = run
    slots = slots.holding(id for id in slots.ids if id in known)
    if fresh:
        slots = _default(recent)
    state.write(slots, fresh or (state.by_default() and not changed))
    positions = {id: slot for slot, id in enumerate(slots.runs) if id is not None}
    drawn = set_marks(positions, known.values())
    _draw(slots, drawn, known)
    selected = None if slots.selected is None else drawn[slots.selected]
    return _unknown(state.not_deleted_here(unknown), selected)


def _default(recent: Sequence[Run]) -> Slots:
    """The newest run that has learned a task, selected, and those made to be compared with it."""
    learned = set(latest(store(), [run.id for run in recent]).run)
    trained = [run for run in recent if run.id in learned]
    first = next(iter(trained or recent), None)
    if first is None:
        return Slots()
    return Slots().holding(sorted(beside(first, trained))).selecting(first.id)


def _draw(slots: Slots, drawn: dict[int, Mark], known: dict[int, Run]) -> None:
    """The legend, of which one run is selected, and the list to choose from."""
    st.caption("Runs")
    ids = slots.ids
    with st.container(key="tray"):
        if ids:
            st.html(_colours([drawn[id] for id in ids]))
            st.session_state[_SELECTED] = slots.selected
            st.radio(
                "Selected run",
                ids,
                format_func=lambda id: escape(drawn[id].name),
                captions=[_caption(known[id]) for id in ids],
                key=_SELECTED,
                label_visibility="collapsed",
                on_change=_select,
            )
        with st.popover("Choose runs", icon=":material/checklist:", width="stretch"):
            st.session_state[_CHOSEN] = ids
            st.multiselect(
                "Runs to look at and to compare",
                list(known),
                format_func=lambda id: title_of(known[id]),
                key=_CHOSEN,
                max_selections=MOST,
                placeholder="Choose one run or several",
                on_change=_choose,
                help="They keep name, colour and symbol on every page. Pages that look at one run "
                "show the one selected in the side bar.",
            )


def _caption(run: Run) -> str:
    return f"run {run.id}" + ("" if run.status == FINISHED else f", {run.status}")


def _colours(drawn: Sequence[Mark]) -> str:
    """Style that puts each run's symbol, in its colour, before its name."""
    rules = [
        f'.st-key-tray [role="radiogroup"] > div:nth-of-type({n}) label p::before '
        f'{{ content: "{each.sign}\\00a0"; color: {each.hex}; }}'
        for n, each in enumerate(drawn, start=1)
    ]
    return f"<style>{' '.join(rules)}</style>"


def _select() -> None:
    state.hold(state.slots().selecting(st.session_state[_SELECTED]))


def _choose() -> None:
    state.hold(state.slots().holding(st.session_state[_CHOSEN]))


def _unknown(names: Sequence[str], selected: Mark | None) -> str:
    """What the address names and isn't there, and what is shown without it."""
    if not names:
        return ""
    cut = [name[:_SAID] + "…" * (len(name) > _SAID) for name in names[:_FEW]]
    cut += ["…"] if len(names) > _FEW else []
    listed = " and ".join(filter(None, [", ".join(cut[:-1]), cut[-1]]))
    which = "a run that isn't there" if len(names) == 1 else "runs that aren't there"
    instead = "" if selected is None else f"; {selected.name} is selected"
    return f"The address names {which}: {listed}{instead}."
