"""`runs`: the runs there are, newest first."""

import argparse
import json
import sys
from collections.abc import Sequence

from core.analysis.durations import duration
from core.commands import Subparsers
from core.commands.numbers import count
from core.commands.show import as_json
from core.runs.run import STATUSES, Run
from core.runs.store import Store

_HEAD = ("ID", "STATUS", "DONE", "TIME", "LEFT", "STARTED", "NAME")
_RIGHT = {"ID", "DONE", "TIME", "LEFT"}  # columns of numbers


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "runs", help="list the runs", description="The runs, newest first."
    )
    parser.add_argument("--status", nargs="+", choices=STATUSES, help="only these")
    parser.add_argument("--limit", type=count, default=50, metavar="N", help="at most so many (50)")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    store = Store()
    store.mark_interrupted()
    listed = store.runs(limit=args.limit, statuses=args.status)
    for sentence in store.unreadable():
        print(sentence, file=sys.stderr)
    if args.json:
        print(json.dumps([as_json(run) for run in listed], indent=2, ensure_ascii=False))
    elif listed:
        print(table([_HEAD, *map(_cells, listed)]))
    else:
        print("There are no runs. To start one: python -m core train")
    return 0


def _cells(run: Run) -> tuple[str, ...]:
    begun = run.started.astimezone().strftime("%Y-%m-%d %H:%M") if run.started else "–"
    done, spent, left = f"{run.progress:.0%}", duration(run.seconds), duration(run.seconds_left)
    status = "stopping" if run.stop_requested else run.status
    return (str(run.id), status, done, spent, left, begun, run.name)


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text in columns; the first row heads them."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [name in _RIGHT for name in rows[0]]
    lines = [
        "  ".join(
            cell.rjust(width) if numbers else cell.ljust(width)
            for cell, width, numbers in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)
