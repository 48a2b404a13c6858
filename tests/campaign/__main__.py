"""The whole campaign: what was tried how often, how often it was survived, as a table.

`python -m tests.campaign` takes hours; `--minutes N` ends it before, with as many seeds of each
trial as there was time for; `--only NAME --seed N` is one seed of one trial: a failure is run again
so. Exit code 1 where anything was not survived.
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
from collections.abc import Sequence
from pathlib import Path

from tests.campaign.bits import plain_home
from tests.campaign.report import Outcome, table, write
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


def campaign(trials: Sequence[Trial], seed: int | None, minutes: float) -> list[Outcome]:
    """Try a seed of each, then the next, until all are tried or the time is over."""
    ends = time.monotonic() + 60 * minutes
    outcomes = {trial.name: Outcome(trial.name, trial.title) for trial in trials}
    rounds = range(max(trial.n_full for trial in trials)) if seed is None else [seed]
    with tempfile.TemporaryDirectory() as folder:
        for number in rounds:
            for trial in trials:
                if (seed is None and number >= trial.n_full) or time.monotonic() > ends:
                    continue
                began = time.monotonic()
                well = survives(trial, number, Path(folder) / "plain")
                took = time.monotonic() - began
                outcomes[trial.name].add(number, well, took)
                said = "survived" if well else "not survived"
                print(f"{trial.name}, seed {number}: {said}, {took:.0f} s", flush=True)
    return list(outcomes.values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[t.name for t in TRIALS], metavar="NAME")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N")
    parser.add_argument("--write", type=Path, metavar="FILE", help="assets/measured.md")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ.pop("TOTAL_RECALL_DATABASE_URL", None)
    trials = [trial for trial in TRIALS if not args.only or trial.name in args.only]
    outcomes = campaign(trials, args.seed, args.minutes)
    print(f"\n{table(outcomes)}", end="")
    if args.write:
        write(args.write, outcomes)
    return int(any(outcome.failed for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
