"""`experiment presets | new | add | export | import | delete`: what an experiment is."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.commands import Subparsers
from core.commands.experiment.named import preset_or_file, stored_or_new
from core.commands.experiment.results import export_cells, import_cells
from core.commands.experiment.words import before_start
from core.experiments import catalog, toml, work
from core.experiments.checks import check
from core.experiments.experiment import Arm, Experiment, crossed, default_pairs
from core.experiments.outlook import outlook
from core.experiments.presets import presets
from core.experiments.settings import with_settings
from core.options import ConfigError
from core.runs.pool import default_workers
from core.runs.store import Store
from core.text import counted


def add_parsers(parsers: Subparsers) -> None:
    parser = parsers.add_parser("presets", help="experiments to start from")
    parser.set_defaults(execute=_presets)

    parser = parsers.add_parser("new", help="make one of a preset or a TOML file")
    parser.add_argument("of", metavar="PRESET-or-FILE")
    parser.add_argument("--name", help="what it is called (as the preset or file says)")
    parser.add_argument(
        "--set", nargs="+", metavar="NAME=VALUE", default=[], help="settings of its base, in TOML"
    )
    parser.add_argument("--arms", nargs="+", metavar="LABEL", help="of its arms these only")
    _add_pairs(parser)
    parser.set_defaults(execute=_new)

    parser = parsers.add_parser("add", help="add an arm, or pairs")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--arm", metavar="LABEL", help="what the new arm is called")
    parser.add_argument(
        "--set", nargs="+", metavar="NAME=VALUE", default=[], help="the arm's settings, in TOML"
    )
    _add_pairs(parser)
    parser.set_defaults(execute=_add)

    parser = parsers.add_parser("export", help="write it as TOML, or its finished cells as JSON")
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("file", type=Path, metavar="FILE.toml|FILE.json")
    parser.set_defaults(execute=_export)

    parser = parsers.add_parser(
        "import", help="make one of a TOML file, or take over the finished cells of a JSON file"
    )
    parser.add_argument("of", type=str, metavar="FILE.toml|FILE.json")
    parser.set_defaults(
        execute=_import, name=None, set=[], arms=None, pairs=None, orders=None, seeds=None
    )

    parser = parsers.add_parser("delete", help="forget an experiment; its runs stay")
    parser.add_argument("name", metavar="NAME")
    parser.set_defaults(execute=_delete)


def _add_pairs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pairs", type=int, metavar="N", help="orders 1 to N, with seeds 1 to N")
    parser.add_argument("--orders", type=int, nargs="+", metavar="N", help="each of these orders …")
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="… with each of these")


def _presets(args: argparse.Namespace) -> int:
    width = max(map(len, presets))
    for name, entry in presets.items():
        experiment: Experiment = entry.value()
        print(f"{name:<{width}}  {experiment.size:>4} cells  {entry.summary}")
    return 0


def _new(args: argparse.Namespace) -> int:
    store = Store()
    experiment = preset_or_file(args.of)
    settings = settings_of(args.set)
    try:
        base = with_settings(experiment.base, settings)
    except ConfigError as error:
        raise ConfigError(f"base: {error}") from error
    experiment = replace(
        experiment,
        name=args.name or experiment.name,
        base=base,
        arms=_chosen(experiment, args.arms),
        pairs=_pairs(args) or experiment.pairs,
    )
    check(experiment)
    catalog.create(store, experiment)
    cells = counted(experiment.size, "cell")
    print(f"Experiment '{experiment.name}': {experiment.shape}, {cells}.")
    workers, _ = default_workers()
    print(before_start(outlook(store, catalog.load(store, experiment.name)), workers))
    print(f"To carry it out here: python -m core experiment run {experiment.name}")
    return 0


def _chosen(experiment: Experiment, labels: list[str] | None) -> tuple[Arm, ...]:
    """The arms of these labels; all where none is named, also those whose labels are the same,
    which the checks refuse.
    """
    if not labels:
        return experiment.arms
    by_label = {arm.label: arm for arm in experiment.arms}
    for label in labels:
        if label not in by_label:
            raise ConfigError(f"'{label}' is not an arm; there are: {', '.join(by_label)}.")
    return tuple(by_label[label] for label in labels)


def _pairs(args: argparse.Namespace) -> tuple[Any, ...]:
    if args.pairs is not None and (args.orders or args.seeds):
        raise ConfigError("--pairs and --orders or --seeds can't both be given.")
    if args.pairs is not None:
        if args.pairs < 1:
            raise ConfigError(f"--pairs {args.pairs}: expected at least 1, better 6 or more.")
        return default_pairs(args.pairs)
    if args.orders or args.seeds:
        return crossed(args.orders or [0], args.seeds or [0])
    return ()


def settings_of(words: list[str]) -> dict[str, Any]:
    """`name=value` as settings; what is no TOML value is text. ConfigError where there is no =."""
    settings: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise ConfigError(f"'{word}': expected NAME=VALUE, such as method.fast=none.")
        settings[name.replace("-", "_")] = toml.value(text)
    return settings


def _add(args: argparse.Namespace) -> int:
    store = Store()
    if args.set and not args.arm:
        raise ConfigError("--set goes with --arm LABEL: settings are those of an arm.")
    if not args.arm and not _pairs(args):
        raise ConfigError("Nothing to add: give --arm LABEL --set …, or more --pairs.")
    new_arms = [Arm(args.arm, settings_of(args.set))] if args.arm else []
    experiment = work.add(store, args.name, new_arms, _pairs(args)).experiment
    cells = counted(experiment.size, "cell")
    print(f"Experiment '{args.name}': {experiment.shape}, {cells} by now.")
    print(f"To queue the new ones: python -m core experiment resume {args.name}")
    return 0


def _export(args: argparse.Namespace) -> int:
    store = Store()
    stored = stored_or_new(store, args.name)
    if args.file.suffix == ".json":
        export_cells(store, stored, args.file)
        return 0
    try:
        args.file.write_text(toml.write(stored.experiment), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{args.file}: can't be written: {error.strerror}.") from error
    print(f"Experiment '{args.name}' is written to {args.file}.")
    return 0


def _import(args: argparse.Namespace) -> int:
    file = Path(args.of)
    if file.suffix == ".json":
        import_cells(Store(), file)
        return 0
    return _new(args)


def _delete(args: argparse.Namespace) -> int:
    store = Store()
    stored = catalog.load(store, args.name)
    work.cancel(store, args.name)
    work.pause(store, args.name)
    catalog.delete_experiment(store, stored.id)
    print(f"Experiment '{args.name}' is deleted; its runs stay.")
    return 0
