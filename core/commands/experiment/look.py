"""`experiment status`: how far experiments are."""

import argparse
import json
import sys

from core.analysis.durations import duration
from core.commands import Subparsers
from core.commands.experiment.words import progress_line
from core.commands.runs import table
from core.experiments import catalog, work
from core.experiments.catalog import Stored
from core.experiments.deleted import deletions
from core.experiments.status import CELL_STATUSES, Status, status
from core.runs.run import RUNNING
from core.runs.store import Store


def add_parsers(parsers: Subparsers) -> None:
    parser = parsers.add_parser("status", help="how far experiments are")
    parser.add_argument("name", nargs="?", metavar="NAME", help="this one, arm by arm (all)")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(execute=_status)


def _status(args: argparse.Namespace) -> int:
    store = Store()
    store.mark_interrupted()
    if args.name is None:
        return _all(store, args.json)
    stored = catalog.load(store, args.name)
    now = status(store, stored.id)
    if args.json:
        print(json.dumps(_as_json(stored, now), indent=2, ensure_ascii=False))
        return 0
    shown = [name for name in CELL_STATUSES if now.counts[name]]
    rows = [["ARM", *(name.upper() for name in shown), "A CELL"]]
    for arm in now.arms:
        counts = [str(arm.counts.get(name, 0)) for name in shown]
        rows.append([stored.experiment.arms[arm.arm].label, *counts, duration(arm.seconds)])
    print(_headline(stored, now))
    print(table(rows))
    for sentence in [*work.failures(store, stored), *deletions(store, stored)]:
        print(sentence)
    return 0


def _all(store: Store, as_json: bool) -> int:
    known, damaged = catalog.look(store)
    standing = [(stored, status(store, stored.id)) for stored in known.values()]
    for sentence in damaged.values():
        print(sentence, file=sys.stderr)
    if as_json:
        print(json.dumps([_as_json(*each) for each in standing], indent=2, ensure_ascii=False))
        return 0
    for stored, now in standing:
        print(_headline(stored, now))
    if not standing:
        print("There are no experiments. To start one: python -m core experiment run demo")
    return 0


def _headline(stored: Stored, now: Status) -> str:
    line = progress_line(stored.experiment.name, now, max(1, now.counts[RUNNING]))
    return f"{line}{', paused' if stored.paused else ''}"


def _as_json(stored: Stored, now: Status) -> dict[str, object]:
    return {
        "name": stored.experiment.name,
        "paused": stored.paused,
        "priority": stored.priority,
        "cells": now.cells,
        "counts": now.counts,
        "done": now.done,
        "arms": {
            stored.experiment.arms[arm.arm].label: dict(arm.counts) | {"seconds": arm.seconds}
            for arm in now.arms
        },
    }
