"""`show`: one run, with its accuracies."""

import argparse
import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import select

from core.analysis.command_line import command_line
from core.analysis.diagnostics import diagnostics
from core.analysis.durations import duration
from core.analysis.progress import times
from core.commands import Subparsers
from core.commands.display import accuracies
from core.events import Accuracy, RunStarted
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import accuracies as accuracy_table
from core.text import clean
from core.validation.presets import presets_in_words


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser("show", help="show a run", description="A run in full.")
    parser.add_argument("id", type=int, metavar="ID")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    store = Store()
    store.mark_interrupted()
    run, matrix = store.run(args.id), _matrix(store, args.id)
    if args.json:
        cells = [asdict(cell) for row in matrix for cell in row]
        print(json.dumps(as_json(run) | {"accuracies": cells}, indent=2, ensure_ascii=False))
        return 0
    for name, value in _facts(run):
        print(f"{name:9} {value}")
    spent = times(store, args.id).items()
    if spent:
        print("time      " + ", ".join(f"{name} {duration(seconds)}" for name, seconds in spent))
    metrics = diagnostics(store, args.id)
    for row in matrix:
        name = clean(run.task_name(row[0].after))
        print(f"after {row[0].after + 1} {name}: {accuracies(row)}")
        print("   " + "  ".join(f"{cell.correct}/{cell.total}" for cell in row))
        for metric, number in metrics.get(row[0].after, {}).items():
            print(f"   {metric}: {number:.3g}")
    return 0


def as_json(run: Run) -> dict[str, Any]:
    """Plain values; times in ISO 8601."""
    values = {name: getattr(run, name) for name in Run.__dataclass_fields__}
    values["config"] = run.config.to_dict()
    for name in ("facts", "last_progress"):
        values[name] = asdict(values[name]) if values[name] else {}
    return {n: v.isoformat() if isinstance(v, datetime) else v for n, v in values.items()}


def _facts(run: Run) -> list[tuple[str, str]]:
    facts = [
        ("run", f"{run.id}  {run.name}"),
        ("status", f"{run.status}, {run.progress:.0%} done in {duration(run.seconds)}"),
        ("left", duration(run.seconds_left) if run.seconds_left is not None else ""),
        ("tags", ", ".join(run.tags)),
        ("note", run.note),
        ("error", run.error),
        ("device", run.device),
        ("preset", presets_in_words(run.config)),
        ("size", _size(run.facts)),
        ("recorded", run.facts.reduced if run.facts else ""),
        ("with", ", ".join(f"{name} {version}" for name, version in run.versions.items())),
        ("as", command_line(run.config, keeps_memory=run.keeps_memory)),
    ]
    return [(name, value) for name, value in facts if value]


def _size(facts: RunStarted | None) -> str:
    """How many parameters the parser has; empty where the run has not told."""
    if facts is None or not facts.parameters:
        return ""
    alone = facts.task_parameters
    return f"{facts.parameters:,} parameters" + (f", {alone:,} for each task alone" * bool(alone))


def _matrix(store: Store, id: int) -> list[list[Accuracy]]:
    """acc[k, i] as rows k."""
    cells = accuracy_table.c
    query = select(cells.after, cells.on_task, cells.correct, cells.total)
    query = query.where(cells.run_id == id).order_by(cells.after, cells.on_task)
    rows: dict[int, list[Accuracy]] = {}
    for row in store.fetch(query):
        cell = Accuracy(row.after, row.on_task, row.correct, row.total)
        rows.setdefault(cell.after, []).append(cell)
    return list(rows.values())
