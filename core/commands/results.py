"""`results`: finished runs beside the paper's values, as a Markdown table."""

import argparse
import math
from typing import TYPE_CHECKING

from core.commands import Subparsers
from core.commands.records import add_files, records
from core.options import ConfigError
from core.runs.store import Store

if TYPE_CHECKING:
    import pandas as pd

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
        "deviation) over the n runs that differ in their seeds only. Their file is that of "
        "`experiment export`.",
    )
    parser.add_argument("ids", type=int, nargs="*", metavar="ID", help="these runs only")
    parser.add_argument("--dataset", default="overnight", help="runs on this one (overnight)")
    parser.add_argument(
        "--evaluation", default="test", choices=("test", "heldout"), help="rows tested on (test)"
    )
    add_files(parser)
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    from core.analysis.paper_table import final

    if args.ids and args.files:
        raise ConfigError("IDs and --from can't both be given: the numbers are those of the store.")
    chosen = [Store().run(id) for id in args.ids]
    asked = (args.dataset, args.evaluation)
    table = final(
        [
            record
            for record in records(args.files, chosen or None)
            if chosen or (record.config.dataset, record.config.evaluation) == asked
        ]
    )
    if table.empty:
        print(f"No run on {args.dataset} has finished.")
        return 0
    print("\n".join(markdown(table)))
    return 0


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
