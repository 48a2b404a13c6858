"""The whole campaign: what was tried how often, how often it was survived, as a table.

`python -m tests.campaign` takes an hour or more; `--only NAME` one trial, `--seed N` one seed of
it: a failure is run again so. Exit code 1 where anything was not survived.
"""

import argparse
import contextlib
import io
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from pathlib import Path

from tests.campaign.bits import plain_home
from tests.campaign.trials import TRIALS, Trial


def survives(trial: Trial, seed: int, template: Path) -> bool:
    """One trial in a home of its own; a failure's traceback goes to stderr."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Path(folder) / "home"
        os.environ["TOTAL_RECALL_HOME"] = str(home)
        plain_home(template)
        heard = io.StringIO()
        try:
            with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
                trial.run(random.Random(seed), home)
        except Exception:
            print(f"\n{trial.name}, seed {seed}:\n{heard.getvalue()}", file=sys.stderr)
            traceback.print_exc()
            return False
    return True


def campaign(trials: Iterable[Trial], seeds: range | None) -> bool:
    """Try all and print the table; whether all was survived."""
    well = True
    print("| what was tried | tried | survived | seconds each |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for trial in trials:
            began, tried = time.monotonic(), seeds or range(trial.n_full)
            n = sum(survives(trial, seed, Path(folder) / "plain") for seed in tried)
            each = (time.monotonic() - began) / len(tried)
            print(f"| {trial.title} | {len(tried)} | {n} | {each:.1f} |", flush=True)
            well = well and n == len(tried)
    return well


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[t.name for t in TRIALS], metavar="NAME")
    parser.add_argument("--seed", type=int, metavar="N")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.pop("TOTAL_RECALL_DATABASE_URL", None)
    trials = [trial for trial in TRIALS if not args.only or trial.name in args.only]
    seeds = None if args.seed is None else range(args.seed, args.seed + 1)
    return 0 if campaign(trials, seeds) else 1


if __name__ == "__main__":
    sys.exit(main())
