"""`train`: start a run and carry it out here, one for each seed."""

import argparse
from pathlib import Path

from core import validation
from core.commands import Subparsers
from core.commands.foreground import EXIT_CODES, carry_out
from core.commands.line import add_options, own_parser, read_config
from core.config import read_toml
from core.options import ConfigError
from core.runs.owner import new_owner
from core.runs.run import STOPPED
from core.runs.store import Store


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
    parser.add_argument("--name", default="", help="what the run is called")
    parser.add_argument(
        "--seeds", type=int, nargs="+", metavar="N", help="a run for each of these seeds"
    )
    parser.add_argument("--quiet", action="store_true", help="say only how it ended")
    parser.add_argument("--options", action="store_true", help="list further options and end")
    add_options(parser)
    parser.set_defaults(execute=_execute, takes_more=True)


def _execute(args: argparse.Namespace) -> int:
    config = read_config(args, args.more, read_toml(args.config) if args.config else {})
    if args.options:
        print(own_parser(config).format_help())
        return 0
    if args.seeds and hasattr(args, "seed"):
        raise ConfigError("--seed and --seeds can't both be given.")
    validation.check(config, explicit=vars(args).keys())
    configs = [config.with_(seed=seed) for seed in args.seeds or [config.seed]]

    from core.training import checks

    checks.validate(configs[0])
    store = Store()
    store.mark_interrupted()
    worst = 0
    for one in configs:
        name = f"{args.name}, seed {one.seed}" if args.name and len(configs) > 1 else args.name
        owner = new_owner()
        id = store.create(one, name, claimed_by=owner)
        if not args.quiet:
            print(f"Run {id}: {store.run(id).name}")
        code = carry_out(store, id, owner, quiet=args.quiet)
        if code == EXIT_CODES[STOPPED]:
            return code
        worst = max(worst, code)
    return worst
