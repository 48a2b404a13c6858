"""`bench entropy`: action entropies of memories beside the expected ones, as a Markdown table."""

import argparse
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.config import RunConfig
from core.data.base import DataMissing
from core.registry import datasets

if TYPE_CHECKING:
    import pandas as pd

    from core.analysis.entropies import Case


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "entropy",
        help="how evenly memories spread over actions, beside the values expected",
        description="Entropy of the actions in memories of random, LFS, DLFS and Balance, as a "
        "Markdown table beside the values that were expected: mean and standard deviation over "
        "seeds. By parent: a ground fragment that hangs under another label counts as another "
        "action.",
    )
    parser.add_argument("--seeds", type=int, default=5, help="how many, from 0 on (5)")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    from core.analysis.entropies import EXPECTED, SAMPLERS, SIZE

    if args.seeds < 1:
        print(f"--seeds {args.seeds}: expected at least 1.", file=sys.stderr)
        return 2
    print(
        f"Memories of {SIZE} rows; nats, each action counted once a row; mean ± standard deviation "
        f"of n = {args.seeds} seeds (0 to {args.seeds - 1}; Balance draws nothing: n = 1).\n"
    )
    print("| Task | Counted | " + " | ".join(SAMPLERS.values()) + " |")
    print("| --- | --- |" + " ---: |" * len(SAMPLERS))
    for case in EXPECTED:
        try:
            _print_case(case, range(args.seeds))
        except DataMissing as missing:
            print(f"Not measured: {missing}", file=sys.stderr)
    return 0


def _print_case(case: "Case", seeds: Sequence[int]) -> None:
    from core.analysis.entropies import COUNTED, SIZE, measure
    from core.data.base import load_tasks

    config = RunConfig(dataset=case.dataset, task_order=(case.task,))
    rows = load_tasks(config)[0].train
    name = f"{datasets[case.dataset].label} {case.task}"
    _print_row(name, "expected", [*(f"{value:.2f}" for value in case.expected), "–"])
    for counted in COUNTED:
        _print_row(name, counted, _cells(measure(rows, SIZE, seeds, counted)))
    if case.h:
        words = f"actions, DLFS over h = {case.h}"
        _print_row(name, words, _cells(measure(rows, SIZE, seeds, "actions", case.h)))


def _print_row(task: str, counted: str, values: Sequence[str]) -> None:
    print("| " + " | ".join([task, counted, *values]) + " |", flush=True)


def _cells(found: "pd.DataFrame") -> list[str]:
    return [
        f"{row.mean:.3f}" + ("" if math.isnan(row.deviation) else f" ± {row.deviation:.3f}")
        for row in found.itertuples()
    ]
