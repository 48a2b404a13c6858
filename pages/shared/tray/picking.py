"""The tray's runs as pages take them: all that have what the page shows, or the selected one."""

from collections.abc import Collection, Sequence
from typing import NoReturn

import streamlit as st

from core.config import RunConfig
from core.data.naming import dataset_name, same_data
from core.runs.run import Run
from pages.shared.access.runs import beside, find_run, say_reduced
from pages.shared.tray import state
from pages.shared.tray.arms import ShownArm, tray_arms
from pages.shared.tray.following import follow_training
from pages.shared.tray.marks import draw_label, mark
from pages.shared.ui.exports import name_exports
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import pick

OFFERED = 3  # runs that a page without any offers
NONE = "none"  # nothing beside a run
_OTHER = "tray/other"
_ALONE = "Arms of experiments are not shown here: this page looks at single runs."
_EMPTY = "No run of the chosen arms has finished yet."


def with_records(runs: Sequence[Run], ids: Collection[int], why: str) -> list[Run]:
    """Those of the runs that have what a page shows; where none has, says why and ends the page."""
    kept = [run for run in runs if run.id in ids]
    if not kept:
        text = why if runs else "No run yet. Launch one, or start the demonstration."
        st.info(text, icon=":material/inbox:")
        say_reduced(runs)
        with st.container(horizontal=True):
            st.page_link("pages/launch.py", label="Launch a run", icon=":material/play_circle:")
            st.page_link("pages/runs.py", label="Watch the runs", icon=":material/list_alt:")
        follow_training(runs)
        st.stop()
    return kept


def tray_runs(known: Sequence[Run], what: str, by: str = "task") -> list[Run]:
    """Those of the tray that are among `known` (they have recorded `what`), in its order. Ends the
    page where there is none. Followed while they train, task `by` task or by each epoch.
    """
    runs, _ = tray_runs_and_arms(known, what, by, arms=False)
    return runs


def tray_runs_and_arms(
    known: Sequence[Run], what: str, by: str = "task", *, arms: bool = True
) -> tuple[list[Run], list[ShownArm]]:
    """As `tray_runs`, and beside them the tray's arms; without `arms` it is said that they are not
    shown here.
    """
    shown = tray_arms()
    ids, by_id = state.slots().ids, {run.id: run for run in known}
    runs = [by_id[id] for id in ids if id in by_id]
    lacking = [run for run in (find_run(str(id)) for id in ids if id not in by_id) if run]
    if not runs and not (arms and shown):
        _offer(lacking, known, what, _EMPTY if arms else _ALONE)
    if shown and not arms:
        st.caption(f":material/info: {_ALONE}")
    if lacking:
        st.caption(f":material/info: {_lacks(lacking, what)}")
    first = runs[0] if runs else shown[0].runs[0]
    name_exports(dataset_name(first.config), [run.id for run in runs])
    follow_training([*runs, *lacking], by)
    return runs, shown if arms else []


def selected_config() -> RunConfig | None:
    """What the tray's selected run learns, or the first of the selected arm; None where none is."""
    held = state.slots()
    arm = next((each for each in tray_arms() if each.entry == held.selected), None)
    run = arm.runs[0] if arm else None if held.run is None else find_run(str(held.run))
    return None if run is None else run.config


def selected_run(known: Sequence[Run], what: str) -> Run:
    """The tray's selected run; where it is not among `known` that is said, the others that are
    there are offered, and the page ends.
    """
    by_id = {run.id: run for run in known}
    selected = state.slots().selected
    if not isinstance(selected, int) or selected not in by_id:
        run = find_run(str(selected)) if isinstance(selected, int) else None
        _offer([] if run is None else [run], known, what)
    run = by_id[selected]
    name_exports(dataset_name(run.config), [run.id])
    follow_training([run])
    draw_label(mark(run))
    return run


def pick_other(run: Run, known: Sequence[Run], task: str | None = None) -> Run | None:
    """Another run of the tray to stand beside it, on the same data (and with this task), or none:
    the one chosen on whichever page before, else the first.
    """
    by_id = {each.id: each for each in known if task is None or task in each.tasks}
    runs = [by_id[id] for id in state.slots().ids if id in by_id and id != run.id]
    others = {str(o.id): o for o in runs if same_data(o.config, run.config)}
    names = {NONE: "none"} | {id: mark(other).name for id, other in others.items()}
    held = st.session_state.get(_OTHER)
    default = held if held in names else next(iter(others), NONE)
    chosen = pick("other", "Beside it", names, default)
    if others:
        st.session_state[_OTHER] = chosen
    other = others.get(chosen)
    if other is not None:
        name_exports(dataset_name(run.config), [run.id, other.id])
    return other


def _lacks(runs: Sequence[Run], what: str) -> str:
    """`TR, M 25 has recorded no predictions yet.`"""
    names = " and ".join(f"**{escape(mark(run).name)}** (run {run.id})" for run in runs)
    return f"{names} {'has' if len(runs) == 1 else 'have'} recorded no {what} (yet)."


def _offer(
    lacking: Sequence[Run], known: Sequence[Run], what: str, of_arms: str = _ALONE
) -> NoReturn:
    """None that is wanted has what the page shows: says so, offers those that have, the tray's
    first, and ends the page. Where nobody has chosen the tray, the page takes one of them itself.
    """
    tray = state.slots().ids
    runs = sorted(known, key=lambda run: run.id not in tray)  # the newest first in each part
    if state.by_default():
        state.show([runs[0].id, *(tray if runs[0].id in tray else beside(runs[0], known))], True)
        st.rerun()
    text = _lacks(lacking, what) if lacking else "No run is chosen; “Choose runs” in the side bar."
    if state.slots().arms and not lacking:
        text = of_arms
        ids = {run.id for arm in tray_arms() for run in arm.runs}
        runs.sort(key=lambda run: run.id not in ids)
    say_reduced(lacking)
    st.info(f"{text} These have:" if lacking else text, icon=":material/info:")
    with st.container(horizontal=True):
        for run in runs[:OFFERED]:
            look = mark(run)
            st.button(
                escape(
                    f"{look.sign} {look.name} (run {run.id})"
                    if run.id in tray
                    else f"{look.name} (run {run.id})"
                ),
                key=f"offer/{run.id}",
                on_click=state.add,
                args=(run.id,),
            )
    follow_training(lacking)
    st.stop()
