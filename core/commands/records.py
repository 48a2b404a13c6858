"""The finished runs that commands make tables of: the store's, or those of files of results."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.runs.run import FINISHED, Run
from core.runs.store import Store

if TYPE_CHECKING:
    from core.analysis.exported_runs import ExportedRun


def add_files(parser: argparse.ArgumentParser) -> None:
    """The option `--from`, which `files` takes."""
    parser.add_argument(
        "--from",
        type=Path,
        nargs="+",
        dest="files",
        metavar="FILE.json",
        default=[],
        help="take the runs of files that `experiment export` wrote, not those of the store; of "
        "two records of one configuration the later holds",
    )


def records(files: Sequence[Path], runs: Sequence[Run] | None = None) -> "list[ExportedRun]":
    """Those of the files; without any, those of these runs (default: all that have finished)."""
    from core.analysis import exported_runs

    if files:
        return exported_runs.merge(*map(exported_runs.load, files))
    store = Store()
    if runs is None:
        runs = store.runs(statuses=[FINISHED])[::-1]
    return exported_runs.merge(exported_runs.of_runs(store, runs))
