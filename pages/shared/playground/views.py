"""The playground's answer: the parse after each task, runs side by side, and one in full."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from core.analysis.form_differences import differences, excerpt
from core.analysis.traces import attention_table
from core.charts.parses import attention
from core.inspection.steps import Trace
from core.inspection.utterances import unread_text
from core.runs import checkpoints
from core.runs.run import Run
from pages.shared.access.parsers import FAULTS, parsers_of
from pages.shared.drilldown.forms import draw_forms
from pages.shared.playground.page import Request
from pages.shared.playground.steps import (
    PROBABILITY,
    draw_changed,
    draw_gold,
    draw_steps,
    form_of,
    names_of,
)
from pages.shared.tray import draw_label, mark
from pages.shared.ui.figures import present
from pages.shared.ui.memo import computed
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import counted, escape, visible
from pages.shared.ui.widgets import pick

FORM_WIDE, FORM_NARROW = 96, 40  # letters of a form in the table of parses
Answers = Mapping[int, Trace | str]  # by the task learned last; text where there is none, and why
PARSE, CHANGED, GOLD = "parse", "changed", "gold"  # what is traced: its own parses, the gold form


@dataclass(frozen=True)
class Answer:
    """What a run's parsers do: with the utterance, with the changed one, along the gold form."""

    run: Run
    parse: Answers
    changed: Answers
    gold: Answers


def draw_answer(request: Request) -> None:
    """Parse on a click; then the parses of each run and one of them step by step."""
    answers = _answers(request)
    if request.gold is not None:
        st.markdown("**The row's logical form**")
        st.code(request.gold, language=None, wrap_lines=True)
    _beside(answers, lambda answer: _parses(request, answer))
    if request.changed:
        st.subheader("With a word changed")
        st.markdown(_compared_words(request.utterance, request.changed))
        _beside(answers, draw_changed)
    st.divider()
    after = _pick_after([answer.run for answer in answers], answers)
    _beside(answers, lambda answer: _in_full(request, answer, after))


def _beside(answers: Sequence[Answer], draw: Callable[[Answer], None]) -> None:
    for column, answer in zip(st.columns(len(answers), gap="medium"), answers, strict=True):
        with column:
            draw_label(mark(answer.run))
            draw(answer)


def _answers(request: Request) -> list[Answer]:
    """What each run's parsers do with what is asked; all of it is computed on one click."""
    parsers = [(run, k) for run in request.runs for k in checkpoints.saved_parsers(run.id)]
    utterances = {PARSE: request.utterance}
    utterances |= {CHANGED: request.changed} if request.changed else {}
    utterances |= {} if request.gold is None else {GOLD: request.utterance}
    wanted: dict[tuple[object, ...], Callable[[], Trace | str]] = {}
    for what, utterance in utterances.items():
        gold = request.gold if what == GOLD else None
        for run, k in parsers:
            key = ("parse", run.id, str(run.created), k, utterance, request.read_as(run), gold)
            wanted[key] = partial(_explained, run, k, utterance, request.read_as(run), gold)
    traced: dict[tuple[str, int], dict[int, Trace | str]] = {}
    names = [(what, run.id, k) for what in utterances for run, k in parsers]
    for (what, run_id, k), trace in zip(names, computed(wanted, "Parse"), strict=True):
        traced.setdefault((what, run_id), {})[k] = trace
    return [
        Answer(run, *(traced.get((what, run.id), {}) for what in (PARSE, CHANGED, GOLD)))
        for run in request.runs
    ]


def _explained(run: Run, k: int, utterance: str, task: int, gold: str | None) -> Trace | str:
    try:
        parsers = parsers_of(run)
        steps = None if gold is None else parsers.derivation(gold)
        if gold is not None and steps is None:
            return f"No row of run {run.id}'s data has this form."
        trace = parsers.explain(k, utterance, task, steps)
    except FAULTS as error:
        return str(error)
    return replace(trace, words=tuple(map(visible, trace.words)))


