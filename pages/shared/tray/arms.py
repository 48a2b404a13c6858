"""Arms of experiments as pages take them: a label, and the finished runs behind it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st

from core import paths
from core.analysis.accuracy import Group
from core.experiments import catalog
from core.experiments.status import cells_query
from core.runs.rows import readable, run_rows
from core.runs.run import FINISHED, Run
from core.runs.tables import experiment_cells, runs
from pages.shared.access.runs import store
from pages.shared.tray import state
from pages.shared.tray.slots import arm_entry, parts_of

SHOWN = 8  # experiments whose arms are offered


@dataclass(frozen=True)
class ShownArm:
    """An arm of an experiment with its finished runs, in the order of the pairs."""

    entry: str  # in the tray
    label: str
    experiment: str
    runs: tuple[Run, ...]


def find_arm(entry: str) -> ShownArm | None:
    """None where there is no such arm, or its experiment can't be read."""
    (choice,) = _find([entry])
    return choice


def _find(entries: Sequence[str]) -> list[ShownArm | None]:
    by_id = {stored.id: stored.experiment for stored in catalog.look(store())[0].values()}
    choice: list[ShownArm | None] = []
    for entry in entries:
        id, arm = parts_of(entry)
        known = by_id.get(id)
        if known is None or not 0 <= arm < len(known.arms):
            choice.append(None)
            continue
        choice.append(ShownArm(entry, known.arms[arm].label, known.name, _finished(id, arm)))
    return choice


def tray_arms() -> list[ShownArm]:
    """The arms of the tray that have a finished run, in its order."""
    entries = state.slots().arms
    choice = _find(entries) if entries else []
    return [arm for arm in choice if arm is not None and arm.runs]


def selected_arm() -> ShownArm | None:
    """The arm that is selected; None where a run is, or nothing."""
    selected = state.slots().selected
    return find_arm(selected) if isinstance(selected, str) else None


def arm_groups(arms: Sequence[ShownArm], taken: Collection[str]) -> tuple[Group[Run], ...]:
    """The arms as groups of runs, under labels that are not taken."""
    groups: list[Group[Run]] = []
    for arm in arms:
        used = {*taken, *(group.label for group in groups)}
        label = f"{arm.label}, {arm.experiment}" if arm.label in used else arm.label
        groups.append(Group(label, arm.runs))
    return tuple(groups)


def offered() -> dict[str, str]:
    """Arms of the newest experiments by entry: `demo: EMR`."""
    return _offered(paths.database_url(), str(paths.home()))


@st.cache_data(ttl=10, max_entries=4, show_spinner=False)
def _offered(database: str, home: str) -> dict[str, str]:
    known = list(catalog.look(store())[0].values())
    return {
        arm_entry(stored.id, at): f"{stored.experiment.name}: {arm.label}"
        for stored in known[:SHOWN]
        for at, arm in enumerate(stored.experiment.arms)
    }


def _finished(experiment: int, arm: int) -> tuple[Run, ...]:
    cells = cells_query(experiment, experiment_cells.c.arm == arm).subquery()
    query = run_rows().join(cells, cells.c.run == runs.c.id).where(runs.c.status == FINISHED)
    return tuple(readable(store().fetch(query.order_by(cells.c.pair)))[0])
