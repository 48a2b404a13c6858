"""Words of the command line as a configuration; core.analysis.command_line is the way back.

`--name value` for what RunConfig declares, `--method.name value` (and `--sampler.`, `--dataset.`)
for what the chosen method declares; yes and no are `--name` and `--no-name`.
"""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from core.analysis.command_line import flag
from core.commands import CommandParser
from core.config import OPTION_GROUPS, RunConfig
from core.options import ConfigError, OptionSpec, specs
from core.validation import default_sampler, requirements


def add_options(parser: argparse.ArgumentParser) -> None:
    """Offer what RunConfig declares, under its headings."""
    headings: dict[str, argparse._ArgumentGroup] = {}
    for spec in specs(RunConfig):
        if spec.group not in headings:
            headings[spec.group] = parser.add_argument_group(spec.group)
        _add(headings[spec.group], spec, spec.name)


def read_config(
    args: argparse.Namespace, more: Sequence[str], said: Mapping[str, Any]
) -> RunConfig:
    """What a file said, with what was given: `args` of add_options, `more` the words it left over.

    Where the method, sampler or data set is another than the file's, the file's options for it
    don't count. Where neither says a sampler, it is the method's own. ConfigError names what is not
    an option or not allowed.
    """
    base = RunConfig.from_dict(said)
    given = {s.name: getattr(args, s.name) for s in specs(RunConfig) if hasattr(args, s.name)}
    if not {"sampler", "sampler_options"} & (said.keys() | given.keys()):
        given["sampler"] = default_sampler(given.get("method", base.method))
    for which in OPTION_GROUPS:
        if given.get(which, getattr(base, which)) != getattr(base, which):
            given[f"{which}_options"] = {}
    config = base.with_(**given)
    if not more:
        return config
    merged = {which: dict(getattr(config, f"{which}_options")) for which in OPTION_GROUPS}
    parser = own_parser(config)
    own, left = parser.parse_known_args(list(more))
    if left:
        _refuse(left, config, parser)
    for name, value in vars(own).items():
        which, _, option = name.partition(".")
        merged[which][option] = value
    return config.with_(**{f"{which}_options": values for which, values in merged.items()})


def _refuse(words: Sequence[str], config: RunConfig, parser: CommandParser) -> NoReturn:
    """Say what there is in place of the first of the words, which no option has."""
    word = words[0].split("=")[0]
    which, _, name = word.removeprefix("--").partition(".")
    if which in OPTION_GROUPS and name:
        entry = OPTION_GROUPS[which][getattr(config, which)]
        flags = ", ".join(flag(f"{which}.{spec.name}") for spec in specs(entry.options))
        raise ConfigError(f"{word} is not an option; {entry.label} has {flags or 'none'}.")
    parser.error(f"unrecognized arguments: {' '.join(words)}")


def own_parser(config: RunConfig) -> CommandParser:
    """The parser of what the config's data set, method and sampler declare."""
    parser = CommandParser(
        prog="python -m core train", usage="%(prog)s [options]", add_help=False, allow_abbrev=False
    )
    for which, registry in OPTION_GROUPS.items():
        try:
            entry = registry[getattr(config, which)]
        except ValueError as error:
            raise ConfigError(str(error)) from None
        title = f"{registry.kind} {entry.name}: {entry.label}"
        needed = requirements(entry).replace("%", "%%") if which == "method" else None
        heading = parser.add_argument_group(title, needed)
        for spec in specs(entry.options):
            _add(heading, spec, f"{which}.{spec.name}")
    return parser


def _add(heading: argparse._ArgumentGroup, spec: OptionSpec, name: str) -> None:
    """Offer one option; absent from the result where it was not given."""
    limits = "" if spec.type is bool else f"{spec.allowed}; "
    shown = " ".join(spec.default) if spec.type is tuple else spec.default
    text = f"{spec.help} ({limits}default: {shown!r})".replace("%", "%%")
    common: Mapping[str, Any] = {"dest": name, "help": text, "default": argparse.SUPPRESS}
    if spec.type is bool:
        heading.add_argument(flag(name), action=argparse.BooleanOptionalAction, **common)
    elif spec.type is tuple:
        heading.add_argument(flag(name), nargs="*", action="extend", metavar="NAME", **common)
    else:
        kinds = {int: "N", float: "X", str: "TEXT"}
        heading.add_argument(flag(name), type=spec.type, metavar=kinds[spec.type], **common)
