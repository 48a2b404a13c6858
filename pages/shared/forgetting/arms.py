"""Arms of experiments: forgetting over runs in different orders, by tasks learned since."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core import paths
from core.analysis import arm_forgetting as analysis
from core.charts.arm_forgetting import since_learned
from pages.shared.access.runs import store
from pages.shared.forgetting.actions import action_column
from pages.shared.tray import ShownArm, arm_groups, arm_mark, draw_label, tray_arms
from pages.shared.ui.figures import present
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import find, pick

FIRST = 3  # tasks since, unless another number is chosen


def draw_arms(selected: ShownArm) -> None:
    """All arms of the tray over tasks since, then the selected one action by action."""
    arms = [arm for arm in tray_arms() if _records(arm) is not None]
    tables = {arm.entry: _records(arm) for arm in arms}
    records = tables.get(selected.entry)
    if records is None:
        why = "recorded how probable its actions are; imported ones have not"
        why = why if selected.runs else "finished yet"
        st.info(f"No run of the arm {escape(selected.label)} has {why}.", icon=":material/inbox:")
        return
    _since(arms, {entry: table for entry, table in tables.items() if table is not None})
    draw_label(arm_mark(selected))
    _actions(selected, records)


def _records(arm: ShownArm) -> pd.DataFrame | None:
    """None where its runs have recorded nothing."""
    records = _read(tuple(run.id for run in arm.runs), paths.database_url())
    return None if records.empty else records


@st.cache_data(ttl=600, max_entries=12, show_spinner="Reading the runs …")
def _read(runs: tuple[int, ...], database: str) -> pd.DataFrame:
    return analysis.since_learned(store(), runs)


def _since(arms: Sequence[ShownArm], tables: dict[str, pd.DataFrame]) -> None:
    labels = [group.label for group in arm_groups(arms, [])]
    named = dict(zip(labels, arms, strict=True))
    kinds = {label: analysis.by_kind(tables[arm.entry]) for label, arm in named.items()}
    counts = [len(arm.runs) for arm in arms]
    fewest, most = min(counts), max(counts)
    runs = counted(most, "run") if fewest == most else f"{fewest} to {most} runs"
    present(
        since_learned(kinds, {label: arm_mark(arm) for label, arm in named.items()}),
        f"P of actions on the training rows of the task that shows them first, by how many tasks "
        f"were learned since: means over an arm's {runs}, bands one standard deviation. Each run "
        "has its own order of tasks; the paper's figure of action probabilities has one run's.",
        pd.concat([table.assign(arm=label) for label, table in kinds.items()]),
        key="since",
        file_name="forgetting_since_learned.csv",
    )


def _actions(arm: ShownArm, records: pd.DataFrame) -> None:
    """Each action's forgetting, mean and deviation over the runs."""
    most = int(records.since.max())
    if not most:
        st.info("These runs have learned one task.", icon=":material/hourglass:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = find("in an action", width=300)
        choices = [str(at) for at in range(1, most + 1)]
        since = int(pick("since", "Tasks learned since", choices, str(min(FIRST, most))))
    table = analysis.by_action(records, since)
    table = table[table.text.str.contains(text, case=False, regex=False)]
    st.markdown(
        f"**Action by action**: P just learned less P {counted(since, 'task')} later, mean and "
        "standard deviation (SD) over the runs in which that many were learned since."
    )
    columns = {
        "text": action_column(table),
        "forgetting": NUMBER("Forgetting", format="%.3f", width=90),
        "deviation": NUMBER("SD", format="%.3f", width=70),
        "runs": NUMBER("Runs", width=55),
        "learned": NUMBER("P, just learned", format="%.3f", width=110),
        "left": NUMBER("P, then", format="%.3f", width=70),
        "curve": st.column_config.LineChartColumn("P, by tasks since", y_min=0, y_max=1, width=100),
        "kind": TEXT("Kind", width=105),
    }
    draw_table(
        table[list(columns)],
        columns,
        key=f"since/{arm.entry}",
        file_name="forgetting_by_action.csv",
        data=table.drop(columns="curve"),
        missing="–",
    )
