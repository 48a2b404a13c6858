"""Finished runs beside the paper: one line a group of runs that differ in their seeds only."""

from collections.abc import Sequence

import pandas as pd

from core.analysis.accuracy import cells, curves, group, spread
from core.analysis.paper import comparable
from core.runs.life import FINISHED, Run
from core.runs.store import Store

COLUMNS = [
    "method", "runs", "after_task", "whole", "whole_deviation", "avg", "avg_deviation",
    "ceiling_whole", "paper_whole", "paper_avg", "paper_note", "minutes",
]  # fmt: skip


def final(store: Store, runs: Sequence[Run]) -> pd.DataFrame:
    """Accuracies after the last task in percent, the paper's where there is one, minutes a run.

    Columns as COLUMNS. Only finished runs count. Of the paper's values the one without DAR is
    taken where the paper has both.
    """
    finished = [run for run in runs if run.status == FINISHED]
    groups = group(finished)
    table = spread(curves(cells(store, finished)), groups)
    rows = []
    for one in groups:
        ends = table[table.group == one.label]
        if ends.empty:
            continue
        end = ends.iloc[-1]
        row = {"method": one.label, "runs": int(end.runs), "after_task": int(end.after) + 1}
        for name in ("whole", "whole_deviation", "avg", "avg_deviation", "ceiling_whole"):
            row[name] = 100 * float(end[name])
        paper = comparable(one.runs[0].config, int(end.after) + 1)
        without = paper[paper.note == "without DAR"]
        paper = paper if without.empty else without
        for measure in ("whole", "avg"):
            found = paper[paper.measure == measure]
            row[f"paper_{measure}"] = float(found.value.iloc[0]) if len(found) else float("nan")
        row["paper_note"] = paper.note.iloc[0] if len(paper) else ""
        row["minutes"] = sum(run.seconds for run in one.runs) / len(one.runs) / 60
        rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)