def _compared_words(utterance: str, changed: str) -> str:
    """The changed utterance with the words marked that the other doesn't have there."""
    words = differences(visible(utterance.lower()), visible(changed.lower()))[1]
    return "".join(
        token.blank
        + (f":blue-background[{escape(token.text)}]" if token.differs else escape(token.text))
        for token in words
    )


def _parses(request: Request, answer: Answer) -> None:
    """The utterance as the run reads it, and its parse after each task."""
    run = answer.run
    traces = {k: each for k, each in answer.parse.items() if isinstance(each, Trace)}
    for fault in dict.fromkeys(each for each in answer.parse.values() if isinstance(each, str)):
        st.warning(escape(fault), icon=":material/warning:")
    if not traces:
        return
    _words(next(iter(traces.values())))
    names = names_of(run)
    last = next(reversed(traces.values())).logical_form
    reference = request.gold if request.gold is not None else last
    most = FORM_NARROW if len(request.runs) > 1 else FORM_WIDE
    rows = []
    for k, trace in traces.items():
        row = {"after": names[k], "probability": trace.probability}
        if request.gold is not None:
            row["right"] = "✓" if trace.logical_form == request.gold else "✗"
        row["logical_form"] = form_of(trace)
        row |= {"complete": "✓" if trace.complete else "✗", "steps": len(trace.steps)}
        rows.append(row | {"read_as": names[trace.task]})
    table = pd.DataFrame(rows)
    shown = [excerpt(form, reference or "", most) for form in table.logical_form]
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
        table.assign(logical_form=shown),
        columns,
        key=f"parses/{run.id}",
        file_name=f"parses_run_{run.id}.csv",
        data=table,
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
    if trace.unread:
        st.warning(unread_text(trace.unread))


def _pick_after(runs: Sequence[Run], answers: Sequence[Answer]) -> int:
    """The task after which the steps are shown: the last unless the address says."""
    known = sorted({k for answer in answers for k in answer.parse})
    labels = {}
    for k in known:
        names = dict.fromkeys(names_of(run)[k] for run in runs if k < len(run.tasks))
        labels[str(k + 1)] = " / ".join(names)
    return int(pick("after", "Step by step, after task", labels, str(known[-1] + 1))) - 1


def _in_full(request: Request, answer: Answer, after: int) -> None:
    """One parse: its form beside the others, the gold steps, its own, where the parser looked."""
    run, trace = answer.run, answer.parse.get(after)
    if not isinstance(trace, Trace):
        missing = f"Run {run.id} has kept no parser after task {after + 1}."
        st.info(escape(trace or missing), icon=":material/inbox:")
        return
    _forms(request, trace, answer.changed.get(after))
    draw_gold(answer.run, {k: t for k, t in answer.gold.items() if isinstance(t, Trace)})
    draw_steps(run, trace)
    present(
        attention(trace),
        "Attention over the words of the utterance (across) at each step (down): which words the "
        "parser looks at when it chooses the action. Every line sums to 1 (eq. 5 of the paper's "
        "appendix).",
        attention_table(trace),
        key=f"attention/{run.id}",
        file_name=f"attention_run_{run.id}_after_{after + 1}.csv",
        columns=len(request.runs),
    )


def _forms(request: Request, trace: Trace, changed: Trace | str | None) -> None:
    """Gold form, parse and the changed utterance's parse, whole, with what differs marked."""
    forms = [] if request.gold is None else [("Gold", request.gold)]
    forms.append(("Parse", form_of(trace)))
    if isinstance(changed, Trace):
        forms.append(("With the word changed", form_of(changed)))
    if len(forms) > 1:
        draw_forms(forms)
    elif trace.complete:
        st.code(trace.logical_form, language=None, wrap_lines=True)
    if not trace.complete:
        st.info(
            f"The derivation came to no end: after {counted(len(trace.steps), 'step')} slots are "
            "still open.",
            icon=":material/all_inclusive:",
        )
