"""`experiment run | pause | resume | cancel | retry | prefer`: carrying an experiment out."""

import argparse
import sys
import threading

from core.commands import Subparsers
from core.commands.experiment.named import stored_or_new
from core.commands.experiment.words import Line, before_start, progress_line, what_is_queued
from core.commands.foreground import stopped_by_signals
from core.experiments import catalog, work
from core.experiments.catalog import Stored
from core.experiments.checks import check
from core.experiments.deleted import deletions
from core.experiments.on_ray import RayPool, Share
from core.experiments.outlook import outlook
from core.experiments.status import status
from core.options import ConfigError
from core.runs.pool import Pool, default_workers
from core.runs.run import FAILED, FINISHED
from core.runs.store import Store
from core.text import counted

_LOOK_SECONDS = 1.0
_MEASURE_SECONDS = 0.5  # of the steps of an arm that no earlier run compares with
DONE, NOT_ALL, PAUSED = 0, 1, 3  # exit codes


def add_parsers(parsers: Subparsers) -> None:
    parser = parsers.add_parser(
        "run",
        help="carry it out here",
        description="Carry out here what is not done yet. Ctrl-C "
        "pauses: what is under way goes on from its last epoch the next time.",
    )
    parser.add_argument("name", metavar="NAME|PRESET|FILE.toml")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes (one for each GPU or free core)"
    )
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N (auto)")
    parser.add_argument(
        "--on",
        choices=("here", "ray"),
        default="here",
        help="workers here, or a Ray cluster (here)",
    )
    parser.add_argument("--address", metavar="HOST:PORT", help="the cluster's (begins one here)")
    for what, n in (("cpus", 1.0), ("gpus", 0.0)):
        parser.add_argument(
            f"--{what}", type=float, default=n, metavar="N", help=f"a cell's ({n:g})"
        )
    parser.set_defaults(execute=_run)
    for name, execute, help in (
        ("pause", _pause, "take no further cell; those that run stop within a batch"),
        ("resume", _resume, "queue what is not done, for workers elsewhere to take"),
        ("cancel", _cancel, "take what waits out of the queue"),
        ("retry", _retry, "queue again what has failed"),
        ("prefer", _prefer, "another priority: runs by hand have 0, experiments -10"),
    ):
        parser = parsers.add_parser(name, help=help)
        parser.add_argument("name", metavar="NAME")
        if name == "prefer":
            parser.add_argument("priority", type=int, metavar="PRIORITY")
        parser.set_defaults(execute=execute)


def _run(args: argparse.Namespace) -> int:
    _check_where(args)
    store = Store()
    stored = stored_or_new(store, args.name)
    check(stored.experiment)
    workers, why = args.workers, ""
    if workers is None:
        workers, words = default_workers(args.device)
        why = f" ({words})"
    name, stop = stored.experiment.name, threading.Event()
    with stopped_by_signals(stop):
        pool: Pool | RayPool
        if args.on == "ray":
            pool = RayPool(store, stored.id, args.address, Share(args.cpus, args.gpus))
            workers, why = pool.room(), " at once on Ray"
        else:
            pool = Pool(workers, args.device, experiment=name)
        print(before_start(outlook(store, stored, _MEASURE_SECONDS), workers), flush=True)
        store.mark_interrupted()
        _enqueue(store, stored)
        print(f"{workers} worker{'s' * (workers > 1)}{why}; Ctrl-C pauses.", flush=True)
        try:
            _watch(store, stored.id, name, pool, stop, workers)
            if stop.is_set():
                work.pause(store, name)
        except KeyboardInterrupt:
            work.pause(store, name)
            pool.kill()
            raise
        finally:
            pool.end()
    return _outcome(store, name)


def _check_where(args: argparse.Namespace) -> None:
    if args.on == "here" and (args.address or args.cpus != 1.0 or args.gpus):
        raise ConfigError("--address, --cpus and --gpus go with --on ray.")
    if args.on == "ray" and (args.workers is not None or args.device != "auto"):
        raise ConfigError("--workers and --device go without --on ray: Ray says where cells run.")
    if args.cpus < 0 or args.gpus < 0 or not args.cpus + args.gpus:
        raise ConfigError("--cpus and --gpus: expected numbers above 0.")


def _watch(
    store: Store, id: int, name: str, pool: Pool | RayPool, stop: threading.Event, workers: int
) -> None:
    """Until all cells are done, it is paused, or `stop` is set."""
    line = Line()
    while not stop.wait(_LOOK_SECONDS):
        store.mark_interrupted()
        now = status(store, id)
        line.show(progress_line(name, now, workers), now.done)
        if not now.pending or catalog.load(store, name).paused:
            break
        pool.watch()
    line.close()


def _outcome(store: Store, name: str) -> int:
    stored = catalog.load(store, name)
    now = status(store, stored.id)
    for sentence in work.failures(store, stored):
        print(sentence, file=sys.stderr)
    counts = now.counts
    if counts[FINISHED] == now.cells:
        print(f"All {now.cells} cells are done: python -m core experiment table {name}")
        return DONE
    print(f"{counts[FINISHED]} of {now.cells} cells are done.")
    if stored.paused:
        print(f"Paused; to go on: python -m core experiment run {name}")
        return PAUSED
    if counts[FAILED]:
        print(f"To try those that failed again: python -m core experiment retry {name}")
    return NOT_ALL


def _enqueue(store: Store, stored: Stored) -> None:
    """Queue what is not done, and say what that is: first the cells whose runs were deleted."""
    for sentence in deletions(store, stored):
        print(sentence)
    name = stored.experiment.name
    print(what_is_queued(name, work.enqueue(store, name)))


def _pause(args: argparse.Namespace) -> int:
    stopping = work.pause(Store(), args.name)
    print(f"Paused; {counted(stopping, 'cell')} still to stop, within a batch.")
    return 0


def _resume(args: argparse.Namespace) -> int:
    store = Store()
    stored = catalog.load(store, args.name)
    check(stored.experiment)
    _enqueue(store, stored)
    print("The app and `python -m core worker` take them.")
    return 0


def _cancel(args: argparse.Namespace) -> int:
    print(f"Out of the queue: {counted(work.cancel(Store(), args.name), 'cell')}.")
    return 0


def _retry(args: argparse.Namespace) -> int:
    print(f"To be tried again: {counted(work.retry(Store(), args.name), 'cell')}.")
    return 0


def _prefer(args: argparse.Namespace) -> int:
    work.prefer(Store(), args.name, args.priority)
    print(f"Cells of '{args.name}' have priority {args.priority} from now on.")
    return 0
