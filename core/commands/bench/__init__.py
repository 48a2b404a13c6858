"""`bench`: how fast this machine is at what; without a name, the parser's training and decoding.

A module of this package that has `add_parser(subparsers)` is one benchmark, as for the commands.
"""

import importlib
import pkgutil

from core.commands import Subparsers

_DEFAULT = "parser"


def add_parser(subparsers: Subparsers) -> None:
    bench = subparsers.add_parser(
        "bench",
        help="measure speed and memory",
        description="Measure speed and memory on this machine; ratios are taken within one run.",
    )
    benches = bench.add_subparsers(title="benchmarks", metavar="BENCHMARK")
    for module in pkgutil.iter_modules(__path__):
        loaded = importlib.import_module(f"{__name__}.{module.name}")
        if not hasattr(loaded, "add_parser"):
            continue
        loaded.add_parser(benches)
        if module.name == _DEFAULT:
            bench.set_defaults(execute=loaded.execute, **loaded.DEFAULTS)
