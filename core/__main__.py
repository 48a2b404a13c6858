"""The command line, `python -m core`: what the browser does, with the same configurations.

Before anything that takes time is imported, Ctrl-C is given a meaning: an import that is broken off
ends in a traceback, and in PyTorch's at times in a crash. What commands write is whole at any time.
"""

import _signal as signals  # `signal` itself takes a while
import os
import sys
from collections.abc import Sequence

STOPPED = 3  # exit code


def main(words: Sequence[str] | None = None) -> int:
    """Carry a command out; its exit code. SystemExit where argparse ends it."""
    from core.commands import entry

    return entry.main(words)


def _break_off(*_: object) -> None:
    os.write(2, b"Broken off.\n")
    os._exit(STOPPED)


if __name__ == "__main__":
    signals.signal(signals.SIGINT, _break_off)
    try:
        sys.exit(main())
    finally:
        signals.signal(signals.SIGINT, signals.SIG_IGN)  # it has ended; Python only clears up
