"""The paper's Tables 1 to 8 as they are, each cell with ours beside it where it has been run.

Ours are finished runs under the conditions of the cell: its method, sampler, memory size, adapters,
fast stage and split, all tasks of the data set, task masking (for the Oracle either), and its kind
of encoder; pooled over orders and seeds. Of several groups of settings those with the paper's
vectors come first, then the one with the most runs, then the one with the fewest options set.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

import pandas as pd

from core.analysis.accuracy import Group, group
from core.analysis.encoders import encoder_inputs, has_papers_vectors, paper_encoder
from core.analysis.exported_runs import ExportedRun
from core.analysis.paper_table import last_accuracies
from core.analysis.paper_values import TASKS, Published, published
from core.config import RunConfig
from core.registry import datasets, methods

MEMORYLESS = ("finetune", "hat", "oracle")
_ADAPTERS = {"full": "with DAR", "none": "without DAR", "without_cross": "DAR without cross"}
_FAST = {"none": "without fast", "task_specific": "fast/lwf", "all": "fast/emar"}


def beside(records: Sequence[ExportedRun], number: int) -> pd.DataFrame:
    """Table `number` of the paper: a row for each value, its fields (`Published`), and ours.

    Further columns: mean, sd, n (in percent; seconds a task in Table 8; missing where nothing was
    run), reads (what ours read) and distance, (mean − value) / sd.
    """
    groups = [same for same in group(records) if _whole(same.runs[0])]
    rows = [
        {**asdict(value), **_ours(value, groups)} for value in published() if value.table == number
    ]
    names = [item.name for item in fields(Published)]
    frame = pd.DataFrame(rows, columns=[*names, "mean", "sd", "n", "reads"])
    frame["distance"] = (frame["mean"] - frame.value) / frame.sd
    return frame


def _whole(record: ExportedRun) -> bool:
    """Whether all tasks of a benchmark are learned."""
    return TASKS.get(record.config.dataset) == len(record.tasks)


def _ours(value: Published, groups: Sequence[Group[ExportedRun]]) -> dict[str, Any]:
    fitting = [same.runs for same in groups if fits(same.runs[0].config, value)]
    runs = max(fitting, key=_rank, default=())
    known = [number for run in runs for number in _of(run, value)]
    mean = statistics.fmean(known) if known else math.nan
    sd = statistics.stdev(known) if len(known) > 1 else math.nan
    reads = encoder_inputs(run.config for run in runs[: len(known)])
    return {"mean": mean, "sd": sd, "n": len(known), "reads": reads}


def _rank(runs: Sequence[ExportedRun]) -> tuple[bool, int, int]:
    """Larger for those that are liker to the paper's, then for more, then for fewer options."""
    config = runs[0].config
    return has_papers_vectors(config), len(runs), -len(config.method_options)


def _of(run: ExportedRun, value: Published) -> list[float]:
    """What the run has in place of the value; nothing where it was not tested to the end."""
    if value.measure == "seconds":
        return [run.seconds / (1 if value.method == "oracle" else len(run.tasks))]
    end = last_accuracies(run)
    complete = end is not None and end.after + 1 == len(run.tasks)
    return [float(getattr(end, value.measure))] if complete else []


def fits(config: RunConfig, row: Published) -> bool:
    """Whether a run of this configuration stands for a value of the paper."""
    options = config.method_options
    penalty = options.get("penalty", "none")
    if (config.dataset, config.method) != (row.dataset, row.method):
        return False
    encoder = paper_encoder(config)
    if encoder != (row.note if row.table == 4 else ""):
        return False
    if row.variant != ("" if penalty == "none" else penalty):
        return False
    if (config.evaluation == "heldout") != (row.note == "validation sets"):
        return False
    if config.method != "oracle" and not config.task_masking:
        return False
    if config.method not in MEMORYLESS and config.memory_size != row.memory_size:
        return False
    if config.method != "total_recall":
        return row.note == encoder and options.get("adapters", "none") == "none"
    return config.sampler == (row.sampler or "dlfs") and _note(options) == _noted(row)


def _note(options: Mapping[str, Any]) -> str:
    """What is different in a run of Total Recall, as the paper's tables note it."""
    adapters, fast = options.get("adapters", "none"), options.get("fast", "actions")
    if not options.get("fast_epochs", 5):
        fast = "none"
    if options.get("fast_tasks", "every") != "every":
        return "another fast stage"
    if fast != "actions":
        return _FAST[fast] if adapters == "full" else "another fast stage"
    return {"full": "with DAR", "none": "without DAR", "without_cross": "DAR without cross"}[
        adapters
    ]


def _noted(row: Published) -> str:
    """Tables 4, 5 and 8 have DAR on without saying so."""
    unsaid = row.table == 4 or row.note in ("", "validation sets")
    return "with DAR" if unsaid else str(row.note)


def cell_text(row: Any) -> str:
    """A cell of `shown`: the paper's value and ours."""
    return f"{row.value:.2f} | {_ours_text(row)}"


def shown(frame: pd.DataFrame, cell: Callable[[Any], str] = cell_text) -> pd.DataFrame:
    """`beside` as people read it: a line a row of the paper's table, its cells as `cell` says."""
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in frame.itertuples():
        name = str(methods.declared(row.method, "label")) + (
            " + EWC" if row.variant == "ewc" else ""
        )
        sampler, many = row.sampler, frame.memory_size.nunique() > 1
        line = lines.setdefault((name, row.note, sampler), {"Method": name})
        line |= {"Note": row.note} if frame.note.any() else {}
        line |= {"Sampler": sampler} if frame.sampler.any() else {}
        size = f", memory {row.memory_size}" if many else ""
        line[f"{_data_name(row.dataset)}{size}, {row.measure}"] = cell(row)
    return pd.DataFrame(list(lines.values())).fillna("–")


def _data_name(dataset: str) -> str:
    return str(datasets.declared(dataset, "label") or dataset)


def _ours_text(row: Any) -> str:
    if not row.n:
        return "–"
    mean = f"{row.mean:.2f}" if pd.isna(row.sd) else f"{row.mean:.2f} ± {row.sd:.2f}"
    return f"{mean} (n = {row.n})"
