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
from pages.shared.drilldown.page import Rows
from pages.shared.ui.address import key_of
from pages.shared.ui.clicked import newly, selected_point
from pages.shared.ui.figures import present
from pages.shared.ui.memo import computed
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick, switch

ALONG = {"parse": "its own parse", "gold": "the gold steps"}
TINTS = {WRONG: "background-color: rgba(213,94,0,0.38); font-weight: 600",
         OTHER: "background-color: rgba(213,94,0,0.13)",
         ABSENT: "background-color: rgba(128,128,128,0.12)"}  # fmt: skip


def draw_row(rows: Rows, row: int) -> None:
    """All that is known of one test row."""
    example = rows.learned.tasks[rows.on].test[row]
    recorded = predictions_on(store(), rows.run.id, rows.on, row)
    st.subheader(f"Test row {row} of {escape(name_of(rows.names, rows.on))}")
    st.text(example.utterance)
    st.code(example.logical_form, language=None, wrap_lines=True)
    _strip(rows, example, recorded, row)
    _steps(rows, example, recorded)
    after = _pick_after(rows, recorded)
    _trees(rows, example, recorded, after)
    _attention(rows, example, recorded, row, after)


def _texts(rows: Rows, numbers: Sequence[int]) -> list[str]:
    return [str(rows.learned.grammar.actions[number]) for number in numbers]


def _steps(rows: Rows, example: Example, recorded: pd.DataFrame) -> None:
    """The parse after every task beside the gold steps."""
    gold = [str(step.action) for step in example.derivation]
    parses = {
        k: _texts(rows, parse) for k, parse in zip(recorded.after, recorded.parse, strict=True)
    }
    aligned = alignment.align(gold, parses)
    why = why_not_covered(
        rows.learned.grammar, example.derivation, int(recorded.after.iloc[-1]), rows.names
    )
    st.markdown(
        "The parse after every task, step by step beside the gold one: ✗ is the first wrong step, "
        "≠ stands at later ones; where two derivations part, their lines are matched again."
    )
    shown, tints = _marked(aligned, why)
    columns = {"step": NUMBER("Step", width=50)}
    columns["gold"] = TEXT("Gold", width=230)
    if "grammar" in shown:
        columns["grammar"] = TEXT("", width=150)
    for k, right, complete in zip(recorded.after, recorded.correct, recorded.complete, strict=True):
        end = "✓" if right else "✗" if complete else "✗, never ended"
        label = f"{k + 1} · {name_of(rows.names, k)} {end}"
        columns[str(k)] = TEXT(label, width=210)
    draw_table(
        shown.style.apply(lambda _: tints, axis=None),
        columns,
        key=f"{key_of('steps')}/{rows.key}",
        file_name="parses.csv",
        data=shown,
        missing="",
        height=36 * min(24, 1 + len(shown)) + 2,
    )


def _marked(aligned: Alignment, why: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the table of steps shows, and the style of each cell."""
    shown = aligned.texts.rename(columns=str)
    tints = pd.DataFrame("", index=shown.index, columns=shown.columns)
    for k in aligned.marks:
        marks, name = aligned.marks[k], str(k)
        text = shown[name].where(shown[name] != "", marks.map({WRONG: "(nothing)"}).fillna(""))
        shown[name] = marks.map({WRONG: "✗ ", OTHER: "≠ "}).fillna("") + text
        tints[name] = marks.map(TINTS).fillna("")
    if any(why):
        reasons = [why[step - 1] if pd.notna(step) else "" for step in shown.step]
        shown.insert(2, "grammar", reasons)
        tints.insert(2, "grammar", [TINTS[WRONG] if reason else "" for reason in reasons])
    return shown, tints


def _strip(rows: Rows, example: Example, recorded: pd.DataFrame, row: int) -> None:
    if not any(len(gold) for gold in recorded.gold):
        st.info(
            "The grammar can't write this form, so its steps have no probability: the step that is "
            "marked below was never seen in training.",
            icon=":material/block:",
        )
        return
    gold = [str(step.action) for step in example.derivation]
    key = f"{key_of('strip')}/{rows.key}/{row}"
    present(
        charts.strip(recorded, gold, rows.names),
        "P of each gold step after each task, given the gold steps before it; ✗ marks the first "
        "wrong step of the parse. The paper averages these per action. Click a cell to see the "
        "trees after that task.",
        _in_columns(recorded, gold),
        key=key,
        file_name="gold_steps.csv",
        select=True,
    )
    after = newly("strip", selected_point(key))
    if after is not None:
        st.session_state[key_of("after")] = name_of(rows.names, int(after))


def _in_columns(recorded: pd.DataFrame, gold: Sequence[str]) -> pd.DataFrame:
    lines = [
        {"after": k, "step": t + 1, "action": gold[t], "probability": p}
        for k, ps in zip(recorded.after, recorded.gold, strict=True)
        for t, p in enumerate(ps)
    ]
    return pd.DataFrame(lines)


def _pick_after(rows: Rows, recorded: pd.DataFrame) -> int:
    """The task after which trees and attention are shown; the last unless the address says."""
    names: dict[str, int] = {name_of(rows.names, k): k for k in recorded.after}
    return names[pick("after", "The parser after task", list(names), list(names)[-1])]


def _trees(rows: Rows, example: Example, recorded: pd.DataFrame, after: int) -> None:
    (record,) = recorded[recorded.after == after].itertuples()
    gold = example.tree
    parse = alignment.written(rows.learned.grammar, record.parse)
    differing = alignment.differing_nodes(gold, parse)
    count = len(differing[0])
    verdict = "The parse is the gold form." if record.correct else f"Nodes of gold amiss: {count}."
    ended = "" if record.complete else f" It never came to an end: {alignment.OPEN} is still open."
    title = f"Parse after {name_of(rows.names, after)} (P = {math.exp(record.log_prob or 0):.3g})"
    present(
        trees.pair([gold, parse], ["Gold", title], differing),
        f"The gold form and the parse as trees; diamonds are nodes that the other tree does not "
        f"have there. {verdict}{ended}",
        pd.DataFrame({"form": ["gold", "parse"], "text": [str(gold), str(parse)]}),
        key=f"trees/{rows.key}",
        file_name="forms.csv",
    )


# --- attention --------------------------------------------------------------------------------


def _attention(rows: Rows, example: Example, recorded: pd.DataFrame, row: int, after: int) -> None:
    """Computed from the parser that the run has kept, on a click."""
    st.subheader("Attention")
    along = switch("along", "The parser is led along", ALONG)
    run, on = rows.run, rows.on
    steps = example.derivation if along == "gold" else None

    def look() -> Trace:
        return parsers_of(run).explain(after, example.utterance, on, steps)

    name = name_of(rows.names, after)
    wanted = {("trace", run.id, str(run.created), on, row, after, along): look}
    (trace,) = computed(wanted, f"Look into the parser after {escape(name)}")
    wrong = recorded.first_wrong[recorded.after == after].iloc[0]
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
    step = trace.steps[int(pick("step", "Step", labels, default)) - 1]
    st.markdown(
        f"The likeliest of the {counted(step.applicable, 'applicable action')} for the slot "
        f"{escape(step.slot)}."
    )
    columns = {
        "action": TEXT("Action", width=420),
        "p": st.column_config.ProgressColumn("P", min_value=0, max_value=1, format="%.4f"),
    }
    best = pd.DataFrame(step.best, columns=["action", "p"])
    draw_table(best, columns, key="best", height="content", width=640)
