"""Finished runs beside the paper: one line a group of runs that differ in their seeds only."""

from collections.abc import Sequence

import pandas as pd

from core.analysis.accuracy import curves, group, spread
from core.analysis.exported_runs import ExportedRun, table
from core.analysis.paper import comparable, published
from core.analysis.settings import differing, method_name

COLUMNS = [
    "method", "sampler", "task_masking", "runs", "after_task", "whole", "whole_deviation", "avg",
    "avg_deviation", "bound_whole", "paper_whole", "paper_avg", "paper_note", "minutes",
]  # fmt: skip
_OWN_COLUMN = ("seed", "order_seed", "method", "sampler", "task_masking")


def final(records: Sequence[ExportedRun]) -> pd.DataFrame:
    """Accuracies after the last task in percent, the paper's where there is one, minutes a run.

    Columns as COLUMNS, methods in the paper's order, task masking off before on. `sampler` is empty
    where nothing was kept. Of the paper's values the one without DAR is taken where it has both.
    """
    groups = group(records)
    ends = spread(curves(table(records)), groups).groupby("group").tail(1).set_index("group")
    apart = differing([one.runs[0].config for one in groups], leave_out=_OWN_COLUMN)
    rows = []
    for one, differences in zip(groups, apart, strict=True):
        if one.label not in ends.index:
            continue
        end, first = ends.loc[one.label], one.runs[0]
        method = method_name(first.config)
        row = {"method": ", ".join([method, *differences])}
        row["sampler"] = first.config.sampler if any(run.memories for run in one.runs) else ""
        row["task_masking"] = first.config.task_masking
        row |= {"runs": int(end.runs), "after_task": int(end.after) + 1}
        for name in ("whole", "whole_deviation", "avg", "avg_deviation", "bound_whole"):
            row[name] = 100 * float(end[name])
        row |= _paper(first, int(end.after) + 1)
        row["minutes"] = sum(run.seconds for run in one.runs) / len(one.runs) / 60
        rows.append((_place(first.config.method), method, row["task_masking"], row))
    rows.sort(key=lambda row: row[:3])  # stable: by first appearance within a variant
    return pd.DataFrame([row for *_, row in rows], columns=COLUMNS)


def _place(method: str) -> int:
    papers = published().method.unique().tolist()  # of Table 1 first
    return papers.index(method) if method in papers else len(papers)


def _paper(record: ExportedRun, tasks: int) -> dict[str, object]:
    paper = comparable(record.config, tasks)
    without = paper[paper.note == "without DAR"]
    paper = paper if without.empty else without
    row: dict[str, object] = {"paper_note": paper.note.iloc[0] if len(paper) else ""}
    for measure in ("whole", "avg"):
        found = paper[paper.measure == measure]
        row[f"paper_{measure}"] = float(found.value.iloc[0]) if len(found) else float("nan")
    return row
