"""`worker`: carry out what waits, runs and cells of experiments, until Ctrl-C."""

import argparse
import os
import sys
import threading
import time

from core.commands import Subparsers
from core.commands.foreground import stopped_by_signals
from core.experiments import catalog
from core.experiments.worker import Worker
from core.runs.pool import Pool, assign, default_workers
from core.runs.store import Store
from core.runs.workers import warm_up

_LOOK_SECONDS = 1.0
_GIVES_WAY = 5  # niceness beside the app's pages


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "worker",
        help="carry out what waits in the queue",
        description="Take runs and cells of experiments off the queue, on this machine or any that "
        "reaches the database, until Ctrl-C; what is under way then goes back to the queue.",
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes (one for each GPU or free core)"
    )
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N (auto)")
    parser.add_argument("--experiment", metavar="NAME", help="only cells of this one")
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)  # a pool's process
    parser.add_argument("--of-app", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(execute=_execute)


def _execute(args: argparse.Namespace) -> int:
    stop = threading.Event()
    with stopped_by_signals(stop):
        if args.parent is not None:
            return _work(args, stop)
        workers, why = args.workers, ""
        if workers is None:
            workers, words = default_workers(args.device)
            why = f" ({words})"
        catalog.load(Store(), args.experiment) if args.experiment else None
        pool = Pool(workers, args.device, experiment=args.experiment or "")
        print(f"{workers} worker{'s' * (workers > 1)}{why}; Ctrl-C ends them.", file=sys.stderr)
        try:
            while not stop.wait(_LOOK_SECONDS):
                pool.watch()
        finally:
            pool.end()
    return 0


def _work(args: argparse.Namespace, stop: threading.Event) -> int:
    """In a pool's process: ends with the pool."""
    store = Store()
    experiment = catalog.load(store, args.experiment).id if args.experiment else None
    threading.Thread(target=_end_with, args=(args.parent, stop), daemon=True).start()
    if args.of_app and hasattr(os, "nice"):
        os.nice(_GIVES_WAY)
    warm_up()
    device = assign(1, args.device)[0]
    Worker(store, device, stop=stop, experiment=experiment, only_cells_back=args.of_app).go()
    return 0


def _end_with(parent: int, stop: threading.Event) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    stop.set()
