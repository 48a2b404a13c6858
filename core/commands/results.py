"""`results`: finished runs beside the paper's values, as a Markdown table."""

import argparse
import math
from typing import TYPE_CHECKING

from core.runs.store import Store

if TYPE_CHECKING:
    import pandas as pd

_HEAD = ("Method", "n", "ACC_whole / ACC_avg", "Paper", "Minutes a run")


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "results",
        help="a table of finished runs beside the paper's values",
        description="Finished runs after their last task, as a Markdown table: mean (and standard "
        "deviation) over runs that differ in their seeds only.",
    )
    parser.add_argument("ids", type=int, nargs="*", metavar="ID", help="these runs only")
    parser.add_argument("--dataset", default="overnight", help="runs on this one (overnight)")
    parser.add_argument(
        "--evaluation", default="test", choices=("test", "heldout"), help="rows tested on (test)"
    )
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    from core.analysis.results import final

    store = Store()
    runs = [store.run(id) for id in args.ids] or [
        run
        for run in store.runs(statuses=["finished"])[::-1]
        if run.config.dataset == args.dataset and run.config.evaluation == args.evaluation
    ]
    table = final(store, runs)
    if table.empty:
        print(f"No run on {args.dataset} has finished.")
        return 0
    print("\n".join(markdown(table)))
    return 0


def markdown(table: "pd.DataFrame") -> list[str]:
    """The lines of the Markdown table."""
    lines = ["| " + " | ".join(_HEAD) + " |", "| --- | ---: | ---: | ---: | ---: |"]
    for row in table.itertuples():
        measured = " / ".join(
            _with_spread(getattr(row, name), getattr(row, f"{name}_deviation"))
            for name in ("whole", "avg")
        )
        paper = (
            "–" if math.isnan(row.paper_whole) else f"{row.paper_whole:.2f} / {row.paper_avg:.2f}"
        )
        note = f" ({row.paper_note})" if row.paper_note else ""
        cells = [row.method, str(row.runs), measured, paper + note, f"{row.minutes:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _with_spread(mean: float, deviation: float) -> str:
    return f"{mean:.2f}" if math.isnan(deviation) else f"{mean:.2f} ± {deviation:.2f}"
