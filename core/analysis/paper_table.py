"""Finished runs beside the paper: one line a group of runs that differ in their seeds only."""

import math
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from core.analysis.accuracy import SEEDS, Group, group, in_any_order
from core.analysis.cell_records import CellRecord
from core.analysis.encoders import encoder_input
from core.analysis.exported_runs import ExportedRun
from core.analysis.paper import comparable
from core.analysis.paper_values import published
from core.analysis.settings import differing, method_name
from core.registry import methods

COLUMNS = [
    "method",
    "sampler",
    "reads",
    "task_masking",
    "runs",
    "after_task",
    "whole",
    "whole_deviation",
    "avg",
    "avg_deviation",
    "bound_whole",
    "paper_whole",
    "paper_avg",
    "paper_note",
    "minutes",
]
_OWN_COLUMN = (*SEEDS, "method", "sampler", "task_masking")


class End(NamedTuple):
    """Accuracies in percent after the last task that was tested in full."""

    after: int
    whole: float
    avg: float
    bound_whole: float  # NaN where coverage is not recorded
    bound_avg: float


def final(records: Sequence[ExportedRun]) -> pd.DataFrame:
    """Accuracies after the last task in percent, the paper's where there is one, minutes a run.

    Columns as COLUMNS, methods in the paper's order, task masking off before on. `sampler` is empty
    where nothing was kept; `reads` says what the encoder read. Of the paper's values the one
    without DAR is taken where it has both.
    """
    groups = group(records)
    configs = [in_any_order(same.runs[0].config) for same in groups]
    differences = differing(configs, leave_out=_OWN_COLUMN)
    rows = [_row(same, words) for same, words in zip(groups, differences, strict=True)]
    table = pd.DataFrame([row for row in rows if row], columns=[*COLUMNS, "order"])
    return table.sort_values("order", kind="stable", ignore_index=True)[COLUMNS]


def _row(same: Group[ExportedRun], differences: Sequence[str]) -> dict[str, Any]:
    """A group's line, empty where none of its runs has learned a task."""
    ends = [end for run in same.runs if (end := last_accuracies(run))]
    if not ends:
        return {}
    after, config = max(end.after for end in ends), same.runs[0].config
    ends = [end for end in ends if end.after == after]
    name = method_name(config)
    row = {
        "method": ", ".join([name, *differences]),
        "sampler": config.sampler if methods.declared(config.method, "memory") else "",
        "reads": encoder_input(config),
        "task_masking": config.task_masking,
        "runs": len(ends),
        "after_task": after + 1,
        "minutes": statistics.fmean(run.seconds for run in same.runs) / 60,
        "order": (_rank(config.method), name, config.task_masking),
    }
    for measure in ("whole", "avg", "bound_whole"):
        values = [getattr(end, measure) for end in ends]
        row[measure] = statistics.fmean(values)
        row[f"{measure}_deviation"] = statistics.stdev(values) if len(values) > 1 else math.nan
    return row | _paper(same.runs[0], after + 1)


def last_accuracies(record: ExportedRun | CellRecord) -> End | None:
    """None where no task has been learned and tested in full."""
    for after in reversed(range(len(record.tasks))):
        tested = [counts for counts in record.counts if counts[0] == after >= counts[1]]
        if len(tested) == after + 1:
            _, _, correct, totals, known = zip(*tested, strict=True)
            total = sum(totals)
            if not total:
                return None
            avg = statistics.fmean(c / n for c, n in zip(correct, totals, strict=True) if n)
            bound, bound_avg = math.nan, math.nan
            if None not in known:
                bound = sum(known) / total
                bound_avg = statistics.fmean(c / n for c, n in zip(known, totals, strict=True) if n)
            shares = (sum(correct) / total, avg, bound, bound_avg)
            return End(after, *(100 * share for share in shares))
    return None


def _rank(method: str) -> int:
    """Its position in the paper's tables; behind them where it is not the paper's."""
    order = list(dict.fromkeys(value.method for value in published()))
    return order.index(method) if method in order else len(order)


def _paper(record: ExportedRun, tasks: int) -> dict[str, Any]:
    values = comparable(record.config, tasks)
    values = [value for value in values if value.note == "without DAR"] or values
    row: dict[str, Any] = {"paper_whole": math.nan, "paper_avg": math.nan}
    row["paper_note"] = values[0].note if values else ""
    return row | {f"paper_{value.measure}": value.value for value in reversed(values)}
