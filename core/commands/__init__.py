"""The commands of `python -m core`: a module that has `add_parser(subparsers)` adds its own.

The parser's defaults name the function that carries the command out, `execute(args) -> int`, which
returns the exit code. `takes_more=True` beside it lets `args.more` hold the words not understood.
"""

import argparse
from typing import NoReturn, TypeAlias

from core.text import clean


class CommandParser(argparse.ArgumentParser):
    """Says in one sentence what is wrong with the words, and ends with exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {clean(message, 500)}; see --help.\n")


Subparsers: TypeAlias = "argparse._SubParsersAction[CommandParser]"  # which has no public name
