"""`experiment table | paper`: the arms compared, from the store or from a file of results."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.commands import Subparsers
from core.commands.experiment.named import preset_or_file, stored_or_new
from core.commands.records import add_files, records
from core.experiments import catalog
from core.experiments.catalog import Stored
from core.options import ConfigError
from core.runs.store import Store
from core.text import counted

if TYPE_CHECKING:
    import pandas as pd

    from core.analysis.experiment_tables import Compared

FORMATS = ("markdown", "latex", "csv")
MEASURES = ("avg", "whole")


def add_parsers(parsers: Subparsers) -> None:
    parser = parsers.add_parser(
        "table",
        help="the arms compared, with tests",
        description="Every arm's accuracy after the last task over the complete pairs, beside the "
        "paper's; each arm less another within pairs, with a bootstrap interval and exact tests.",
    )
    parser.add_argument("name", metavar="NAME|PRESET|FILE.toml")
    parser.add_argument("--reference", metavar="ARM", help="whom the others are compared with")
    parser.add_argument("--arms", nargs="+", metavar="ARM", default=[], help="these arms only")
    parser.add_argument("--measure", choices=MEASURES, default="avg", help="of the tests (avg)")
    parser.add_argument(
        "--positions", action="store_true", help="also accuracy by position in the order of tasks"
    )
    parser.add_argument("--format", choices=FORMATS, default="markdown", help="(markdown)")
    add_files(parser)
    parser.set_defaults(execute=_table)

    parser = parsers.add_parser("paper", help="a table of the paper's, with ours beside it")
    parser.add_argument("number", type=int, choices=range(1, 9), metavar="1…8")
    parser.add_argument("--format", choices=FORMATS, default="markdown", help="(markdown)")
    add_files(parser)
    parser.set_defaults(execute=_paper)


def _table(args: argparse.Namespace) -> int:
    from core.analysis import arm_tables, experiment_text, significance

    compared = _compared(args)
    if not compared.pairs:
        print("\n".join([experiment_text.about_p(compared), *compared.left_out()]))
        return 0
    in_full = args.format == "csv"  # numbers that a program reads
    arms = arm_tables.arm_table if in_full else experiment_text.shown_arms
    _show(arms(compared), args, "Accuracy after the last task, mean ± sd, in percent.")
    if args.positions:
        positions = arm_tables.position_table if in_full else experiment_text.shown_positions
        _show(positions(compared), args, experiment_text.POSITIONS)
    if len(compared.arms) > 1:
        reference = args.reference or compared.experiment.arms[compared.arms[0]].label
        caption = f"Each arm less {reference} within pairs, in points."
        shown = experiment_text.shown_differences(compared, args.measure, reference)
        if in_full:
            shown = significance.differences(compared.values(args.measure), reference)
        _show(shown, args, caption)
        for title, more in experiment_text.shown_ranks_and_effects(compared, args.measure):
            _show(more, args, title)
    if args.format != "csv":
        mark = "%" if args.format == "latex" else ""
        for sentence in [experiment_text.about_p(compared), *compared.left_out()]:
            print(f"{mark}{' ' if mark else ''}{sentence}")
    return 0


def _compared(args: argparse.Namespace) -> "Compared":
    from core.analysis import experiment_tables as tables

    if args.files:
        known = catalog.names(store := Store())
        experiment = (
            catalog.load(store, args.name).experiment
            if args.name in known
            else preset_or_file(args.name)
        )
        return tables.from_records(experiment, records(args.files), args.arms)
    store = Store()
    return tables.from_store(store, stored_or_new(store, args.name), args.arms)


def _paper(args: argparse.Namespace) -> int:
    from core.analysis import paper_beside

    table = paper_beside.beside(records(args.files), args.number)
    _show(
        table if args.format == "csv" else paper_beside.shown(table),
        args,
        f"The paper's Table {args.number}, ours beside it: mean ± sd over n orders and seeds.",
    )
    return 0


def _show(table: "pd.DataFrame", args: argparse.Namespace, caption: str) -> None:
    from core.analysis.table_text import as_text

    if args.format == "markdown":
        print(f"{caption}\n")
    print(as_text(table, args.format, caption))


def export_cells(store: Store, stored: Stored, file: Path) -> None:
    """Add the experiment's finished cells to a file of results."""
    from core.analysis import experiment_tables, exported_runs

    done = experiment_tables.records(store, stored.id)
    if not done:
        raise ConfigError(f"No cell of '{stored.experiment.name}' has finished: nothing to export.")
    before = exported_runs.load(file) if file.exists() else []
    merged = exported_runs.merge(before, done)
    exported_runs.save(file, merged)
    cells, runs = counted(len(done), "finished cell"), counted(len(merged), "run")
    print(f"{cells} exported; {file} holds {runs} by now.")


def import_cells(store: Store, file: Path) -> None:
    """Put the runs of a file of results into the store, where experiments count them."""
    from core.analysis import exported_runs, imported_runs

    done = imported_runs.put_in(store, exported_runs.load(file))
    print(imported_runs.in_words(done))
