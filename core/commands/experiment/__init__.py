"""`experiment`: several methods over the same task orders and seeds, and how they compare.

A module of this package adds its own: `add_parsers(subparsers)`.
"""

from core.commands import Subparsers
from core.commands.experiment import define, look, results, steer


def add_parser(subparsers: Subparsers) -> None:
    experiment = subparsers.add_parser(
        "experiment",
        help="methods over the same orders and seeds, compared",
        description="Several arms (methods, samplers, settings) over the same pairs of task order "
        "and seed, carried out and compared.",
    )
    parsers = experiment.add_subparsers(title="actions", metavar="ACTION", required=True)
    for module in (define, steer, look, results):
        module.add_parsers(parsers)
