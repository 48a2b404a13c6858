"""`bench methods`: what a training step and an epoch cost with each method, and how that grows.

Every step of a method is timed next to a fine-tuning step on the same rows of the current task, and
on a CPU in the seconds that the process itself had, so that ratios hold on a machine that others
use too. Steps of different kinds count as often as an epoch has them. The parser is untrained and
the memories of past tasks are drawn at random: the arithmetic is the same. What a method does at
the beginning and at the end of the tasks before is carried out, their training is not.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from core.analysis.settings import method_name
from core.commands import Subparsers
from core.commands.bench.costs import Cost, costs_at
from core.commands.numbers import count
from core.config import RunConfig
from core.data.base import DataMissing
from core.options import ConfigError
from core.registry import methods

BASE = "finetune"
MORE: Sequence[tuple[str, Mapping[str, Any]]] = (  # rows beside every method with its defaults
    ("emr", {"replay": "joint"}),
    ("total_recall", {"penalty": "ewc"}),
)
TARGET = ("total_recall", {"penalty": "ewc"})  # replay = sample is its default
MOST = 3.0  # fine-tuning steps that a step of TARGET may cost at the last place


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "methods",
        help="seconds a step and an epoch of each method, and their growth with the tasks",
        description="Time every method's training at some places of the sequence of tasks, as a "
        "Markdown table; ratios are to a fine-tuning step timed alongside.",
    )
    parser.add_argument("--dataset", default="overnight", help="(overnight) or the demo")
    parser.add_argument("--methods", nargs="*", metavar="NAME", help="these only (all)")
    parser.add_argument("--places", type=count, nargs="*", default=[1, 4, 8], help="tasks (1 4 8)")
    parser.add_argument("--steps", type=count, default=12, help="timed a method and task (12)")
    parser.add_argument("--threads", type=count, default=1, help="CPU threads (1)")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    if args.steps < 1 or not args.places or min(args.places) < 1:
        raise ConfigError("--steps and --places: expected whole numbers of at least 1.")
    config = RunConfig(
        dataset=args.dataset,
        method=BASE,
        sampler="random",
        threads=args.threads,
        device=args.device,
    )
    try:
        _print_all(config, args)
    except DataMissing as missing:
        print(f"{missing} Measuring the demo instead.", file=sys.stderr)
        _print_all(config.with_(dataset="demo"), args)
    return 0


def _print_all(config: RunConfig, args: argparse.Namespace) -> None:
    import torch

    from core.training.assembly import Learner

    torch.set_num_threads(config.threads)
    base = Learner(config)
    places = sorted({min(place, len(base.tasks)) for place in args.places})
    names = [methods[name].name for name in args.methods or methods]
    print(
        f"{config.dataset}, memory {config.memory_size} a task, batch {config.batch_size}, "
        f"{base.device}, {config.threads} threads; tasks "
        + ", ".join(f"{place} ({base.tasks[place - 1].name})" for place in places)
        + f"; medians of {args.steps} steps, each timed next to a fine-tuning step on the same "
        "rows; × says how many fine-tuning steps or epochs it costs\n"
    )
    print("\n".join(_head(places)), flush=True)
    reached = None
    variants: list[tuple[str, Mapping[str, Any]]] = [(name, {}) for name in names] + [
        (n, o) for n, o in MORE if n in names
    ]
    for name, options in sorted(variants, key=lambda variant: names.index(variant[0])):
        chosen = config.with_(method=name, method_options=options)
        costs = dict(costs_at(chosen, base, places, args.steps))
        print(_row(label(chosen), costs, places), flush=True)
        if (name, options) == TARGET:
            reached = costs.get(places[-1])
    if reached is not None:
        kept = "kept" if reached.ratio <= MOST else "not kept"
        print(
            f"\nA step of Total Recall + EWC with `sample` replay at task {places[-1]} costs "
            f"{reached.ratio:.2f} fine-tuning steps; at most {MOST:g} are aimed at: {kept}."
        )


def label(config: RunConfig) -> str:
    """What the method is called, with the options that its name does not tell."""
    named = method_name(config)
    if named != methods.declared(config.method, "label"):
        return named
    return ", ".join([named, *(f"{n} {value}" for n, value in config.method_options.items())])


def _head(places: Sequence[int]) -> list[str]:
    cells = ["Method", *(f"Step, task {place}" for place in places), "More a past task"]
    cells += [*(f"Epoch, task {place}" for place in places), "Held"]
    return [f"| {' | '.join(cells)} |", "| --- |" + " ---: |" * (len(cells) - 1)]


def _row(label: str, costs: Mapping[int, Cost], places: Sequence[int]) -> str:
    known = [costs.get(place) for place in places]
    steps = [f"{1000 * c.step:.0f} ms ({c.ratio:.2f} ×)" if c else "–" for c in known]
    epochs = [f"{c.epoch:.1f} s ({c.epoch_ratio:.2f} ×)" if c else "–" for c in known]
    growth = "–"
    if len(costs) > 1:
        first, last = min(costs), max(costs)
        growth = f"{(costs[last].ratio - costs[first].ratio) / (last - first):+.2f} ×"
    held = f"{costs[max(costs)].held / 1e6:.1f} MB" if costs else "–"
    return f"| {' | '.join([label, *steps, growth, *epochs, held])} |"
