"""The tray in the side bar: the legend of the chosen runs, one of them selected, and the choice."""

from collections.abc import Sequence

import streamlit as st

from core.analysis.accuracy import latest
from core.charts.marks import Mark
from core.runs.run import FINISHED, Run
from pages.shared.access.runs import SHOWN, beside, find_run, store, title_of
from pages.shared.tray import state
from pages.shared.tray.arms import ShownArm, find_arm, offered
from pages.shared.tray.following import drawn_with
from pages.shared.tray.marks import set_marks
from pages.shared.tray.slots import MOST, Entry, Slots
from pages.shared.ui.text import counted, escape

_CHOSEN, _SELECTED = "tray/chosen", "tray/selected"
_SAID = 40  # letters of what an address names and isn't there
_FEW = 5  # of the names that are said


def draw_tray() -> str:
    """The tray as it now is, in the side bar; a sentence on what the address names and isn't there,
    empty where all is. Archived runs are not offered; an address may name them.
    """
    recent = [run for run in store().runs(limit=SHOWN) if not run.archived]
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
    arms = {entry: arm for entry in slots.arms if (arm := find_arm(entry))}
    unknown += [entry for entry in slots.arms if entry not in arms]
    slots = slots.holding(each for each in slots.entries if each in known or each in arms)
    if fresh:
        slots = _default(recent)
    state.write(slots, fresh or (state.by_default() and not changed))
    drawn_with(known)
    positions = {entry: slot for slot, entry in enumerate(slots.runs) if entry is not None}
    drawn = set_marks(positions, known.values(), arms.values())
    _draw(slots, drawn, known, arms)
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


def _draw(
    slots: Slots, drawn: dict[Entry, Mark], known: dict[int, Run], arms: dict[str, ShownArm]
) -> None:
    """The legend, of which one run or arm is selected, and the list to choose from."""
    st.caption("Runs")
    entries = slots.entries
    with st.container(key="tray"):
        with st.container():  # always there, lest the list below close as the last run leaves
            if entries:
                _draw_legend(entries, slots.selected, drawn, known, arms)
        with st.popover("Choose runs", icon=":material/checklist:", width="stretch"):
            _draw_choice(entries, known, arms)


def _draw_legend(
    entries: list[Entry],
    selected: Entry | None,
    drawn: dict[Entry, Mark],
    known: dict[int, Run],
    arms: dict[str, ShownArm],
) -> None:
    """The chosen runs and arms with their symbols, one of them selected."""
    st.html(_colours([drawn[entry] for entry in entries]))
    st.session_state[_SELECTED] = selected
    st.radio(
        "Selected run",
        entries,
        format_func=lambda entry: escape(drawn[entry].name),
        captions=[
            _of_arm(arms[entry]) if isinstance(entry, str) else _caption(known[entry])
            for entry in entries
        ],
        key=_SELECTED,
        label_visibility="collapsed",
        on_change=_select,
    )


def _draw_choice(entries: list[Entry], known: dict[int, Run], arms: dict[str, ShownArm]) -> None:
    """All runs and arms to choose from."""
    names: dict[Entry, str] = {id: title_of(run) for id, run in known.items()}
    names |= {entry: f"{arm.experiment}: {arm.label}" for entry, arm in arms.items()}
    names |= dict(offered().items())
    st.session_state[_CHOSEN] = entries
    st.multiselect(
        "Runs to look at and to compare",
        list(names),
        format_func=lambda entry: names[entry],
        key=_CHOSEN,
        max_selections=MOST,
        placeholder="Choose one run or several",
        on_change=_choose,
        help="They keep name, colour and symbol on every page. Pages that look at one run "
        "show the one selected in the side bar. Arms of experiments, below the runs, are runs "
        "over orders and seeds: Accuracy, Forgetting and Memories show their mean and spread.",
    )


def _of_arm(arm: ShownArm) -> str:
    return f"arm of {escape(arm.experiment)}, {counted(len(arm.runs), 'run')}"


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
