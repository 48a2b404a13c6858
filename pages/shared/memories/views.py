"""Memories side by side, and one of them in full: tables, figures, its search, its rows."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis import memory as analysis
from core.analysis import memory_rows
from core.analysis.memory import COUNTS, Kept, Memories
from core.charts import memory as charts
from pages.shared.access.task_choice import pick
from pages.shared.ui.address import follow, publish
from pages.shared.ui.figures import download, present
from pages.shared.ui.text import escape

VIEWS = {"compare": "Compare", "actions": "Actions", "search": "Search", "rows": "Rows"}
ACTIONS_A_PAGE = 40
TEXT = st.column_config.TextColumn
WIDE = {
    "utterance": TEXT("Utterance", width=330),
    "logical_form": TEXT("Logical form", width=430),
    "row": st.column_config.NumberColumn("Row", width=60),
    "cluster": st.column_config.NumberColumn(
        "Cluster", width=70, help="of the forms' clusters that all memories are held against"
    ),
    "own_cluster": st.column_config.NumberColumn(
        "Its own", width=70, help="the cluster that the sampler itself drew"
    ),
    "actions": TEXT("Actions", width=430),
}


def draw_views(memories: Memories) -> None:
    """One of the views, by the address."""
    count, distinct = len(memories.task.examples), len(memories.task.forms)
    st.caption(f"The task has {count:,} training rows with {distinct:,} distinct logical forms.")
    key = follow("view", "compare")
    if st.session_state[key] not in VIEWS:
        st.session_state[key] = "compare"
    view = st.segmented_control(
        "View", list(VIEWS), format_func=VIEWS.get, key=key, required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    publish("view", None if view == "compare" else view)
    DRAW[view](memories)


def _compare(memories: Memories) -> None:
    task, kept = memories.task, memories.kept
    measured = analysis.measurements(task, kept)
    whole = analysis.measurements(task, [task.everything()])
    st.subheader("Entropy of actions")
    present(
        charts.entropies(measured, whole),
        "How evenly a memory's rows spread over actions, in nats: a mark for each seed, the whole "
        "task dashed. DLFS raises it (paper, §4.2); Table 2 has the accuracies that follow.",
        measured,
        key="entropies",
        file_name="memory_measures.csv",
    )
    st.subheader("Coverage")
    clusters = min(memories.k, len(task.forms))
    present(
        charts.coverage(measured),
        f"Of what the task's training rows hold, the part that a memory holds too; the {clusters} "
        "clusters of forms are the same for all memories.",
        pd.concat([whole, measured]),
        key="coverage",
        file_name="memory_coverage.csv",
    )
    _stability(kept, measured)
    if len(kept) > 1:
        _overlap(memories)


def _stability(kept: Sequence[Kept], measured: pd.DataFrame) -> None:
    st.subheader("In numbers, and under other seeds")
    st.markdown(
        "Means over seeds with the sample's standard deviation (SD). Jaccard's index of two seeds' "
        "memories is 1 where they keep the same rows and 0 where they share none."
    )
    table = analysis.stability(kept, measured)
    number = st.column_config.NumberColumn
    columns = {
        "label": TEXT("Memory", width=230),
        "seeds": number("Seeds", width=60),
        "jaccard": number("Jaccard of seeds", format="%.3f", width=120),
        "lowest": number("Lowest", format="%.3f", width=70),
        "always": number("Rows of every seed", width=130),
        "ever": number("Rows of any seed", width=120),
    }
    for kind in COUNTS:
        columns[f"entropy_{kind}"] = number(f"Entropy, {kind}", format="%.3f", width=130)
        columns[f"entropy_{kind}_deviation"] = number("SD", format="%.3f", width=60)
    st.dataframe(
        table, column_config=columns, hide_index=True, placeholder="–", height="content",
        key="stability",
    )  # fmt: skip
    download(table, key="stability/csv", file_name="memory_stability.csv")


def _overlap(memories: Memories) -> None:
    st.subheader("Overlap")
    names = _names(memories.kept)
    pairs = analysis.overlap(memories.kept)
    present(
        charts.overlap(pairs, names),
        "Jaccard's index of each two memories: shared rows over all rows of the two.",
        pairs.assign(left=[names[n] for n in pairs.left], right=[names[n] for n in pairs.right]),
        key="overlap",
        file_name="memory_overlap.csv",
    )
    places = dict(zip(names, memories.kept, strict=True))
    with st.container(border=True):
        left, right = st.columns(2)
        with left:
            one = pick("one", "Rows that only this memory keeps", names, names[0])
        with right:
            other = pick("other", "and that only this one keeps", names, names[-1])
        for column, mine, its in ((left, one, other), (right, other, one)):
            rows = memory_rows.chosen(memories.task, places[mine])
            alone = rows[~rows.row.isin(places[its].rows)]
            with column:
                st.caption(f"{len(alone)} of {len(rows)} rows")
                _rows_table(
                    alone[["row", "utterance", "logical_form"]], key=f"only/{mine}", narrow=True
                )


def _actions(memories: Memories) -> None:
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        kind = pick("counts", "Counted", COUNTS, COUNTS[0], {"presence": "presence: once a row"})
    labels = list(dict.fromkeys(memory.label for memory in memories.kept))
    table = analysis.histogram(memories.task, memories.kept, kind)
    count = int(table["rank"].max())
    starts = list(range(1, count + 1, ACTIONS_A_PAGE))
    names = {
        str(start): f"{start}–{min(count, start + ACTIONS_A_PAGE - 1)} of {count:,}"
        for start in starts
    }
    with right:
        first = int(pick("actions", "Actions, the task's commonest first", list(names), "1", names))
    missing = [
        f"{label} {int((table[table.label == label]['count'] == 0).sum()):,}" for label in labels
    ]
    present(
        charts.histogram(table, first, first + ACTIONS_A_PAGE - 1),
        f"The share of each action in the task (bars) and in memories (marks, means over seeds). "
        f"Actions of {count:,} that are missing under every seed: {escape(', '.join(missing))}.",
        table,
        key="histogram",
        file_name="memory_actions.csv",
    )


def _search(memories: Memories) -> None:
    there = [memory for memory in memories.kept if "entropy" in memory.trace]
    if not there:
        st.info(
            "None of these memories was found by a search for entropy: DLFS and Balance make one. "
            "Choose one of these samplers.",
            icon=":material/search_off:",
        )
        return
    memory = _pick(there)
    table = memory_rows.trajectory(memories.task, memory)
    present(
        charts.trajectory(table),
        "The entropy after each step of the search, counted as the sampler counts: DLFS (Algorithm "
        "3) swaps a row for one of the same cluster wherever that raises it, sweep after sweep.",
        table,
        key="course",
        file_name="memory_search.csv",
    )
    number = st.column_config.NumberColumn
    columns = {
        "step": number("Step", width=50),
        "kind": TEXT("", width=80),
        "sweep": number("Sweep", width=60),
        "cluster": number("Cluster", width=65),
        "entropy": number("Entropy", format="%.4f", width=80),
        "row_out": number("Out", width=60),
        "utterance_out": TEXT("The row that went", width=250),
        "row_in": number("In", width=60),
        "utterance_in": TEXT("The row that came", width=250),
        "form_out": TEXT("Its form (went)", width=300),
        "form_in": TEXT("Its form (came)", width=300),
    }
    st.dataframe(
        table[list(columns)], column_config=columns, hide_index=True, placeholder="–", key="steps"
    )


def _rows(memories: Memories) -> None:
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        memory = _pick(memories.kept)
    key = follow("find", "")
    with right:
        text = st.text_input(
            "Find", key=key, placeholder="in utterance, form or actions", icon=":material/search:"
        )
    publish("find", text or None)
    table = memory_rows.chosen(memories.task, memory)
    found = memory_rows.find(table, text)
    st.caption(f"{len(found)} of {len(table)} rows")
    shown = found if found.own_cluster.notna().any() else found.drop(columns="own_cluster")
    _rows_table(shown, key="rows")
    st.download_button(
        "TSV of these rows",
        found.to_csv(sep="\t", index=False).encode(),
        file_name="memory.tsv",
        mime="text/tab-separated-values",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def _rows_table(rows: pd.DataFrame, *, key: str, narrow: bool = False) -> None:
    columns = {name: WIDE[name] for name in rows.columns}
    if narrow:
        columns |= {
            "utterance": TEXT("Utterance", width=220),
            "logical_form": TEXT("Form", width=220),
        }
    st.dataframe(rows, column_config=columns, hide_index=True, placeholder="–", key=key)


def _names(kept: Sequence[Kept]) -> list[str]:
    """The memories' names, told apart where they are the same."""
    names: list[str] = []
    for memory in kept:
        again = names.count(memory.name) + sum(n.startswith(f"{memory.name} (") for n in names)
        names.append(f"{memory.name} ({again + 1})" if again else memory.name)
    return names


def _pick(kept: Sequence[Kept]) -> Kept:
    by_name = dict(zip(_names(kept), kept, strict=True))
    first = next(
        (n for n, memory in by_name.items() if "swaps" in memory.trace), next(iter(by_name))
    )
    return by_name[pick("memory", "Memory", list(by_name), first)]


DRAW = {"compare": _compare, "actions": _actions, "search": _search, "rows": _rows}
