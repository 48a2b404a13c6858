"""`stop`: stop runs, wherever they are carried out."""

import argparse

from core.commands import Subparsers
from core.runs.store import Store


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "stop",
        help="stop runs",
        description="Stop runs within a batch, in whichever process; they can be resumed.",
    )
    parser.add_argument("ids", type=int, nargs="+", metavar="ID")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    store = Store()
    store.mark_interrupted()
    for id in args.ids:
        store.request_stop(id)
        asked = store.stop_requested(id)
        print(f"Run {id} stops after its present batch." if asked else f"Run {id} is stopped.")
    return 0
