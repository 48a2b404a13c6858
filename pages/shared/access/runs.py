"""Runs on pages: the store and the manager, finding runs, a table of them."""

from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from core.analysis.accuracy import latest
from core.analysis.settings import method_name
from core.data.naming import dataset_name, same_data
from core.runs.manager import manager
from core.runs.run import Run, StoreError, StoreUnavailable
from core.runs.store import Store
from core.text import first_few
from pages.shared.ui.address import read_whole
from pages.shared.ui.text import escape

SHOWN = 300  # runs in a list
NAMED = 5  # runs that a sentence names by their numbers
TOGETHER = 3600  # seconds between runs that were made to be compared


def store() -> Store:
    """The store of runs."""
    return manager().store


def say_unreadable() -> None:
    """Name the runs that the list leaves out, for this version can't read them."""
    for sentence in store().unreadable():
        st.warning(escape(sentence), icon=":material/history:")


def find_run(text: str) -> Run | None:
    """The run that this number names, or None."""
    try:
        return store().run(read_whole(text))
    except StoreUnavailable:
        raise
    except (ValueError, StoreError):
        return None


def title_of(run: Run) -> str:
    """A run as a choice in a list: plain text."""
    return f"{run.id} · {run.name}"


def beside(run: Run, runs: Sequence[Run], most: int = 8) -> list[int]:
    """The run, and those of `runs` on the same data set that were made within an hour of it."""
    near = [
        other.id
        for other in runs
        if other.id != run.id
        and same_data(other.config, run.config)
        and abs((other.created - run.created).total_seconds()) < TOGETHER
    ]
    return [run.id, *near][:most]


def warn_of_other_data(runs: Sequence[Run]) -> None:
    """Where these runs don't all learn the same data."""
    if not all(same_data(run.config, runs[0].config) for run in runs):
        names = dict.fromkeys(dataset_name(run.config) for run in runs)
        which = f" ({', '.join(names)})" if len(names) > 1 else ""
        st.warning(
            escape(f"These runs learn different data{which}: their curves don't compare."),
            icon=":material/warning:",
        )


def say_reduced(runs: Iterable[Run]) -> None:
    """What these runs have recorded, where their budget allowed less than they were to record."""
    by_text: dict[str, list[int]] = {}
    for run in runs:
        if run.facts is not None and run.facts.reduced:
            by_text.setdefault(run.facts.reduced, []).append(run.id)
    for text, ids in by_text.items():
        named = f"Run{'s' * (len(ids) > 1)} {first_few([str(id) for id in ids], NAMED)}"
        st.caption(
            f"{named}: recording was reduced to keep within its budget (recording_budget). "
            f"{escape(text)}"
        )


def overview(store: Store, runs: Sequence[Run]) -> pd.DataFrame:
    """What a list of runs shows, one row a run."""
    ends = latest(store, [run.id for run in runs]).set_index("run")
    rows = [
        {
            "Run": run.id,
            "Name": run.name,
            "Status": "stopping" if run.stop_requested else run.status,
            "Progress": 100 * run.progress,
            "Method": method_name(run.config),
            "Data set": dataset_name(run.config),
            "ACC_whole": 100 * ends.whole[run.id] if run.id in ends.index else None,
            "ACC_avg": 100 * ends.avg[run.id] if run.id in ends.index else None,
            "After": _reached(run, ends.after.get(run.id)),
            "Created": run.created,
        }
        for run in runs
    ]
    return pd.DataFrame(rows)


def _reached(run: Run, after: int | None) -> str | None:
    """After which of its tasks the run's accuracies are: `1 of 6`."""
    return None if after is None else f"{after + 1} of {max(len(run.tasks), after + 1)}"


COLUMNS = {
    "Run": st.column_config.NumberColumn(width=50),
    "Name": st.column_config.TextColumn(width=270),
    "Status": st.column_config.TextColumn(width=90),
    "Progress": st.column_config.ProgressColumn(format="%.0f %%", max_value=100, width=120),
    "ACC_whole": st.column_config.NumberColumn(
        format="%.1f %%", width=90, help="pooled over all tasks learned so far"
    ),
    "ACC_avg": st.column_config.NumberColumn(
        format="%.1f %%", width=90, help="mean over the tasks learned so far"
    ),
    "After": st.column_config.TextColumn(
        "After tasks",
        width=85,
        help="how many of the run's tasks these accuracies are measured after",
    ),
    "Created": st.column_config.DatetimeColumn(format="D MMM, HH:mm", width=115),
}
