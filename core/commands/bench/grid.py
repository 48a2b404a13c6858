"""`bench grid`: what the paper's grid costs: 11 methods × 3 data sets × 10 pairs of order and seed.

An estimate, of two kinds. GPU hours are the paper's own times (Table 8: seconds a task on one V100;
the Oracle's are a run's). Hours of a core are those of runs in files of results; where no run of a
method on a data set is there, the paper's time is taken times how much longer other runs of that
data set took (of all, where it has none), and counted as not measured.
"""

import argparse
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.commands import Subparsers
from core.commands.records import add_files, records
from core.paths import PROJECT

if TYPE_CHECKING:
    from core.analysis.exported_runs import ExportedRun

PAIRS = 10
FILES = (PROJECT / "assets" / "one_order.json", PROJECT / "assets" / "results.json")
NODES = (2, 8, 100)  # at once
Key = tuple[str, str, str]  # data set, method, penalty
Seconds = dict[Key, float]  # of a run


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "grid",
        help="what the paper's whole grid costs, estimated",
        description="Hours of the paper's 11 methods on 3 data sets over 10 pairs, from the "
        "paper's own times and from runs in files of results, as a Markdown table.",
    )
    add_files(parser)
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    gpu = _of_paper()
    known = _of_records(records(args.files or FILES))
    guesses = _scaled(gpu, known)
    core = {key: known.get(key, guesses.get(key, 0.0)) for key in gpu}
    print("| Data set | runs | GPU hours (paper) | core hours | of these not measured |")
    print("| --- | ---: | ---: | ---: | ---: |")
    sets = list(dict.fromkeys(key[0] for key in gpu))
    for name in [*sets, ""]:
        keys = [key for key in gpu if name in ("", key[0])]
        guessed = [key for key in keys if key not in known]
        hours = (_hours(gpu, keys), _hours(core, keys), _hours(core, guessed))
        shown = " | ".join(f"{each:,.0f}" for each in hours)
        print(f"| {name or 'all'} | {PAIRS * len(keys)} | {shown} |")
    print("\n| at once | on GPUs, h | on cores, h |\n| ---: | ---: | ---: |")
    for nodes in NODES:
        print(f"| {nodes} | {_span(gpu, nodes):,.1f} | {_span(core, nodes):,.1f} |")
    return 0


def _hours(seconds: Seconds, keys: Sequence[Key]) -> float:
    return PAIRS * sum(seconds[key] for key in keys) / 3600


def _span(seconds: Seconds, nodes: int) -> float:
    """Hours until the last run ends: each goes to whoever is free first, pairs outer."""
    free = [0.0] * nodes
    for run in [each for _ in range(PAIRS) for each in seconds.values()]:
        first = min(range(nodes), key=free.__getitem__)
        free[first] += run
    return max(free) / 3600


def _of_paper() -> Seconds:
    from core.analysis.paper_values import TASKS, published

    return {
        (value.dataset, value.method, value.variant): value.value
        * (1 if value.method == "oracle" else TASKS[value.dataset])
        for value in published()
        if value.table == 8
    }


def _of_records(exported: "Sequence[ExportedRun]") -> Seconds:
    """The mean over runs on test rows without adapters, whatever their order and masking."""
    by_key: dict[Key, list[float]] = {}
    for record in exported:
        config, options = record.config, record.config.method_options
        if config.evaluation == "test" and options.get("adapters", "none") == "none":
            penalty = str(options.get("penalty", "none"))
            key = (config.dataset, config.method, "" if penalty == "none" else penalty)
            by_key.setdefault(key, []).append(record.seconds)
    return {key: statistics.fmean(seconds) for key, seconds in by_key.items()}


def _scaled(paper: Seconds, known: Seconds) -> Seconds:
    """What is not known, from the paper's times."""
    ratios = {key: known[key] / paper[key] for key in paper if key in known}
    guessed = {}
    for key in paper:
        if key not in known:
            same = [ratio for other, ratio in ratios.items() if other[0] == key[0]]
            guessed[key] = paper[key] * statistics.median(same or ratios.values() or [1.0])
    return guessed
