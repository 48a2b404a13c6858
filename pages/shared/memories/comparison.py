"""Memories side by side: entropies, coverage, other seeds, overlap."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.analysis import memory as analysis
from core.analysis import memory_rows
from core.analysis.memory import COUNTS, COVERED, Kept, Memories
from core.charts import memory as charts
from pages.shared.memories.page import Shown
from pages.shared.memories.rows import WIDE, names_of
from pages.shared.ui.exports import as_percent
from pages.shared.ui.figures import present
from pages.shared.ui.glossary import prose
from pages.shared.ui.tables import NUMBER, TEXT, draw_table
from pages.shared.ui.text import counted
from pages.shared.ui.widgets import pick

NARROW = {
    "row": WIDE["row"],
    "utterance": TEXT("Utterance", width=220),
    "logical_form": TEXT("Form", width=220),
}


def draw_comparison(shown: Shown) -> None:
    memories = shown.memories
    task, kept = memories.task, memories.kept
    measured = analysis.measurements(task, kept)
    whole = analysis.measurements(task, [task.everything()])
    st.subheader("Entropy of actions")
    present(
        charts.entropies(measured, whole, shown.looks),
        "How evenly a memory's rows spread over actions, in nats: a mark for each seed, the whole "
        "task dashed. DLFS raises it (paper, §4.2); Table 2 has the accuracies that follow.",
        _as_file(measured),
        key="entropies",
        file_name="memory_measures.csv",
    )
    st.subheader("Coverage")
    clusters = min(memories.k, len(task.forms))
    present(
        charts.coverage(measured, shown.looks),
        f"Of what the task's training rows hold, the part that a memory holds too; the {clusters} "
        "clusters of forms are the same for all memories.",
        _as_file(pd.concat([whole, measured])),
        key="coverage",
        file_name="memory_coverage.csv",
    )
    _stability(kept, measured)
    if len(kept) > 1:
        _overlap(memories)


def _as_file(measured: pd.DataFrame) -> pd.DataFrame:
    """Shares in percent, as in the figure."""
    shares = [f"{name}_share" for name in COVERED]
    names = {name: name.removesuffix("_share") + " held" for name in shares}
    return as_percent(measured.rename(columns=names), list(names.values()))


def _stability(kept: Sequence[Kept], measured: pd.DataFrame) -> None:
    st.subheader("In numbers, and under other seeds")
    prose(
        "Means over seeds with the sample's standard deviation (SD). Jaccard's index of two seeds' "
        "memories is 1 where they keep the same rows and 0 where they share none."
    )
    table = analysis.stability(kept, measured)
    columns = {
        "label": TEXT("Memory", width=230),
        "seeds": NUMBER("Seeds", width=60),
        "jaccard": NUMBER("Jaccard of seeds", format="%.3f", width=120),
        "lowest": NUMBER("Lowest", format="%.3f", width=70),
        "always": NUMBER("Rows of every seed", width=130),
        "ever": NUMBER("Rows of any seed", width=120),
    }
    for kind in COUNTS:
        columns[f"entropy_{kind}"] = NUMBER(f"Entropy, {kind}", format="%.3f", width=130)
        columns[f"entropy_{kind}_deviation"] = NUMBER("SD", format="%.3f", width=60)
    draw_table(
        table,
        columns,
        key="stability",
        file_name="memory_stability.csv",
        missing="–",
        height="content",
    )


def _overlap(memories: Memories) -> None:
    st.subheader("Overlap")
    names = names_of(memories.kept)
    pairs = analysis.overlap(memories.kept)
    present(
        charts.overlap(pairs, names),
        "Jaccard's index of each two memories: shared rows over all rows of the two.",
        pairs.assign(left=[names[n] for n in pairs.left], right=[names[n] for n in pairs.right]),
        key="overlap",
        file_name="memory_overlap.csv",
    )
    by_name = dict(zip(names, memories.kept, strict=True))
    with st.container(border=True):
        columns = st.columns(2)
        with columns[0]:
            left = pick("one", "Rows that only this memory keeps", names)
        with columns[1]:
            right = pick("other", "and that only this one keeps", names, names[-1])
        for column, name, other in zip(columns, (left, right), (right, left), strict=True):
            rows = memory_rows.chosen(memories.task, by_name[name])
            only = rows[~rows.row.isin(by_name[other].rows)]
            with column:
                st.caption(f"{len(only)} of {counted(len(rows), 'row')}")
                draw_table(only[list(NARROW)], NARROW, key=f"only/{name}")
