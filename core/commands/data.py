"""`data`: which data sets are here; get the missing ones, check them, import one of your own."""

import argparse
import sys
from pathlib import Path

from core.commands import Subparsers
from core.data.io.download import DownloadProgress, get
from core.data.io.import_table import LIMITS
from core.data.io.inventory import State, Verdict, available, check, downloadable
from core.data.io.regular import read_regular
from core.data.upload import store_upload, uploads
from core.paths import data_folder
from core.registry import datasets, notations

_WIDTH = 24  # characters of the bar
_FAILED = 1


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "data",
        help="list, get, check and import data",
        description="Which data sets are here; get the missing ones, check them, import your own.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    one = commands.add_parser("list", help="what is here")
    one.set_defaults(execute=_list)
    one = commands.add_parser(
        "get",
        help="download a benchmark",
        description="Download what is missing of a benchmark; a broken download goes on.",
    )
    one.add_argument("names", nargs="+", metavar="NAME", help=_names("all"))
    one.add_argument(
        "--from", dest="source", metavar="URL-OR-FOLDER", help="a mirror laid out as data/ is"
    )
    one.set_defaults(execute=_get)
    one = commands.add_parser("check", help="compare the files with the published digests")
    one.add_argument("names", nargs="*", metavar="NAME", help=_names("nothing: what is here"))
    one.set_defaults(execute=_check)
    one = commands.add_parser(
        "import",
        help="import a file of your own",
        description="Check and keep a table, parted by tabs or as CSV: task, split, utterance, "
        "logical form. The split is train, valid, dev or test; a header is optional. Logical "
        f"forms: {', '.join(entry.label for entry in notations.values())}.",
    )
    one.add_argument("file", type=Path, metavar="FILE")
    one.set_defaults(execute=_import)


def _names(other: str) -> str:
    return f"{', '.join(downloadable())}, or {other}"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f}"


def _list(args: argparse.Namespace) -> int:
    found, kept = available(), uploads()
    print(f"In {data_folder()}:")
    for name, entry in datasets.items():
        if name not in found:
            continue
        there = found[name]
        amount = f"{_megabytes(there.bytes)} MB"
        if there.state is not State.COMPLETE:
            amount = f"{there.files_there} of {there.files} files, {amount} in all"
        print(f"  {name:12} {there.state:9} {entry.label}: {amount}")
    print("Always here:")
    print(f"  {'demo':12} {'':9} {datasets['demo'].summary}")
    print("Imported:" if kept else "Nothing imported yet (python -m core data import FILE).")
    for upload in kept:
        print(f"  {upload.summary}\n    {upload.digest}")
    return 0


class _Bar:
    """A download's progress: a bar on a terminal, a line a file elsewhere."""

    def __init__(self) -> None:
        self._done = -1

    def show(self, progress: DownloadProgress) -> None:
        share = progress.bytes_done / progress.bytes
        amount = f"{_megabytes(progress.bytes_done)} of {_megabytes(progress.bytes)} MB"
        if sys.stdout.isatty():
            bar = "█" * round(share * _WIDTH)
            print(f"\r\x1b[K{bar:░<{_WIDTH}} {share:4.0%}  {amount}  {progress.file}", end="")
            sys.stdout.flush()
        elif progress.files_done > self._done:
            print(f"{progress.files_done} of {progress.files} files, {amount}")
        self._done = progress.files_done

    def close(self) -> None:
        if sys.stdout.isatty() and self._done >= 0:
            print()


def _get(args: argparse.Namespace) -> int:
    for name in downloadable() if args.names == ["all"] else args.names:
        bar = _Bar()
        try:
            get(name, args.source, progress=bar.show)
        finally:
            bar.close()
        print(f"{datasets[name].label} is complete in {data_folder()}.")
    return 0


def _check(args: argparse.Namespace) -> int:
    here = [name for name, there in available().items() if there.state is not State.MISSING]
    names = args.names or here
    if not names:
        print(f"None of {', '.join(downloadable())} is in {data_folder()}.")
    bad = False
    for name in names:
        verdicts = check(name)
        wrong = {file: verdict for file, verdict in verdicts.items() if verdict != Verdict.RIGHT}
        bad = bad or bool(wrong)
        print(f"{name}: {len(verdicts) - len(wrong)} of {len(verdicts)} files are as published.")
        for file, verdict in wrong.items():
            print(f"  {file}: {verdict}")
    return _FAILED if bad else 0


def _import(args: argparse.Namespace) -> int:
    upload = store_upload(read_regular(args.file, LIMITS.bytes), args.file.name)
    print(f"{upload.summary}.")
    if upload.warning:
        print(upload.warning)
    print(f"To learn it: python -m core train --dataset upload --dataset.file {upload.digest}")
    return 0
