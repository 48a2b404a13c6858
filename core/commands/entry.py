"""Carries a command out: its words, its exit code, and a sentence where something went wrong.

Exit codes: 0 all well, 1 failed, 2 bad usage, 3 stopped. An error is one sentence on stderr;
its traceback goes to core.log beside the runs.
"""

import argparse
import contextlib
import importlib
import logging
import os
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path

import core
from core import commands, paths
from core.options import ConfigError
from core.text import clean

FAILED, BAD_USAGE, STOPPED = 1, 2, 3

log = logging.getLogger("core")


def main(words: Sequence[str] | None = None) -> int:
    """Carry the command out; its exit code. SystemExit where argparse ends it."""
    words = sys.argv[1:] if words is None else list(words)
    parser = build_parser(words)
    args, more = parser.parse_known_args(words)
    if more and not getattr(args, "takes_more", False):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    args.more = more
    handler = _Log()
    log.addHandler(handler)
    log.propagate = False
    try:
        code: int = args.execute(args)
        return code
    except ConfigError as error:
        return _complain(error, BAD_USAGE)
    except KeyboardInterrupt:
        return _complain("Broken off.", STOPPED)
    except BrokenPipeError:  # `python -m core runs | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        log.error("%s", error, exc_info=error)
        return _complain(error, FAILED)
    finally:
        log.removeHandler(handler)
        log.propagate = True
        handler.close()


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser of all commands; of one only, where `words` names it first: that starts faster."""
    parser = commands.CommandParser(
        prog="python -m core", description="Learn tasks one after the other; look after the runs."
    )
    parser.add_argument("--version", action="version", version=core.__version__)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    names = [module.name for module in pkgutil.iter_modules(commands.__path__)]
    for name in [words[0]] if words and words[0] in names else names:
        module = importlib.import_module(f"core.commands.{name}")
        if hasattr(module, "add_parser"):
            module.add_parser(subparsers)
    return parser


class _Log(logging.FileHandler):
    """core.log beside the runs, made when something is written to it."""

    def __init__(self) -> None:
        super().__init__(paths.home() / "core.log", encoding="utf-8", delay=True)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """A log that can't be written (a full disk) must not spoil the command's own message."""
        with contextlib.suppress(OSError):
            Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        pass


def _complain(error: object, code: int) -> int:
    said = clean(str(error), 2000) or type(error).__name__
    print(said, file=sys.stderr)
    return code
