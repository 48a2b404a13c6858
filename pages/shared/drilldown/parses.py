"""One test row after every task: its parses beside the gold steps, as trees, and what the parser
attended to.
"""

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis import alignment
from core.analysis.alignment import ABSENT, OTHER, WRONG, Alignment
from core.analysis.drilldown import predictions_on, why_not_covered
from core.analysis.forgetting import name_of
from core.analysis.traces import attention_table
from core.charts import parses as charts
from core.charts import trees
from core.data.base import Example
from core.inspection.steps import Trace
from pages.shared.access.parsers import parsers_of
from pages.shared.access.runs import store
from pages.shared.access.task_choice import pick
from pages.shared.drilldown.page import Rows
from pages.shared.ui.address import follow, key_of, publish
from pages.shared.ui.clicked import newly, selected_point
from pages.shared.ui.figures import download, present
from pages.shared.ui.memo import computed
from pages.shared.ui.text import counted, escape

ALONG = {"parse": "its own parse", "gold": "the gold steps"}
TINTS = {WRONG: "background-color: rgba(213,94,0,0.38); font-weight: 600",
         OTHER: "background-color: rgba(213,94,0,0.13)",
         ABSENT: "background-color: rgba(128,128,128,0.12)"}  # fmt: skip


def draw_row(rows: Rows, row: int) -> None:
    """All that is known of one test row."""
    example = rows.learned.tasks[rows.on].test[row]
    told = predictions_on(store(), rows.run.id, rows.on, row)
    st.subheader(f"Test row {row} of {escape(name_of(rows.names, rows.on))}")
    st.text(example.utterance)
    st.code(example.logical_form, language=None, wrap_lines=True)
    _strip(rows, example, told, row)
    _steps(rows, example, told)
    after = _pick_after(rows, told)
    _trees(rows, example, told, after)
    _attention(rows, example, told, row, after)


def _texts(rows: Rows, numbers: Sequence[int]) -> list[str]:
    return [str(rows.learned.grammar.actions[number]) for number in numbers]


def _steps(rows: Rows, example: Example, told: pd.DataFrame) -> None:
    """The parse after every task beside the gold steps."""
    gold = [str(step.action) for step in example.derivation]
    parses = {k: _texts(rows, parse) for k, parse in zip(told.after, told.parse, strict=True)}
    found = alignment.align(gold, parses)
    why = why_not_covered(
        rows.learned.grammar, example.derivation, int(told.after.iloc[-1]), rows.names
    )
    st.markdown(
        "The parse after every task, step by step beside the gold one: ✗ is the first wrong step, "
        "≠ stands at later ones; where two derivations part, their lines are matched again."
    )
    shown, tints = _marked(found, why)
    columns = {"step": st.column_config.NumberColumn("Step", width=50)}
    columns["gold"] = st.column_config.TextColumn("Gold", width=230)
    if "grammar" in shown:
        columns["grammar"] = st.column_config.TextColumn("", width=150)
    for k, right, complete in zip(told.after, told.correct, told.complete, strict=True):
        end = "✓" if right else "✗" if complete else "✗, never ended"
        label = f"{k + 1} · {name_of(rows.names, k)} {end}"
        columns[str(k)] = st.column_config.TextColumn(label, width=210)
    st.dataframe(
        shown.style.apply(lambda _: tints, axis=None),
        column_config=columns,
        hide_index=True,
        placeholder="",
        height=36 * min(24, 1 + len(shown)) + 2,
        key=f"{key_of('steps')}/{rows.key}",
    )
    download(shown, key="steps/csv", file_name="parses.csv")


