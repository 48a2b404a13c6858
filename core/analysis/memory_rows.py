"""The rows of one memory: which they are, and the search that led to them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from core.analysis.memory import Kept, TaskRows
from core.data.base import Example


def trajectory(task: TaskRows, memory: Kept) -> pd.DataFrame:
    """`steps` of a memory of this task."""
    return steps(task.examples, memory)


def steps(examples: Sequence[Example], memory: Kept) -> pd.DataFrame:
    """How a sampler that follows the entropy came to its memory; empty where the trace has none.

    Columns: step, kind (start, swap, row added), sweep (from 1; missing outside sweeps), cluster,
    entropy (nats, as the sampler counts), row_out, row_in with their utterances and forms.
    """
    trace = memory.trace
    taken: list[dict[str, Any]] = []
    if "swaps" in trace:
        taken.append({"kind": "start", "entropy": trace["entropy"][0]})
        for swap in trace["swaps"]:
            taken.append({"kind": "swap"} | swap | {"sweep": swap["sweep"] + 1})
        taken += [
            {"kind": "row added", "row_in": filled["row"], "entropy": filled["entropy"]}
            for filled in trace.get("filled", [])
        ]
    else:
        for row, value in zip(memory.rows, trace.get("entropy", []), strict=False):
            taken.append({"kind": "row added", "row_in": row, "entropy": value})
    columns = ["kind", "sweep", "cluster", "entropy", "row_out", "row_in"]
    frame = pd.DataFrame(taken, columns=columns)
    whole = {name: "Int64" for name in columns if name not in ("kind", "entropy")}
    frame = frame.astype(whole)
    for way in ("out", "in"):
        rows = [None if pd.isna(row) else examples[row] for row in frame[f"row_{way}"]]
        frame[f"utterance_{way}"] = [row.utterance if row else "" for row in rows]
        frame[f"form_{way}"] = [row.logical_form if row else "" for row in rows]
    frame.insert(0, "step", range(len(frame)))
    return frame


def states(memory: Kept) -> list[tuple[int, ...]]:
    """The rows in memory after each step of `steps`; empty where the trace has none."""
    trace, rows = memory.trace, list(memory.rows)
    if "swaps" not in trace:
        count = len(trace.get("entropy", ()))
        return [tuple(rows[: step + 1]) for step in range(min(count, len(rows)))]
    after = [tuple(rows)]
    for _ in trace.get("filled", ()):
        rows.pop()
        after.append(tuple(rows))
    for swap in reversed(trace["swaps"]):
        rows[swap["cluster"]] = swap["row_out"]
        after.append(tuple(rows))
    return after[::-1]


def chosen(task: TaskRows, memory: Kept) -> pd.DataFrame:
    """The rows of a memory, in the sampler's order.

    Columns: row, utterance, logical_form, cluster (that all memories are held against),
    own_cluster (the sampler's, missing where it made none), actions (as text).
    """
    rows = list(memory.rows)
    forms = task.forms.of_row[rows]
    clusters = sampler_clusters(task, memory)
    drawn = [None] * len(rows) if clusters is None else clusters[rows]
    examples = [task.examples[row] for row in rows]
    columns = {
        "row": rows,
        "utterance": [example.utterance for example in examples],
        "logical_form": [example.logical_form for example in examples],
        "cluster": task.clusters[forms],
        "own_cluster": pd.array(drawn, dtype="Int64"),
        "actions": ["  ".join(str(step.action) for step in row.derivation) for row in examples],
    }
    return pd.DataFrame(columns)


def sampler_clusters(task: TaskRows, memory: Kept) -> npt.NDArray[np.int64] | None:
    """The cluster of each row as the sampler drew them: (rows,); None where it drew none."""
    by_form, by_row = memory.trace.get("clusters"), memory.trace.get("row_clusters")
    if by_form is not None and len(by_form) == len(task.forms):
        by_row = np.asarray(by_form)[task.forms.of_row]
    if by_row is None or len(by_row) != len(task.examples):
        return None
    return np.asarray(by_row, dtype=np.int64)


def find(rows: pd.DataFrame, text: str) -> pd.DataFrame:
    """Those of `chosen`'s rows that hold the text in utterance, form or actions, in any case."""
    columns = rows[["utterance", "logical_form", "actions"]].astype(str)
    held = [columns[c].str.contains(text, case=False, regex=False) for c in columns]
    return rows[np.logical_or.reduce(held)]
