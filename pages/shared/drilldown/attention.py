"""What the parsers that runs have kept attended to in a test row, computed on a click."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.analysis.traces import attention_table
from core.charts import parses as charts
from core.inspection.steps import Trace
from pages.shared.access.parsers import parsers_of
from pages.shared.drilldown.side import Side
from pages.shared.tray import draw_label
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import computed
from pages.shared.ui.tables import TEXT, draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick, switch

ALONG = {"parse": "its own parse", "gold": "the gold steps"}


def draw_attention(sides: Sequence[Side], after: str) -> None:
    """Computed from the parsers that the runs have kept, on a click."""
    st.subheader("Attention")
    along = switch("along", "The parser is led along", ALONG)
    wanted = {}
    for side in sides:
        run, k = side.rows.run, side.after(after)
        key = ("trace", run.id, str(run.created), side.rows.on, side.row, k, along)
        wanted[key] = partial(_look, side, k, along)
    traces = computed(wanted, f"Look into the parser after {escape(after)}")
    for column, side, trace in zip(st.columns(len(sides)), sides, traces, strict=True):
        with column:
            draw_label(side.rows.mark)
            _draw(side, trace, side.after(after), along, sides)


def _look(side: Side, k: int, along: str) -> Trace:
    steps = side.example.derivation if along == "gold" else None
    return parsers_of(side.rows.run).explain(k, side.example.utterance, side.rows.on, steps)


def _draw(side: Side, trace: Trace, k: int, along: str, sides: Sequence[Side]) -> None:
    recorded = side.recorded
    wrong = recorded.first_wrong[recorded.after == k].iloc[0]
    wrong = None if pd.isna(wrong) else int(wrong)
    present(
        charts.attention(trace, wrong),
        f"Attention over the words of the utterance at each step, along {ALONG[along]}; every line "
        "sums to 1. ✗ is the first wrong step of the parse.",
        attention_table(trace),
        key=f"attention/{side.rows.run.id}",
        file_name=f"attention_row_{side.row}_run_{side.rows.run.id}.csv",
        columns=len(sides),
    )
    _best(side, trace, wrong, side is sides[0])


def _best(side: Side, trace: Trace, wrong: int | None, first: bool) -> None:
    """What else the parser could have done at one step."""
    run = side.rows.run.id
    if not trace.steps:
        return
    labels = {str(t + 1): f"{t + 1} · {step.action}" for t, step in enumerate(trace.steps)}
    default = str(1 + min(wrong or 0, len(labels) - 1))
    step = trace.steps[int(pick("step" if first else f"step.{run}", "Step", labels, default)) - 1]
    prose(
        f"The likeliest of the {counted(step.applicable, 'applicable action')} for the slot "
        f"{escape(step.slot)}."
    )
    columns = {
        "action": TEXT("Action", width=420),
        "p": st.column_config.ProgressColumn("P", min_value=0, max_value=1, format="%.4f"),
    }
    best = pd.DataFrame(step.best, columns=["action", "p"])
    draw_table(best, columns, key=f"best/{run}", height="content", width=640)
