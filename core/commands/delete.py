"""`delete`: delete runs with all that was recorded and kept of them."""

import argparse
import sys

from core.commands import Subparsers
from core.options import ConfigError
from core.runs import checkpoints
from core.runs.store import Store


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "delete",
        help="delete runs",
        description="Delete runs with all that was recorded and kept of them; asks first.",
    )
    parser.add_argument("ids", type=int, nargs="+", metavar="ID")
    parser.add_argument("--yes", action="store_true", help="don't ask")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    store = Store()
    store.mark_interrupted()
    names = {id: store.name(id) for id in args.ids}
    if not args.yes:
        if not sys.stdin.isatty():
            raise ConfigError("There is nobody to ask: say --yes to delete.")
        listed = "; ".join(f"{id} ({name})" for id, name in names.items())
        if input(f"Delete {listed}? [y/N] ").strip().lower() not in ("y", "yes"):
            return 0
    for id in names:
        store.delete(id)
        checkpoints.delete(id)
        print(f"Run {id} is deleted.")
    return 0
