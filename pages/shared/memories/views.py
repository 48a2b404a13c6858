"""The views of memories: side by side, by action, and one of them with its search and its rows."""

from collections.abc import Sequence

import streamlit as st

from core.analysis import memory as analysis
from core.analysis import memory_rows
from core.analysis.memory import COUNTS, Kept
from core.analysis.memory_outcome import covered_alone
from core.charts import memory as charts
from pages.shared.memories.comparison import draw_comparison
from pages.shared.memories.outcome import draw_outcome, draw_row
from pages.shared.memories.page import Shown
from pages.shared.memories.rows import WIDE, names_of
from pages.shared.ui.address import key_of
from pages.shared.ui.clicked import selected_row
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, download, draw_table, pick_row
from pages.shared.ui.text import counted, escape
from pages.shared.ui.widgets import chosen_number, find, pick, pick_view

VIEWS = {"compare": "Compare", "actions": "Actions", "search": "Search", "rows": "Rows"}
OUTCOME = {"outcome": "Outcome"}  # of memories that runs have stored
ACTIONS_A_PAGE = 40


def draw_views(shown: Shown) -> None:
    """One of the views, by the address."""
    memories = shown.memories
    count, distinct = len(memories.task.examples), len(memories.task.forms)
    st.caption(f"The task has {count:,} training rows with {distinct:,} distinct logical forms.")
    DRAW[pick_view(VIEWS | OUTCOME if shown.runs else VIEWS)](shown)


def _actions(shown: Shown) -> None:
    memories = shown.memories
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        words = {kind: kind for kind in COUNTS} | {"presence": "presence: once a row"}
        kind = pick("counts", "Counted", words)
    labels = list(dict.fromkeys(memory.label for memory in memories.kept))
    table = analysis.histogram(memories.task, memories.kept, kind)
    count = int(table["rank"].max())
    starts = list(range(1, count + 1, ACTIONS_A_PAGE))
    names = {
        str(start): f"{start}–{min(count, start + ACTIONS_A_PAGE - 1)} of {count:,}"
        for start in starts
    }
    with right:
        first = int(pick("actions", "Actions, the task's commonest first", names))
    missing = [
        f"{label} {int((table[table.label == label]['count'] == 0).sum()):,}" for label in labels
    ]
    present(
        charts.histogram(table, first, first + ACTIONS_A_PAGE - 1, shown.looks),
        f"The share of each action in the task (bars) and in memories (marks, means over seeds). "
        f"Actions of {count:,} that are missing under every seed: {escape(', '.join(missing))}.",
        as_percent(table, ["share"]),
        key="histogram",
        file_name="memory_actions.csv",
    )


def _search(shown: Shown) -> None:
    memories = shown.memories
    searched = [memory for memory in memories.kept if "entropy" in memory.trace]
    if not searched:
        st.info(
            "None of these memories was found by a search for entropy: DLFS and Balance make one. "
            "Choose one of these samplers.",
            icon=":material/search_off:",
        )
        return
    memory = _pick(searched)
    table = memory_rows.trajectory(memories.task, memory)
    present(
        charts.trajectory(table),
        "The entropy after each step of the search, counted as the sampler counts: DLFS (Algorithm "
        "3) swaps a row for one of the same cluster wherever that raises it, sweep after sweep.",
        table,
        key="trajectory",
        file_name="memory_search.csv",
    )
    columns = {
        "step": NUMBER("Step", width=50),
        "kind": TEXT("", width=80),
        "sweep": NUMBER("Sweep", width=60),
        "cluster": NUMBER("Cluster", width=65),
        "entropy": NUMBER("Entropy", format="%.4f", width=80),
        "row_out": NUMBER("Out", width=60),
        "utterance_out": TEXT("The row that went", width=250),
        "row_in": NUMBER("In", width=60),
        "utterance_in": TEXT("The row that came", width=250),
        "form_out": TEXT("Its form (went)", width=300),
        "form_in": TEXT("Its form (came)", width=300),
    }
    draw_table(table[list(columns)], columns, key="steps", missing="–")


def _rows(shown: Shown) -> None:
    memories = shown.memories
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        memory = _pick(memories.kept)
    with right:
        text = find("in utterance, form or actions")
    table = memory_rows.chosen(memories.task, memory)
    alone = map(len, covered_alone(memories.task, memory))
    table.insert(2, "alone", list(alone))
    matches = memory_rows.find(table, text)
    prose(f"{len(matches)} of {counted(len(table), 'row')}. A click shows what one alone covers.")
    clustered = matches.own_cluster.notna().any()
    listed = matches if clustered else matches.drop(columns="own_cluster")
    key = f"{key_of('rows')}/{hash(memory.rows)}/{text}"
    pick_row(listed, {name: WIDE[name] for name in listed.columns}, key=key, missing="–")
    at = selected_row(key, len(listed))
    row = chosen_number("row", None if at is None else int(listed.row.iloc[at]), table.row)
    download(matches, key="rows/tsv", file_name="memory.tsv", label="TSV of these rows")
    if row is not None:
        draw_row(shown, memory, row)


def _pick(kept: Sequence[Kept]) -> Kept:
    by_name = dict(zip(names_of(kept), kept, strict=True))
    first = next(
        (n for n, memory in by_name.items() if "swaps" in memory.trace), next(iter(by_name))
    )
    return by_name[pick("memory", "Memory", list(by_name), first)]


DRAW = {
    "compare": draw_comparison,
    "actions": _actions,
    "search": _search,
    "rows": _rows,
    "outcome": draw_outcome,
}
