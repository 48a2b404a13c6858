"""`results`: finished runs beside the paper's values, as a Markdown table; to and from files."""

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from core.commands import Subparsers
from core.runs.store import Store
from core.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from core.analysis.exported_runs import ExportedRun
    from core.runs.run import Run

_HEAD = (
    "Method",
    "Sampler",
    "Task masking",
    "n",
    "ACC_whole / ACC_avg",
    "Paper",
    "Minutes a run",
)


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "results",
        help="a table of finished runs beside the paper's values",
        description="Finished runs after their last task, as a Markdown table: mean (and standard "
        "deviation) over the n runs that differ in their seeds only.",
    )
    parser.add_argument("ids", type=int, nargs="*", metavar="ID", help="these runs only")
    parser.add_argument("--dataset", default="overnight", help="runs on this one (overnight)")
    parser.add_argument(
        "--evaluation", default="test", choices=("test", "heldout"), help="rows tested on (test)"
    )
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="add the runs to this file; no table"
    )
    parser.add_argument(
        "--from",
        type=Path,
        nargs="+",
        dest="files",
        metavar="FILE",
        default=[],
        help="take the runs of exported files, not those of the store; of two records of one "
        "configuration the later holds",
    )
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    from core.analysis import exported_runs
    from core.analysis.paper_table import final

    found = _records(args)
    if args.export is not None:
        before = exported_runs.load(args.export) if args.export.exists() else []
        merged = exported_runs.merge(before, found)
        exported_runs.save(args.export, merged)
        print(f"{counted(len(found), 'run')} exported; {args.export} holds {len(merged)} by now.")
        return 0
    table = final(found)
    if table.empty:
        print(f"No run on {args.dataset} has finished.")
        return 0
    print("\n".join(markdown(table)))
    return 0


def _records(args: argparse.Namespace) -> "list[ExportedRun]":
    """What is asked for: the runs of these numbers, or those on the data set; or of the files."""
    from core.analysis import exported_runs

    def wanted(run: "Run | ExportedRun") -> bool:
        config = run.config
        return (config.dataset, config.evaluation) == (args.dataset, args.evaluation)

    if args.files:
        return list(filter(wanted, exported_runs.merge(*map(exported_runs.load, args.files))))
    store = Store()
    runs = [store.run(id) for id in args.ids]
    runs = runs or list(filter(wanted, store.runs(statuses=["finished"])[::-1]))
    return exported_runs.merge(exported_runs.of_runs(store, runs))


def markdown(table: "pd.DataFrame") -> list[str]:
    """The lines of the Markdown table."""
    from core.analysis.encoders import RANDOM
    from core.analysis.table_text import markdown_row

    lines = [markdown_row(_HEAD), "| --- | --- | --- |" + " ---: |" * 4]
    for row in table.itertuples():
        measured = " / ".join(
            _with_spread(getattr(row, name), getattr(row, f"{name}_deviation"))
            for name in ("whole", "avg")
        )
        paper = (
            "–" if math.isnan(row.paper_whole) else f"{row.paper_whole:.2f} / {row.paper_avg:.2f}"
        )
        note = f" ({row.paper_note})" if row.paper_note else ""
        reads = "" if row.reads == RANDOM else f" ({row.reads})"
        cells = [row.method + reads, row.sampler or "–", "on" if row.task_masking else "off"]
        cells += [str(row.runs), measured, paper + note, f"{row.minutes:.0f}"]
        lines.append(markdown_row(cells))
    return lines


def _with_spread(mean: float, deviation: float) -> str:
    return f"{mean:.2f}" if math.isnan(deviation) else f"{mean:.2f} ± {deviation:.2f}"
