"""`bench recording`: what a store bears of many workers that record, each at the rate of real runs.

A simulated worker holds a run, writes progress twice a second (core.runs.event_writer), gives a
sign of life every five seconds, asks every second whether it is to stop, and records what the
recorded demo has told (assets/demo.json.xz) spread over the minutes that a run takes. Nothing
trains. Workers are threads of a few processes, each with a connection of its own.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from core.commands import Subparsers
from core.commands.bench.processes import Meet, in_processes
from core.commands.bench.store import temporary_home
from core.commands.numbers import count, seconds
from core.config import RunConfig
from core.events import Event, Progress
from core.runs.event_writer import INTERVAL
from core.runs.execution import BEAT_SECONDS, POLL_SECONDS
from core.runs.owner import Owner, new_owner
from core.runs.recordings import DEMO_FILE, load
from core.runs.run import STOPPED, StoreError
from core.runs.store import Store

PROCESSES = 4  # among which the workers are shared out
Writes = list[tuple[float, float]]  # by how many seconds each was late, how many it took


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "recording",
        help="what the store bears of many workers at once",
        description="Simulate workers that record at the rate of real runs, and time each write, "
        "as a Markdown table.",
    )
    parser.add_argument("--workers", type=count, nargs="+", default=[1, 10, 100], metavar="N")
    parser.add_argument("--seconds", type=seconds, default=20.0, help="a measurement (20)")
    parser.add_argument("--minutes", type=seconds, default=10.0, help="that a run takes (10)")
    parser.add_argument(
        "--database", metavar="URL", help="an empty database (a file of SQLite, made and removed)"
    )
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    with temporary_home():
        store = Store(args.database)
        if store.runs(limit=1):
            raise StoreError(f"{args.database} holds runs: expected an empty database.")
        print("| Workers | writes/s asked | done | ms a write | 95 % | ms late | 95 % |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        for workers in args.workers:
            writes = _simulate(store.url, workers, args.seconds, 60 * args.minutes)
            pauses = _writes(load(DEMO_FILE)[-1].events, 60 * args.minutes).values()
            asked = workers * sum(1 / pause for pause in pauses)
            print(_line(workers, asked, writes, args.seconds), flush=True)
            for run in store.runs():
                store.set_status(run.id, STOPPED)
                store.delete(run.id)
        store.close()
    return 0


def _line(workers: int, asked: float, writes: Writes, seconds: float) -> str:
    took, late = sorted(took for _, took in writes), sorted(late for late, _ in writes)
    shares = [1000 * each[len(each) * at // 100] for each in (took, late) for at in (50, 95)]
    shown = " | ".join(f"{share:,.0f}" for share in shares)
    return f"| {workers} | {asked:.0f} | {len(writes) / seconds:.0f} | {shown} |"


def _simulate(url: str, workers: int, seconds: float, run: float) -> Writes:
    """What all of them wrote, by processes that begin together."""
    shares = [len(range(at, workers, PROCESSES)) for at in range(min(workers, PROCESSES))]
    parts = in_processes(_writes_of, [(url, share, seconds, run) for share in shares])
    return [each for part in parts for each in part]


def _writes_of(url: str, workers: int, seconds: float, run: float, meet: Meet) -> Writes:
    events = load(DEMO_FILE)[-1].events
    held = [_Held(Store(url), new_owner()) for _ in range(workers)]
    with ThreadPoolExecutor(workers) as threads:
        meet()
        began = time.monotonic()
        every = _writes(events, run)
        jobs = [threads.submit(_work, each, events, every, began, seconds) for each in held]
        writes = [each for job in jobs for each in job.result()]
    for each in held:
        each.store.close()
    return writes


def _writes(events: Sequence[Event], run: float) -> dict[str, float]:
    """What a worker writes, and every how many seconds."""
    return {"progress": INTERVAL, "beat": BEAT_SECONDS, "event": run / len(events)}


class _Held:
    """A run that a worker of its own holds."""

    def __init__(self, store: Store, owner: Owner) -> None:
        self.store, self.owner = store, owner
        self.id = store.create(RunConfig(), claimed_by=owner)


def _work(
    held: _Held, events: Sequence[Event], every: dict[str, float], began: float, seconds: float
) -> Writes:
    """One run's writes, each when it is due; those that are due meanwhile wait."""
    store, id, owner = held.store, held.id, held.owner
    number, writes = 0, Writes()

    def write(kind: str) -> None:
        nonlocal number
        number += 1
        event: Event = events[number % len(events)]
        if kind == "beat":
            store.heartbeat(id, owner)
            return
        if kind == "progress":  # another stage each time: nothing is held back
            event = Progress(number, 1e6, 0, str(number), 0, 9, 1.0)
        store.record(id, event, owner)

    jitter = (id * 0.618) % 1.0  # workers don't begin at one moment
    every = every | {"poll": POLL_SECONDS}
    due = {kind: began + pause * jitter for kind, pause in every.items()}
    act: dict[str, Callable[[str], object]] = {"poll": lambda _: store.stop_requested(id)}
    while True:
        kind = min(due, key=lambda each: due[each])
        moment = due[kind]
        if moment > began + seconds or time.monotonic() > began + seconds:
            return writes
        time.sleep(max(0.0, moment - time.monotonic()))
        start = time.monotonic()
        act.get(kind, write)(kind)
        if kind != "poll":
            writes.append((start - moment, time.monotonic() - start))
        due[kind] = moment + every[kind]
