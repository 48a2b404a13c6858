"""`train`: start a run and carry it out here, one for each seed."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from core import validation
from core.commands import Subparsers
from core.commands.display import show_share
from core.commands.foreground import EXIT_CODES, carry_out
from core.commands.line import add_options, own_parser, read_config
from core.config import RunConfig
from core.experiments.experiment import default_pairs, of_pair
from core.options import ConfigError, read_toml
from core.runs.owner import new_owner
from core.runs.run import STOPPED
from core.runs.store import Store
from core.text import counted
from core.validation.presets import PRESETS, options_of, preset_of


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "train",
        help="start a run and carry it out here",
        description="Start a run and carry it out here. Ctrl-C stops it within a batch; "
        "`resume` goes on with it.",
        epilog="Options of the data set, method and sampler are given as --dataset.NAME, "
        "--method.NAME and --sampler.NAME; --options lists those of the ones chosen.",
        allow_abbrev=False,
    )
    parser.add_argument("--config", type=Path, metavar="FILE.toml", help="start from this config")
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        help="start from these conditions: "
        + "; ".join(f"{preset.name}: {preset.about}" for preset in PRESETS.values()),
    )
    parser.add_argument("--name", default="", help="what the run is called")
    parser.add_argument(
        "--seeds", type=int, nargs="+", metavar="N", help="a run for each of these seeds"
    )
    parser.add_argument(
        "--vary",
        choices=("seed", "order+seed"),
        help="what --seeds varies: the seed alone (all runs learn the tasks in one order), or the "
        "order of the tasks with it, each seed being the order seed too (default: seed)",
    )
    parser.add_argument(
        "--pairs", type=int, metavar="N", help="orders 1 to N with seeds 1 to N, as experiments do"
    )
    parser.add_argument("--quiet", action="store_true", help="say only how it ended")
    parser.add_argument("--options", action="store_true", help="list further options and end")
    add_options(parser)
    parser.set_defaults(execute=_execute, takes_more=True)


def _execute(args: argparse.Namespace) -> int:
    preset = PRESETS.get(args.preset)
    said = dict(preset.settings) if preset else {}
    config = read_config(args, args.more, said | (read_toml(args.config) if args.config else {}))
    if preset:
        options = options_of(preset, config.method, config.method_options)
        config = config.with_(method_options=options)
    if args.options:
        print(own_parser(config).format_help())
        return 0
    validation.check(config, explicit=vars(args).keys())
    configs = _configs(config, args)

    from core.training import checks

    covered = checks.validate(configs[0], progress=show_share)
    if covered and not args.quiet:
        print(covered)
    store = Store()
    store.mark_interrupted()
    worst = 0
    if len(configs) > 1 and not args.quiet:
        print(_what_varies(configs))
    for seeded in configs:
        name = f"{args.name}, seed {seeded.seed}" if args.name and len(configs) > 1 else args.name
        owner = new_owner()
        id = store.create(seeded, name, claimed_by=owner)
        if not args.quiet:
            conditions = preset_of(seeded)
            print(f"Run {id}: {store.run(id).name}{f' ({conditions})' if conditions else ''}")
        code = carry_out(store, id, owner, quiet=args.quiet)
        if code == EXIT_CODES[STOPPED]:
            return code
        worst = max(worst, code)
    return worst


def _configs(config: RunConfig, args: argparse.Namespace) -> list[RunConfig]:
    """A configuration for each run that the words ask for; ConfigError where they clash."""
    if args.seeds and hasattr(args, "seed"):
        raise ConfigError("--seed and --seeds can't both be given.")
    if args.pairs is not None:
        if args.seeds or args.vary or hasattr(args, "seed") or hasattr(args, "order_seed"):
            raise ConfigError(
                "--pairs sets orders and seeds: leave out --seed, --seeds, --order-seed and --vary."
            )
        if args.pairs < 1:
            raise ConfigError(f"--pairs {args.pairs}: expected at least 1.")
        return [of_pair(config, pair) for pair in default_pairs(args.pairs)]
    if args.vary and not args.seeds:
        raise ConfigError("--vary says what --seeds varies: give --seeds too.")
    if args.vary == "order+seed":
        if hasattr(args, "order_seed"):
            raise ConfigError("--order-seed has no effect with --vary order+seed: leave it out.")
        return [config.with_(seed=seed, order_seed=seed) for seed in args.seeds]
    return [config.with_(seed=seed) for seed in args.seeds or [config.seed]]


def _what_varies(configs: Sequence[RunConfig]) -> str:
    """Whether the runs differ in the order of their tasks too, in a sentence."""
    seeds = ", ".join(str(config.seed) for config in configs)
    n_orders = len({config.order_seed for config in configs})
    orders = "all in one order of tasks" if n_orders == 1 else "each in another order of tasks"
    return f"{counted(len(configs), 'run')}, seeds {seeds}, {orders}."
