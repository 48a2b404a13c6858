"""The table of runs: found and filtered, with a column for each setting in which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.settings import settings
from core.config import RECORDING, RunConfig
from core.options import specs
from core.runs.run import RUNNING, STATUSES, Run
from pages.shared.access.runs import COLUMNS, SHOWN, find_run, overview, store
from pages.shared.tray import add, by_default, keep_in_step, show, slots, with_signs
from pages.shared.ui.address import key_of
from pages.shared.ui.options import label, shown, title
from pages.shared.ui.widgets import find, several, toggle

MOST_SETTINGS = 12  # columns of settings that vary
_SPECS = {spec.name: spec for spec in specs(RunConfig)}
_SAID = {"method", "dataset", "dataset.file"}  # by columns of their own


@dataclass(frozen=True)
class Choice:
    """What is chosen in the table: the runs that are ticked, and the one that is watched."""

    ticked: list[Run]
    watched: Run | None
    listed: list[Run]


def choose_runs(runs: Sequence[Run]) -> Choice:
    """Filters and table; a run that the address asks for is watched also where it is not listed."""
    listed = _filtered(runs)
    asked = _selected(listed)
    if not listed:
        st.info("No run is like that.", icon=":material/filter_alt_off:")
        return Choice([], asked, [])
    ids = [run.id for run in listed]
    ticked = _draw(listed, ids, None if asked is None else asked.id)
    by_id = {run.id: run for run in listed}
    if len(runs) == SHOWN:
        st.caption(f"The newest {SHOWN} runs are shown.")
    return Choice([by_id[id] for id in ticked], asked, listed)


def prefer_training() -> None:
    """Where nobody has chosen runs, one that trains is watched; called before the fragment."""
    if by_default():
        training = [run.id for run in store().runs(limit=SHOWN, statuses=[RUNNING])]
        if training and slots().selected not in training:
            show([training[0], *slots().entries], by_default=True)
            st.rerun()


def _filtered(runs: Sequence[Run]) -> list[Run]:
    """Those that the filters let through."""
    tags = sorted({tag for run in runs for tag in run.tags})
    away = sum(run.archived for run in runs)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = find("in names, settings, tags and notes", width=320).casefold()
        present = [status for status in STATUSES if any(run.status == status for run in runs)]
        states = several("status", "Status", {s: s for s in present}, [], placeholder="Any")
        wanted = several("tag", "Tags", {t: t for t in tags}, [], placeholder="Any") if tags else []
        archived = False
        if away:
            help = "Runs that were put away are left out of this table otherwise."
            archived = toggle("archived", f"Archived ({away})", False, help)
    return [
        run
        for run in runs
        if run.archived == archived
        and (not states or run.status in states)
        and set(wanted) <= set(run.tags)
        and text in _text_of(run)
    ]


def _text_of(run: Run) -> str:
    words = [str(run.id), run.name, run.config.method, run.config.dataset, *run.tags, run.note]
    words += [f"{name} {shown(value)}" for name, value in settings(run.config).items()]
    return " ".join(words).casefold()


def _selected(listed: Sequence[Run]) -> Run | None:
    """The tray's selected run; said where the table does not list it."""
    id = slots().run
    run = next((run for run in listed if run.id == id), None)
    if run is not None or id is None:
        return run
    run = find_run(str(id))
    if run is None:
        return None
    why = "it was put away" if run.archived else "the filters leave it out"
    st.caption(f"Run {run.id} is shown below the table, which does not list it: {why}.")
    return run


def _draw(runs: Sequence[Run], ids: list[int], watched: int | None) -> list[int]:
    """The table; the numbers of the runs that are ticked in it. One newly ticked is the tray's
    selected run from then on.
    """
    key, default = key_of("run"), [] if watched is None else [watched]
    before: list[int] = st.session_state.get(f"{key}/ticked", default)
    times: int = st.session_state.get(f"{key}/times", 0)
    if st.session_state.get(f"{key}/drawn") != watched:  # chosen elsewhere
        times = st.session_state[f"{key}/times"] = times + 1
        before = default
    frame, columns = tracked(runs)
    chosen = st.dataframe(
        with_signs(frame),
        key=f"{key}/table/{hash(tuple(ids))}/{times}",
        column_config=columns,
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        selection_default={"selection": {"rows": [ids.index(id) for id in before if id in ids]}},
        placeholder="–",
    )
    ticked = [ids[row] for row in chosen.selection.rows if row < len(ids)]
    new = [id for id in ticked if id not in before]
    st.session_state[f"{key}/ticked"] = ticked
    st.session_state[f"{key}/drawn"] = new[-1] if new else watched
    if new:
        add(new[-1])
        keep_in_step(runs)
    return ticked


def tracked(runs: Sequence[Run]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """What the table shows, one row a run, and its columns' looks."""
    frame = overview(store(), runs)
    more = varying(runs)
    words = {"Tags": [", ".join(run.tags) for run in runs], "Note": [run.note for run in runs]}
    for name, values in (more | {n: column for n, column in words.items() if any(column)}).items():
        frame.insert(list(frame.columns).index("Created"), name, values)
    numbers = st.column_config.NumberColumn(format="%g", width="small")
    kinds = {n: numbers for n in more if pd.api.types.is_numeric_dtype(frame[n])}
    return frame, COLUMNS | kinds


def varying(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """The settings that are not the same in all runs, under what people call them."""
    tables = [settings(run.config) for run in runs]
    names = dict.fromkeys(name for table in tables for name in table)
    columns: dict[str, list[Any]] = {}
    for name in names:
        values = [table.get(name) for table in tables]
        if name in _SAID or name in RECORDING or len({repr(value) for value in values}) == 1:
            continue
        if len(columns) < MOST_SETTINGS:
            columns[_heading(name)] = _column(values)
    return columns


def _column(values: Sequence[Any]) -> list[Any]:
    """Numbers as they are, so that they can be sorted; all else as text."""
    plain = [value for value in values if value is not None]
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in plain):
        return list(values)
    return [None if value is None else shown(value) for value in values]


def _heading(name: str) -> str:
    heading = title(_SPECS[name], name) if name in _SPECS else label(name)
    return f"{heading} " if heading in COLUMNS else heading
