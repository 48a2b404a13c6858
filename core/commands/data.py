"""`data`: which data sets are here; get the missing ones, check them, import one of your own."""

import argparse
import sys
from pathlib import Path

from core.commands import Subparsers
from core.data.base import DataError
from core.data.io import vector_files
from core.data.io.download import DownloadProgress, get
from core.data.io.import_table import LIMITS
from core.data.io.inventory import Availability, State, Verdict, available, check, downloadable
from core.data.io.regular import read_regular
from core.data.upload import store_upload, uploads
from core.paths import data_folder
from core.registry import datasets, notations
from core.text import bar, clean

_FAILED = 1
_VECTORS = ", ".join(vector_files.TABLES)


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "data",
        help="list, get, check and import data",
        description="Which data sets are here; get the missing ones, check them, import your own.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    command = commands.add_parser("list", help="what is here")
    command.set_defaults(execute=_list)
    command = commands.add_parser(
        "get",
        help="download a benchmark or word vectors",
        description="Download what is missing of a benchmark or of word vectors; a broken download "
        "goes on. All tables of GloVe 6B come in one archive.",
    )
    command.add_argument("names", nargs="+", metavar="NAME", help=f"{_names('all')}; {_VECTORS}")
    command.add_argument(
        "--from",
        dest="source",
        metavar="URL-OR-FOLDER",
        help="a mirror laid out as data/ is; of word vectors also the file itself",
    )
    command.set_defaults(execute=_get)
    command = commands.add_parser("check", help="compare the files with the published digests")
    command.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{_names('nothing: what is here')}; {_VECTORS}"
    )
    command.set_defaults(execute=_check)
    command = commands.add_parser(
        "import",
        help="import a file of your own",
        description="Check and keep a table, parted by tabs or as CSV: task, split, utterance, "
        "logical form. The split is train, valid, dev or test; a header is optional. Logical "
        f"forms: {', '.join(entry.label for entry in notations.values())}.",
    )
    command.add_argument("file", type=Path, metavar="FILE")
    command.set_defaults(execute=_import)


def _names(other: str) -> str:
    return f"{', '.join(downloadable())}, or {other}"


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f}"


def _list(args: argparse.Namespace) -> int:
    states, kept = available(), uploads()
    print(f"In {data_folder()}:")
    for name, entry in datasets.items():
        if name not in states:
            continue
        print(_line(name, entry.label, states[name]))
    print("Word vectors (all tables of GloVe 6B come in one archive):")
    for name, table in vector_files.TABLES.items():
        print(_line(name, table.label, vector_files.availability(name)))
    print("Always here:")
    print(f"  {'demo':12} {'':9} {datasets['demo'].summary}")
    print("Imported:" if kept else "Nothing imported yet (python -m core data import FILE).")
    for upload in kept:
        print(f"  {upload.summary}\n    {upload.digest}")
    return 0


def _line(name: str, label: str, local: Availability) -> str:
    amount = f"{_megabytes(local.bytes)} MB"
    if local.state is not State.COMPLETE:
        amount = f"{local.files_there} of {local.files} files, {amount} in all"
    return f"  {name:12} {local.state:9} {label}: {amount}"


class _Bar:
    """A download's progress: a bar on a terminal, a line a file elsewhere."""

    def __init__(self) -> None:
        self._done = -1

    def show(self, progress: DownloadProgress) -> None:
        share = progress.bytes_done / progress.bytes
        amount = f"{_megabytes(progress.bytes_done)} of {_megabytes(progress.bytes)} MB"
        if sys.stdout.isatty():
            print(f"\r\x1b[K{bar(share)} {share:4.0%}  {amount}  {progress.file}", end="")
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
        what = vector_files.TABLES.get(name) or datasets[name]
        print(f"{what.label} is complete in {data_folder()}.")
    return 0


def _check(args: argparse.Namespace) -> int:
    here = [name for name, local in available().items() if local.state is not State.MISSING]
    here += [name for name in vector_files.TABLES if vector_files.location(name)]
    names = args.names or here
    if not names:
        print(f"None of {', '.join(downloadable())} is in {data_folder()}.")
    bad = False
    for name in names:
        verdicts = vector_files.check(name) if name in vector_files.TABLES else check(name)
        wrong = {file: verdict for file, verdict in verdicts.items() if verdict != Verdict.RIGHT}
        bad = bad or bool(wrong)
        print(f"{name}: {len(verdicts) - len(wrong)} of {len(verdicts)} files are as published.")
        for file, verdict in wrong.items():
            print(f"  {file}: {verdict}")
    return _FAILED if bad else 0


def _import(args: argparse.Namespace) -> int:
    try:
        upload = store_upload(read_regular(args.file, LIMITS.bytes), args.file.name)
    except DataError as error:  # with a line for each fault of the file
        for line in str(error).splitlines():
            print(clean(line, 500), file=sys.stderr)
        return _FAILED
    print(f"{upload.summary}.")
    if upload.warning:
        print(upload.warning)
    print(f"To learn it: python -m core train --dataset upload --dataset.file {upload.digest}")
    return 0
