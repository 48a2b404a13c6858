"""`experiment run | pause | resume | cancel | retry | prefer`: carrying an experiment out."""

import argparse
import sys
import threading
import time

from core.analysis.durations import duration
from core.commands import Subparsers
from core.commands.experiment.named import stored_or_new
from core.commands.foreground import stopped_by_signals
from core.experiments import catalog, work
from core.experiments.checks import check
from core.experiments.on_ray import RayPool, Share
from core.experiments.outlook import Outlook, outlook
from core.experiments.status import Status, status
from core.experiments.work import Queued
from core.options import ConfigError
from core.runs.pool import Pool, default_workers
from core.runs.run import FAILED, FINISHED, RUNNING
from core.runs.store import Store

_LOOK_SECONDS = 1.0
_MEASURE_SECONDS = 0.5  # of the steps of an arm that no earlier run compares with
DONE, NOT_ALL, PAUSED = 0, 1, 3  # exit codes


def add_parsers(parsers: Subparsers) -> None:
    parser = parsers.add_parser(
        "run", help="carry it out here", description="Carry out here what is not done yet. Ctrl-C "
        "pauses: what is under way goes on from its last epoch the next time.",
    )  # fmt: skip
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
        print(_what_is_queued(name, work.enqueue(store, name)))
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
    line = _Line()
    while not stop.wait(_LOOK_SECONDS):
        store.mark_interrupted()
        now = status(store, id)
        line.show(progress_line(name, now, workers))
        if not now.pending or catalog.load(store, name).paused:
            break
        pool.watch()
    line.close()


def progress_line(name: str, now: Status, workers: int) -> str:
    """`demo: 4 of 15 cells, 30 %, 2 running, 1 failed, 3 min 10 s left`"""
    counts = now.counts
    parts = [f"{name}: {counts[FINISHED]} of {now.cells} cells", f"{now.done:.0%}"]
    parts += [f"{counts[RUNNING]} running"] if counts[RUNNING] else []
    parts += [f"{counts[FAILED]} failed"] if counts[FAILED] else []
    left = now.seconds_left(min(workers, max(1, now.pending)))
    parts += [f"{duration(left)} left"] if left and now.pending else []
    return ", ".join(parts)


class _Line:
    """One line that is drawn anew on a terminal; elsewhere a line when cells are done."""

    def __init__(self) -> None:
        self._before, self._drawn = "", False

    def show(self, text: str) -> None:
        if sys.stdout.isatty():
            sys.stdout.write(f"\r\x1b[K{text}")
            self._drawn = True
        elif text.split(",")[0] != self._before:
            self._before = text.split(",")[0]
            sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
        sys.stdout.flush()

    def close(self) -> None:
        if self._drawn:
            sys.stdout.write("\n")


def before_start(ahead: Outlook, workers: int) -> str:
    """`15 cells, 4 of them finished already; about 3 min 10 s with 2 workers, 12 MB of disk.`"""
    already = f", {ahead.finished} of them finished already" if ahead.finished else ""
    if not ahead.left:
        return f"{ahead.cells} cells{already}; none is left to be carried out."
    at_once = min(workers, ahead.left)
    with_ = f"with {at_once} worker{'s' * (at_once > 1)}"
    if ahead.seconds is None or ahead.low is None or ahead.high is None:
        time_ = f"no earlier run here tells how long they take {with_}"
    else:
        mean, low, high = (duration(s / at_once) for s in (ahead.seconds, ahead.low, ahead.high))
        time_ = f"about {mean} {with_} ({low} to {high})"
    disk = "" if ahead.disk is None else f", {ahead.disk / 1e6:,.0f} MB of disk"
    guessed = f"; not known for {', '.join(ahead.unknown)}: the mean of the others"
    return f"{ahead.cells} cells{already}; {time_}{disk}" + (
        f"{guessed}." if ahead.unknown and ahead.seconds is not None else "."
    )


def _what_is_queued(name: str, queued: Queued) -> str:
    parts = [f"{queued.new} cells queued" if queued.new else ""]
    parts += [f"{queued.again} of them because their runs were deleted" if queued.again else ""]
    parts += [f"{queued.resumed} go on" if queued.resumed else ""]
    parts += [f"{queued.used} have finished already" if queued.used else ""]
    parts += [f"{queued.joined} wait or run already" if queued.joined else ""]
    parts += [f"{queued.failed} have failed (see `retry`)" if queued.failed else ""]
    return f"{name}: {', '.join(filter(None, parts))}."


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


def _pause(args: argparse.Namespace) -> int:
    stopping = work.pause(Store(), args.name)
    print(f"Paused; {stopping} cells stop after their present batch.")
    return 0


def _resume(args: argparse.Namespace) -> int:
    store = Store()
    check(catalog.load(store, args.name).experiment)
    print(_what_is_queued(args.name, work.enqueue(store, args.name)))
    print("The app and `python -m core worker` take them.")
    return 0


def _cancel(args: argparse.Namespace) -> int:
    print(f"{work.cancel(Store(), args.name)} cells no longer wait.")
    return 0


def _retry(args: argparse.Namespace) -> int:
    print(f"{work.retry(Store(), args.name)} cells wait to be tried again.")
    return 0


def _prefer(args: argparse.Namespace) -> int:
    work.prefer(Store(), args.name, args.priority)
    print(f"Cells of '{args.name}' have priority {args.priority} from now on.")
    return 0
