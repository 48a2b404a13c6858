"""`bench store`: how long the tables of pages and the commands take beside many runs.

A temporary store is filled with made-up runs over eight tasks; the newest, as many as pages list,
have recorded all that runs can record, of few actions and rows. Nothing of the user's is read or
written. Each time is that of a second call: the first one imports. On a busy machine CPU time says
more.
"""

import argparse
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout

from core.commands import Subparsers
from core.commands.bench.reads import Read, reads
from core.commands.bench.synthetic import fill
from core.options import ConfigError
from core.runs.store import Store

MOST = 1.0  # seconds


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "store",
        help="seconds for the tables of each page and for each command beside many runs",
        description="Fill a temporary store with made-up runs and time what pages and commands "
        "read of it, as a Markdown table.",
    )
    parser.add_argument("--runs", type=int, default=2000, metavar="N", help="how many (2000)")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    if args.runs < 1:
        raise ConfigError(f"--runs {args.runs}: expected a whole number of at least 1.")
    with temporary_home():
        store = Store()
        seconds, _ = timed(lambda: fill(store, args.runs))
        print(f"{args.runs:,} runs, written in {seconds:.0f} s\n")
        print_reads(reads(store))
        store.close()
    return 0


def print_reads(calls: Iterable[Read]) -> None:
    """Each call's second time as a row of a Markdown table, and how many took over MOST."""
    print("| read by | what | seconds | CPU |\n| --- | --- | ---: | ---: |")
    slow = 0
    for page, what, call in calls:
        with redirect_stdout(io.StringIO()):
            call()
            seconds, cpu = timed(call)
        slow += cpu > MOST
        print(f"| {page} | {what} | {seconds:.2f} | {cpu:.2f} |", flush=True)
    print(f"\n{slow or 'None'} of them over {MOST:g} s of CPU time.")


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and those that this process itself had."""
    began, used = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - used


@contextmanager
def temporary_home() -> Iterator[None]:
    """A home of its own, with SQLite whatever the user's database is."""
    names = ("TOTAL_RECALL_HOME", "TOTAL_RECALL_DATABASE_URL")
    before = {name: os.environ.pop(name, None) for name in names}
    with tempfile.TemporaryDirectory(prefix="bench", ignore_cleanup_errors=True) as folder:
        os.environ["TOTAL_RECALL_HOME"] = folder
        try:
            yield
        finally:
            del os.environ["TOTAL_RECALL_HOME"]
            os.environ.update({name: old for name, old in before.items() if old is not None})
