"""One parse step by step, the gold steps after each task, and what a changed word changes."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from core.analysis.form_differences import excerpt
from core.analysis.traces import gold_table, step_table
from core.inspection.steps import BEST, Trace
from core.runs.run import Run
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, draw_table, fitting

if TYPE_CHECKING:
    from pages.shared.playground.views import Answer

PROBABILITY = st.column_config.ProgressColumn(
    "P", min_value=0, max_value=1, format="%.3f", width=90
)
NOT_APPLICABLE = "not in A_t"
FORM = 46  # letters of a form in the table of changes


def names_of(run: Run) -> list[str]:
    """The run's tasks with their numbers."""
    return [f"{k + 1} · {name}" for k, name in enumerate(run.tasks)]


def form_of(trace: Trace) -> str:
    """The form that was written, or that none was."""
    return trace.logical_form or "incomplete: slots are still open"


def draw_changed(answer: "Answer") -> None:
    """After each task: whether both utterances are parsed alike, and into what."""
    names, rows = names_of(answer.run), []
    for k, trace in answer.parse.items():
        changed = answer.changed.get(k)
        if isinstance(trace, Trace) and isinstance(changed, Trace):
            both = form_of(trace), form_of(changed)
            row: dict[str, Any] = {"after": names[k], "same": "=" if both[0] == both[1] else "≠"}
            row |= {"p": trace.probability, "p_changed": changed.probability}
            rows.append(row | {"form": both[0], "form_changed": both[1]})
    if not rows:
        return
    table = pd.DataFrame(rows)
    pairs = list(zip(table.form, table.form_changed, strict=True))
    shown = table.assign(
        form=[excerpt(left, right, FORM) for left, right in pairs],
        form_changed=[excerpt(right, left, FORM) for left, right in pairs],
    )
    columns = {
        "after": TEXT("After task", width=110),
        "same": TEXT("Forms", width=55, help="= where both utterances get the same form"),
        "p": NUMBER("P", format="%.3f", width=60),
        "p_changed": NUMBER("P, changed", format="%.3f", width=80),
        "form": TEXT("Logical form, around the difference", width=380),
        "form_changed": TEXT("With the word changed", width=380),
    }
    draw_table(
        shown,
        columns,
        key=f"changed/{answer.run.id}",
        file_name=f"changed_run_{answer.run.id}.csv",
        data=table,
        height="content",
    )


def draw_gold(run: Run, traces: Mapping[int, Trace]) -> None:
    """P and rank of every gold step after each task, however improbable it is."""
    if not traces:
        return
    table, names = gold_table(traces), names_of(run)
    texts = [
        f"{row.probability:.3f} · {row.rank} of {row.applicable}" if row.rank else NOT_APPLICABLE
        for row in table.itertuples()
    ]
    cells = table.assign(text=texts).pivot(index="step", columns="after", values="text")
    steps = table[table.after == table.after.iloc[0]].set_index("step")[["slot", "action"]]
    shown = steps.join(cells.rename(columns=str)).reset_index()
    columns = {
        "step": NUMBER("Step", width=45),
        "slot": TEXT("Slot", width=105),
        "action": TEXT("Gold action", width=fitting(shown.action, 170)),
    }
    columns |= {str(k): TEXT(names[k], width=120) for k in traces}
    prose(
        "The gold steps: P of each, given the gold steps before it, and its rank among the "
        "applicable actions (A_t), after every task."
    )
    draw_table(
        shown,
        columns,
        key=f"gold/{run.id}",
        file_name=f"gold_steps_run_{run.id}.csv",
        data=table.assign(after=[names[k] for k in table.after]),
        missing="",
        height="content",
    )


def draw_steps(run: Run, trace: Trace) -> None:
    """Each step of the parse with the most probable of its applicable actions."""
    table = step_table(trace)
    prose(
        f"The parse's own steps: each fills a slot with one of the applicable actions (A_t); the "
        f"{BEST} most probable are listed with their P, given the steps before."
    )
    shown = _shown(table)
    draw_table(
        shown,
        _columns(shown),
        key=f"steps/{run.id}",
        file_name=f"steps_run_{run.id}.csv",
        data=table,
        missing="",
    )


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """The steps with each of the best actions and its P in one cell."""
    shown = table[["step", "slot", "action", "probability", "applicable"]].copy()
    for rank in range(1, BEST + 1):
        pairs = zip(table[f"p_{rank}"], table[f"best_{rank}"], strict=True)
        shown[str(rank)] = ["" if pd.isna(p) else f"{p:.3f}  {name}" for p, name in pairs]
    return shown


def _columns(shown: pd.DataFrame) -> dict[str, Any]:
    columns = {
        "step": NUMBER("Step", width=45),
        "slot": TEXT("Slot", width=fitting(shown.slot, 115)),
        "action": TEXT("Action", width=fitting(shown.action, 160)),
        "probability": PROBABILITY,
        "applicable": NUMBER("of A_t", width=60, help="how many actions are applicable"),
    }
    for rank, name in enumerate(("1st", "2nd", "3rd", "4th", "5th"), start=1):
        columns[str(rank)] = TEXT(name, width=fitting(shown[str(rank)], 190))
    return columns