def _marked(found: Alignment, why: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the table of steps shows, and the style of each cell."""
    shown = found.texts.rename(columns=str)
    tints = pd.DataFrame("", index=shown.index, columns=shown.columns)
    for k in found.marks:
        marks, name = found.marks[k], str(k)
        text = shown[name].where(shown[name] != "", marks.map({WRONG: "(nothing)"}).fillna(""))
        shown[name] = marks.map({WRONG: "✗ ", OTHER: "≠ "}).fillna("") + text
        tints[name] = marks.map(TINTS).fillna("")
    if any(why):
        reasons = [why[step - 1] if pd.notna(step) else "" for step in shown.step]
        shown.insert(2, "grammar", reasons)
        tints.insert(2, "grammar", [TINTS[WRONG] if reason else "" for reason in reasons])
    return shown, tints


def _strip(rows: Rows, example: Example, told: pd.DataFrame, row: int) -> None:
    if not any(len(gold) for gold in told.gold):
        st.info(
            "The grammar can't write this form, so its steps have no probability: the step that is "
            "marked below was never seen in training.",
            icon=":material/block:",
        )
        return
    gold = [str(step.action) for step in example.derivation]
    key = f"{key_of('strip')}/{rows.key}/{row}"
    present(
        charts.strip(told, gold, rows.names),
        "P of each gold step after each task, given the gold steps before it; ✗ marks the first "
        "wrong step of the parse. The paper averages these per action. Click a cell to see the "
        "trees after that task.",
        _in_columns(told, gold),
        key=key,
        file_name="gold_steps.csv",
        select=True,
    )
    after = newly("strip", selected_point(key))
    if after is not None:
        st.session_state[key_of("after")] = name_of(rows.names, int(after))


def _in_columns(told: pd.DataFrame, gold: Sequence[str]) -> pd.DataFrame:
    lines = [
        {"after": k, "step": t + 1, "action": gold[t], "probability": p}
        for k, ps in zip(told.after, told.gold, strict=True)
        for t, p in enumerate(ps)
    ]
    return pd.DataFrame(lines)


def _pick_after(rows: Rows, told: pd.DataFrame) -> int:
    """The task after which trees and attention are shown; the last unless the address says."""
    names = {name_of(rows.names, k): k for k in told.after}
    return names[pick("after", "The parser after task", list(names), list(names)[-1])]


def _trees(rows: Rows, example: Example, told: pd.DataFrame, after: int) -> None:
    (one,) = told[told.after == after].itertuples()
    gold = example.tree
    parse = alignment.written(rows.learned.grammar, one.parse)
    differing = alignment.differing_nodes(gold, parse)
    count = len(differing[0])
    said = "The parse is the gold form." if one.correct else f"Nodes of gold amiss: {count}."
    ended = "" if one.complete else f" It never came to an end: {alignment.OPEN} is still open."
    title = f"Parse after {name_of(rows.names, after)} (P = {math.exp(one.log_prob or 0):.3g})"
    present(
        trees.pair([gold, parse], ["Gold", title], differing),
        f"The gold form and the parse as trees; diamonds are nodes that the other tree does not "
        f"have there. {said}{ended}",
        pd.DataFrame({"form": ["gold", "parse"], "text": [str(gold), str(parse)]}),
        key=f"trees/{rows.key}",
        file_name="forms.csv",
    )


# --- attention --------------------------------------------------------------------------------


def _attention(rows: Rows, example: Example, told: pd.DataFrame, row: int, after: int) -> None:
    """Computed from the parser that the run has kept, on a click."""
    st.subheader("Attention")
    key = follow("along", "parse")
    if st.session_state[key] not in ALONG:
        st.session_state[key] = "parse"
    along = st.segmented_control(
        "The parser is led along", list(ALONG), format_func=ALONG.get, key=key, required=True
    )
    publish("along", None if along == "parse" else along)
    run, on = rows.run, rows.on
    steps = example.derivation if along == "gold" else None

    def look() -> Trace:
        return parsers_of(run).explain(after, example.utterance, on, steps)

    name = name_of(rows.names, after)
    wanted = {("trace", run.id, str(run.created), on, row, after, along): look}
    (trace,) = computed(wanted, f"Look into the parser after {escape(name)}")
    wrong = told.first_wrong[told.after == after].iloc[0]
    wrong = None if pd.isna(wrong) else int(wrong)
    present(
        charts.attention(trace, wrong),
        f"Attention over the words of the utterance at each step, along {ALONG[along]}; every line "
        "sums to 1. ✗ is the first wrong step of the parse.",
        attention_table(trace),
        key="attention",
        file_name="attention.csv",
    )
    _best(trace, wrong)


def _best(trace: Trace, wrong: int | None) -> None:
    """What else the parser could have done at one step."""
    if not trace.steps:
        return
    labels = {str(t + 1): f"{t + 1} · {step.action}" for t, step in enumerate(trace.steps)}
    default = str(1 + min(wrong or 0, len(labels) - 1))
    step = trace.steps[int(pick("step", "Step", list(labels), default, labels)) - 1]
    st.markdown(
        f"The likeliest of the {counted(step.applicable, 'applicable action')} for the slot "
        f"{escape(step.slot)}."
    )
    st.dataframe(
        pd.DataFrame(step.best, columns=["action", "p"]),
        column_config={
            "action": st.column_config.TextColumn("Action", width=420),
            "p": st.column_config.ProgressColumn("P", min_value=0, max_value=1, format="%.4f"),
        },
        hide_index=True,
        key="best",
        height="content",
        width=640,
    )
