"""The playground's answer: the parse after each task, runs side by side, and one in full."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.analysis.traces import attention_table, step_table
from core.charts.parses import attention
from core.inspection.steps import BEST, Trace
from core.runs import checkpoints
from core.runs.run import Run
from pages.shared.access.parsers import FAULTS, parsers_of
from pages.shared.access.runs import title_of
from pages.shared.playground.page import Request
from pages.shared.ui.figures import present
from pages.shared.ui.memo import computed
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import escape, visible
from pages.shared.ui.widgets import pick

PROBABILITY = st.column_config.ProgressColumn(
    "P", min_value=0, max_value=1, format="%.3f", width=90
)
Answers = Mapping[int, Trace | str]  # by the task learned last; text where there is none, and why


def draw_answer(request: Request) -> None:
    """Parse on a click; then the parses of each run and one of them step by step."""
    answers = _answers(request)
    if request.gold is not None:
        st.markdown("**The row's logical form**")
        st.code(request.gold, language=None, wrap_lines=True)
    for column, run in zip(st.columns(len(request.runs), gap="medium"), request.runs, strict=True):
        with column:
            _parses(run, request, answers[run.id])
    st.divider()
    after = _pick_after(request.runs, answers)
    for column, run in zip(st.columns(len(request.runs), gap="medium"), request.runs, strict=True):
        with column:
            st.markdown(f"**{escape(title_of(run))}**")
            _in_full(run, after, answers[run.id].get(after))


def _answers(request: Request) -> Mapping[int, Answers]:
    """By run: what each of its parsers does with the utterance."""
    parsers = [(run, k) for run in request.runs for k in checkpoints.saved_parsers(run.id)]
    wanted: dict[tuple[object, ...], Callable[[], Trace | str]] = {}
    for run, k in parsers:
        key = ("parse", run.id, str(run.created), k, request.utterance, request.read_as(run))
        wanted[key] = partial(_explained, run, k, request)
    answers: dict[int, dict[int, Trace | str]] = {run.id: {} for run in request.runs}
    for (run, k), answer in zip(parsers, computed(wanted, "Parse"), strict=True):
        answers[run.id][k] = answer
    return answers


def _explained(run: Run, k: int, request: Request) -> Trace | str:
    try:
        trace = parsers_of(run).explain(k, request.utterance, request.read_as(run))
    except FAULTS as error:
        return str(error)
    return replace(trace, words=tuple(map(visible, trace.words)))


def _parses(run: Run, request: Request, answers: Answers) -> None:
    """The utterance as the run reads it, and its parse after each task."""
    st.markdown(f"**{escape(title_of(run))}**")
    traces = {k: answer for k, answer in answers.items() if isinstance(answer, Trace)}
    for fault in dict.fromkeys(answer for answer in answers.values() if isinstance(answer, str)):
        st.warning(escape(fault), icon=":material/warning:")
    if not traces:
        return
    _words(next(iter(traces.values())))
    names = _names(run)
    rows = []
    for k, trace in traces.items():
        row = {"after": names[k], "probability": trace.probability}
        if request.gold is not None:
            row["right"] = "✓" if trace.logical_form == request.gold else "✗"
        row["logical_form"] = trace.logical_form or "incomplete: slots are still open"
        row |= {"complete": "✓" if trace.complete else "✗", "steps": len(trace.steps)}
        rows.append(row | {"read_as": names[trace.task]})
    table = pd.DataFrame(rows)
    columns = {
        "after": TEXT("After task", width=110),
        "probability": PROBABILITY,
        "right": TEXT("Right", width=50, help="whether it is exactly the row's form"),
        "logical_form": TEXT("Logical form", width=430 if len(request.runs) > 1 else 640),
        "complete": TEXT("Complete", width=75, help="whether no slot is open"),
        "steps": NUMBER("Steps", width=55),
        "read_as": TEXT("Read as", width=100, help="the task that it was read as"),
    }
    draw_table(
        table,
        columns,
        key=f"parses/{run.id}",
        file_name=f"parses_run_{run.id}.csv",
        height="content",
    )


def _words(trace: Trace) -> None:
    """The utterance with its unknown words marked."""
    shown = [
        escape(word) if known else f":orange-background[{escape(word)}]"
        for word, known in zip(trace.words, trace.known, strict=True)
    ]
    st.markdown(" ".join(shown))
    if not all(trace.known):
        st.caption("Marked words are in no training row; all of them are read as one unknown word.")


def _names(run: Run) -> list[str]:
    return [f"{k + 1} · {name}" for k, name in enumerate(run.tasks)]


def _pick_after(runs: Sequence[Run], answers: Mapping[int, Answers]) -> int:
    """The task after which the steps are shown: the last unless the address says."""
    known = sorted({k for by_task in answers.values() for k in by_task})
    labels = {}
    for k in known:
        names = dict.fromkeys(_names(run)[k] for run in runs if k < len(run.tasks))
        labels[str(k + 1)] = " / ".join(names)
    return int(pick("after", "Step by step, after task", labels, str(known[-1] + 1))) - 1


def _in_full(run: Run, after: int, answer: Trace | str | None) -> None:
    """One parse: its form, its steps, where the parser looked."""
    if not isinstance(answer, Trace):
        missing = f"Run {run.id} has kept no parser after task {after + 1}."
        st.info(escape(answer or missing), icon=":material/inbox:")
        return
    if answer.complete:
        st.code(answer.logical_form, language=None, wrap_lines=True)
    else:
        st.info(
            f"The derivation came to no end: after {len(answer.steps)} steps slots are still open.",
            icon=":material/all_inclusive:",
        )
    table = step_table(answer)
    st.markdown(
        f"Each step fills a slot with one of the applicable actions (A_t); the {BEST} most "
        "probable are listed with their P, given the steps before."
    )
    draw_table(
        _shown(table),
        _columns(),
        key=f"steps/{run.id}",
        file_name=f"steps_run_{run.id}.csv",
        data=table,
        missing="",
    )
    present(
        attention(answer),
        "Attention over the words of the utterance (across) at each step (down): which words the "
        "parser looks at when it chooses the action. Every line sums to 1 (eq. 5 of the paper's "
        "appendix).",
        attention_table(answer),
        key=f"attention/{run.id}",
        file_name=f"attention_run_{run.id}.csv",
    )


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """The steps with each of the best actions and its P in one cell."""
    shown = table[["step", "slot", "action", "probability", "applicable"]].copy()
    for rank in range(1, BEST + 1):
        pairs = zip(table[f"p_{rank}"], table[f"best_{rank}"], strict=True)
        shown[str(rank)] = ["" if pd.isna(p) else f"{p:.3f}  {name}" for p, name in pairs]
    return shown


def _columns() -> dict[str, Any]:
    columns = {
        "step": NUMBER("Step", width=45),
        "slot": TEXT("Slot", width=115),
        "action": TEXT("Action", width=160),
        "probability": PROBABILITY,
        "applicable": NUMBER("of A_t", width=60, help="how many actions are applicable"),
    }
    for rank, name in enumerate(("1st", "2nd", "3rd", "4th", "5th"), start=1):
        columns[str(rank)] = TEXT(name, width=190)
    return columns
