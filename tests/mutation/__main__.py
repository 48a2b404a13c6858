"""Do the tests notice small changes to what computes? A seeded sample of mutants, as a table.

`python -m tests.mutation --each 4` takes four mutants of every file, one file after the other;
`--only core/samplers/dlfs.py` those of one. Which tests execute which lines is measured once
(`--map FILE` keeps it); each mutant then runs with the tests of its line, the quickest first, and
with the others of its module, in a forked process, so that libraries are loaded once. One whose
tests have not ended after `--seconds` is "out of time": it ran for ever, or survived so far. Code
that runs in a process of its own is not seen: what it computes is tested in the tests' process.
"""

import argparse
import ast
import importlib.machinery
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas  # noqa: F401 - loaded once, for all; plugins of pytest must not be
import pytest
import sklearn.metrics  # noqa: F401
import torch
from torch import _dynamo  # noqa: F401

from core.paths import PROJECT
from tests.mutation.covering import ONLY, covering, modules, tests_of
from tests.mutation.mutants import Mutant, mutants

SECONDS = 300
VERDICTS = {0: "survived", 5: "no verdict"}  # pytest's exit codes; 5: no test was collected


def outcome(mutant: Mutant, tests: list[str], seconds: float) -> str:
    """What the tests say of a mutant: killed also where it can't be imported or crashes."""
    if not tests:
        return "covered by none"
    child = os.fork()
    if child == 0:
        os._exit(_run(mutant, tests))
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return VERDICTS.get(os.waitstatus_to_exitcode(status), "killed")
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "out of time"


def _run(mutant: Mutant, tests: list[str]) -> int:
    """pytest's exit code where the mutant stands in for its module."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    loader, path = importlib.machinery.SourceFileLoader, str(mutant.path)
    original = loader.get_code
    code = compile(mutant.tree, path, "exec")

    def get_code(self: Any, fullname: str) -> Any:
        return code if self.path == path else original(self, fullname)

    loader.get_code = get_code  # type: ignore[method-assign]
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *ONLY, *tests]))


def sample(paths: list[Path], each: int, seed: int) -> list[Mutant]:
    """So many mutants of each file, the first of every file before the second of any."""
    drawn = []
    for path in paths:
        rng, every = random.Random(f"{seed} {path.relative_to(PROJECT)}"), mutants(path)
        drawn.append(rng.sample(every, min(each, len(every))))
    return [some[i] for i in range(each) for some in drawn if i < len(some)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=ast.get_docstring(ast.parse(Path(__file__).read_text()))
    )
    parser.add_argument("--each", type=int, default=8, help="mutants a file (8)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("--only", type=Path, nargs="*", help="these files alone")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for the tests of one (300)")
    parser.add_argument("--map", type=Path, help="of lines and tests: read if there, else written")
    chosen = parser.parse_args()
    paths = [path.resolve() for path in chosen.only] if chosen.only else modules()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        lines = covering(chosen.map or Path(folder) / "map.json")
    counts: dict[str, int] = {}
    for mutant in sample(paths, chosen.each, chosen.seed):
        where = str(mutant.path.relative_to(PROJECT))
        tests = tests_of(lines[where], mutant.line, mutant.last_line)
        result = outcome(mutant, tests, chosen.seconds)
        counts[result] = counts.get(result, 0) + 1
        print(f"{result:20} {where}:{mutant.line}  {mutant.change}", flush=True)
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
