"""One test row after every task: its parses beside the gold steps, as trees, and what the parser
attended to.
"""

import math
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.analysis import alignment
from core.analysis.alignment import ABSENT, OTHER, WRONG, Alignment
from core.analysis.drilldown import why_not_covered
from core.analysis.forgetting import name_of
from core.charts import parses as charts
from core.charts import trees
from pages.shared.drilldown.attention import draw_attention
from pages.shared.drilldown.forms import draw_forms
from pages.shared.drilldown.page import Rows
from pages.shared.drilldown.side import Side, beside
from pages.shared.tray import draw_label
from pages.shared.ui.address import follow, key_of
from pages.shared.ui.clicked import newly, selected_point
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.memo import remembered
from pages.shared.ui.tables import NUMBER, TEXT, draw_table, fitting
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import pick

TINTS = {
    WRONG: "background-color: rgba(213,94,0,0.38); font-weight: 600",
    OTHER: "background-color: rgba(213,94,0,0.13)",
    ABSENT: "background-color: rgba(128,128,128,0.12)",
}


def draw_row(rows: Rows, row: int) -> None:
    """All that is known of one test row, in one run or in two."""
    example = rows.learned.tasks[rows.on].test[row]
    sides = [Side(each, example, row) for each in rows.sides]
    st.subheader(f"Test row {row} of {escape(name_of(rows.names, rows.on))}")
    st.text(example.utterance)
    st.code(example.logical_form, language=None, wrap_lines=True)
    after = _pick_after(sides)
    _forms(sides, after)
    beside(sides, lambda side: _strip(side, len(sides)))
    for side in sides:
        draw_label(side.rows.mark)
        _steps(side)
    beside(sides, lambda side: _trees(side, after))
    draw_attention(sides, after)


def _forms(sides: Sequence[Side], after: str) -> None:
    """The gold form and each run's parse after the task, whole, with what differs marked."""
    forms = [("Gold", sides[0].example.logical_form)]
    for side in sides:
        k = side.after(after)
        label = f"After {name_of(side.rows.names, k)}"
        label = f"{side.rows.title}, {label[:1].lower()}{label[1:]}" if len(sides) > 1 else label
        forms.append((label, str(side.parse(k))))
    draw_forms(forms)


def _texts(rows: Rows, numbers: Sequence[int]) -> list[str]:
    return [str(rows.learned.grammar.actions[number]) for number in numbers]


def _steps(side: Side) -> None:
    """The parse after every task beside the gold steps."""
    rows, example, recorded = side.rows, side.example, side.recorded
    gold = [str(step.action) for step in example.derivation]
    parses = {
        k: _texts(rows, parse) for k, parse in zip(recorded.after, recorded.parse, strict=True)
    }
    why = why_not_covered(
        rows.learned.grammar, example.derivation, int(recorded.after.iloc[-1]), rows.names
    )
    prose(
        "The parse after every task, step by step beside the gold one: ✗ is the first wrong step, "
        "≠ stands at later ones; where two derivations part, their lines are matched again. GEN "
        "begins an action that opens no slot."
    )
    key = ("steps", rows.on, side.row, *gold)
    shown, tints = remembered(key, lambda: _marked(alignment.align(gold, parses), why), [rows.run])
    columns = {"step": NUMBER("Step", width=50)}
    columns["gold"] = TEXT("Gold", width=fitting(shown.gold, 230))
    if "grammar" in shown:
        columns["grammar"] = TEXT("", width=150)
    for k, right, complete in zip(recorded.after, recorded.correct, recorded.complete, strict=True):
        end = "✓" if right else "✗" if complete else "✗, never ended"
        label = f"{k + 1} · {name_of(rows.names, k)} {end}"
        columns[str(k)] = TEXT(label, width=fitting(shown[str(k)], 210))
    draw_table(
        shown.style.apply(lambda _: tints, axis=None),
        columns,
        key=f"{key_of('steps')}/{side.key}",
        file_name=f"parses_row_{side.row}_run_{rows.run.id}.csv",
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


def _strip(side: Side, columns: int) -> None:
    rows, example, recorded = side.rows, side.example, side.recorded
    if not any(len(gold) for gold in recorded.gold):
        st.info(
            "The grammar can't write this form, so its steps have no probability: the step that is "
            "marked below was never seen in training.",
            icon=":material/block:",
        )
        return
    gold = [str(step.action) for step in example.derivation]
    key = f"{key_of('strip')}/{side.key}"
    draw = partial(charts.strip, recorded, gold, rows.names)
    present(
        remembered(("strip", rows.on, side.row, *gold), draw, [rows.run]),
        "P of each gold step after each task, given the gold steps before it; ✗ marks the first "
        "wrong step of the parse. The paper averages these per action. Click a cell to see the "
        "trees after that task.",
        _in_columns(recorded, gold),
        key=key,
        file_name=f"gold_steps_row_{side.row}_run_{rows.run.id}.csv",
        select=True,
        columns=columns,
    )


def _in_columns(recorded: pd.DataFrame, gold: Sequence[str]) -> pd.DataFrame:
    lines = [
        {"after": k, "step": t + 1, "action": gold[t], "probability": p}
        for k, ps in zip(recorded.after, recorded.gold, strict=True)
        for t, p in enumerate(ps)
    ]
    return pd.DataFrame(lines)


def _pick_after(sides: Sequence[Side]) -> str:
    """The task after which forms, trees and attention are shown, by name: clicked in a figure just
    now, else by the address, else the last.
    """
    first = sides[0]
    names = [name_of(first.rows.names, k) for k in first.recorded.after]
    for side in sides:
        point = newly(f"strip/{side.key}", selected_point(f"{key_of('strip')}/{side.key}"))
        name = None if point is None else name_of(side.rows.names, int(point))
        if name in names:
            st.session_state[follow("after", names[-1])] = name
    return pick("after", "The parser after task", names, names[-1])


def _trees(side: Side, after: str) -> None:
    rows, k = side.rows, side.after(after)
    (record,) = side.recorded[side.recorded.after == k].itertuples()
    gold, parse = side.example.tree, side.parse(k)
    differing = alignment.differing_nodes(gold, parse)
    count = counted(len(differing[0]), "node")
    verdict = "The parse is the gold form." if record.correct else f"{count} of gold amiss."
    ended = "" if record.complete else f" It never came to an end: {alignment.OPEN} is still open."
    title = f"Parse after {name_of(rows.names, k)} (P = {math.exp(record.log_prob or 0):.3g})"
    draw = partial(trees.pair, [gold, parse], ["Gold", title], differing)
    present(
        remembered(("trees", rows.on, side.row, k, str(gold)), draw, [rows.run]),
        f"The gold form and the parse as trees; diamonds are nodes that the other tree does not "
        f"have there. {verdict}{ended}",
        pd.DataFrame({"form": ["gold", "parse"], "text": [str(gold), str(parse)]}),
        key=f"trees/{side.key}",
        file_name=f"forms_row_{side.row}_run_{rows.run.id}.csv",
    )
