"""`demo`: the recorded demo that the home page shows: make its file anew, put it into the store."""

import argparse
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from core.analysis.durations import duration
from core.commands import Subparsers
from core.config import RunConfig
from core.events import Event, Progress
from core.runs.recordings import DEMO_FILE, Recording, load, put_in, save
from core.runs.store import Store
from core.validation.presets import demo_configs

EVERYTHING = 10.0  # recording may cost so much beside training: nothing is left out


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "demo",
        help="the recorded demo: record it anew, put it into the store",
        description="Two runs on six made-up domains, fine-tuned and with Total Recall, recorded "
        "in a file: the home page shows them before anything was trained.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    command = commands.add_parser("record", help="train both here and write the file")
    command.add_argument(
        "--to", type=Path, default=DEMO_FILE, metavar="FILE", help=f"({DEMO_FILE})"
    )
    command.set_defaults(execute=_record)
    command = commands.add_parser("import", help="put the recorded runs into the store")
    command.set_defaults(execute=_import)


def record(config: RunConfig, watch: Callable[[Event], None]) -> Recording:
    """Train a run here, on the CPU and outside of any store, and keep what it records; its seconds
    are the processor's, whatever else the machine does.
    """
    from core.runs.circumstances import versions
    from core.training.sequence import train

    recorded: list[Event] = []

    def keep(event: Event) -> None:
        recorded.append(event)
        watch(event)

    began = time.process_time()
    train(config.with_(device="cpu"), keep)
    seconds = time.process_time() - began
    kept = tuple(event for event in recorded if not isinstance(event, Progress))
    return Recording(config, versions(), datetime.now(UTC), seconds, kept)


def _record(args: argparse.Namespace) -> int:
    recordings = []
    for config in demo_configs():
        config = config.with_(recording_budget=EVERYTHING)
        recordings.append(record(config, _show))
        print(f"\r{config.method}: {duration(recordings[-1].seconds)}", file=sys.stderr)
    save(args.to, recordings)
    print(f"{args.to}: {args.to.stat().st_size / 1000:.0f} kB.")
    return 0


def _show(event: Event) -> None:
    if isinstance(event, Progress) and sys.stderr.isatty():
        print(f"\r{event.done / event.total:5.0%}", end="", file=sys.stderr)


def _import(args: argparse.Namespace) -> int:
    numbers = put_in(Store(), load(DEMO_FILE))
    print("In the store, marked as recorded: runs " + " and ".join(map(str, numbers)) + ".")
    return 0
