"""`resume`: go on here with a run that was stopped, failed or was interrupted."""

import argparse

from core.commands import Subparsers
from core.commands.foreground import carry_out
from core.runs.owner import new_owner
from core.runs.store import Store


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "resume",
        help="go on with a run here",
        description="Go on here, from its last checkpoint, with a run that ended early.",
    )
    parser.add_argument("id", type=int, metavar="ID")
    parser.add_argument(
        "--anew", action="store_true", help="without its checkpoint, as if it had never run"
    )
    parser.add_argument("--quiet", action="store_true", help="say only how it ended")
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    store, owner = Store(), new_owner()
    store.mark_interrupted()
    store.resume(args.id, claimed_by=owner, anew=args.anew)
    return carry_out(store, args.id, owner, quiet=args.quiet)
