"""`bench methods`: what a training step and an epoch cost with each method, and how that grows.

Every step of a method is timed next to a fine-tuning step on the same rows of the current task, and
on a CPU in the seconds that the process itself had, so that ratios hold on a machine that others
use too. Steps of different kinds count as often as an epoch has them. The parser is untrained and
the memories of past tasks are drawn at random: the arithmetic is the same. What a method does at
the beginning and at the end of the tasks before is carried out, their training is not.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from core.analysis.settings import method_name
from core.config import RunConfig
from core.data.base import DataMissing
from core.options import ConfigError
from core.registry import methods

if TYPE_CHECKING:
    from core.methods.base import TrainingStep
    from core.training.assembly import Learner
    from core.training.stage_optimizer import StageOptimizer

BASE = "finetune"
MORE: Sequence[tuple[str, Mapping[str, Any]]] = (  # rows beside every method with its defaults
    ("emr", {"replay": "joint"}),
    ("total_recall", {"penalty": "ewc"}),
)
TARGET = ("total_recall", {"penalty": "ewc"})  # replay = sample is its default
MOST = 3.0  # fine-tuning steps that a step of TARGET may cost at the last place
WARM_UP = 2  # steps that pay for allocations


def add_parser(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "methods",
        help="seconds a step and an epoch of each method, and their growth with the tasks",
        description="Time every method's training at some places of the sequence of tasks, as a "
        "Markdown table; ratios are to a fine-tuning step timed alongside.",
    )
    parser.add_argument("--dataset", default="overnight", help="(overnight) or the demo")
    parser.add_argument("--methods", nargs="*", metavar="NAME", help="these only (all)")
    parser.add_argument("--places", type=int, nargs="*", default=[1, 4, 8], help="tasks (1 4 8)")
    parser.add_argument("--steps", type=int, default=12, help="timed steps a method and task (12)")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads (1)")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    if args.steps < 1 or not args.places or min(args.places) < 1:
        raise ConfigError("--steps and --places: expected whole numbers of at least 1.")
    config = RunConfig(
        dataset=args.dataset, method=BASE, sampler="random", threads=args.threads,
        device=args.device,
    )  # fmt: skip
    try:
        _print_all(config, args)
    except DataMissing as missing:
        print(f"{missing} Measuring the demo instead.", file=sys.stderr)
        _print_all(config.with_(dataset="demo"), args)
    return 0


class Cost(NamedTuple):
    """What training with a method takes at one place of the sequence."""

    step: float  # seconds in the mean over an epoch, of each kind of step the median
    ratio: float  # the same in fine-tuning steps
    epoch: float  # seconds, with what comes before its steps
    epoch_ratio: float  # the same in fine-tuning epochs
    held: int = 0  # bytes that the method keeps beside the parser that fine-tuning has


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
    variants = [(name, {}) for name in names] + [(n, o) for n, o in MORE if n in names]
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


def costs_at(
    config: RunConfig, base: "Learner", places: Sequence[int], steps: int
) -> Iterator[tuple[int, Cost]]:
    """The method's cost at these places (from 1) of the sequence, where it trains there at all."""
    from core.samplers.base import select
    from core.training.assembly import Learner

    learner = Learner(config)
    method, rng = learner.method, learner.generators.for_arrays("sampler")
    held = _bytes(base.state()["parser"])
    for k in range(places[-1]):
        learner.parser.set_known_tasks(k)
        method.begin_task(k)
        if k + 1 in places and method.stages(k):
            base.parser.set_known_tasks(k)
            cost = _time(learner, base, k, steps)
            state = learner.state()
            kept = _bytes(state["parser"]) + _bytes(state["method"]) - held
            yield k + 1, cost._replace(held=kept)
        if k + 1 < places[-1]:
            if methods[config.method].memory:
                learner.memory.keep(k, select(config, learner.tasks[k].train, rng))
            method.end_task(k)


def _time(learner: "Learner", base: "Learner", k: int, steps: int) -> Cost:
    import numpy as np

    from core.training.stage_optimizer import StageOptimizer

    stage, plain = learner.method.stages(k)[-1], base.method.stages(k)[-1]
    descents = StageOptimizer(learner.method, k, stage), StageOptimizer(base.method, k, plain)
    clock = _clock(learner)
    learner.parser.train()
    base.parser.train()
    began = clock()
    epoch = list(learner.method.steps(k, stage))
    before = clock() - began
    chosen = np.linspace(0, len(epoch) - 1, min(steps, len(epoch))).round().astype(int)
    chosen = np.union1d(chosen, _first_of_kind(epoch))
    pairs = [(epoch[i], _beside(epoch, i)) for i in chosen]
    for pair in pairs[:WARM_UP]:
        for descent, step in zip(descents, pair, strict=True):
            descent.step(step)
    timed = np.array([[_seconds(d, step, clock) for d, step in zip(descents, pair, strict=True)]
                      for pair in pairs])  # fmt: skip
    for descent in descents:
        descent.end()
    kinds = np.array([_kind(step) for step in epoch])
    whole = ratios = 0.0  # of the epoch's steps: seconds, fine-tuning steps
    for kind in np.unique(kinds):
        (own, other), times = timed[kinds[chosen] == kind].T, int((kinds == kind).sum())
        whole += float(np.median(own)) * times
        ratios += float(np.median(own / other)) * times
    first = before / float(np.median(timed[:, 1]))
    plain_steps = len(list(base.method.steps(k, plain)))
    return Cost(
        whole / len(epoch), ratios / len(epoch), before + whole, (first + ratios) / plain_steps
    )


def _beside(epoch: Sequence["TrainingStep"], i: int) -> "TrainingStep":
    """A fine-tuning step on the current task's rows of step i, or of the last that has any."""
    import numpy as np

    from core.methods.base import plain_step

    with_rows = [number for number, step in enumerate(epoch) if step.current]
    last = max((number for number in with_rows if number <= i), default=with_rows[0])
    return plain_step(epoch[last].batch.take(np.arange(epoch[last].current)))


def _clock(learner: "Learner") -> Callable[[], float]:
    """Seconds: those of this process, where it does the arithmetic itself and in one thread."""
    alone = learner.device.type == "cpu" and learner.config.threads == 1
    return time.process_time if alone else time.perf_counter


def _kind(step: "TrainingStep") -> str:
    return step.kind if step.current else f"{step.kind} memory"


def _first_of_kind(epoch: Sequence["TrainingStep"]) -> list[int]:
    kinds = [_kind(step) for step in epoch]
    return [kinds.index(kind) for kind in set(kinds)]


def _seconds(descent: "StageOptimizer", step: "TrainingStep", clock: Callable[[], float]) -> float:
    """Of one optimizer step; its losses are read as numbers, so that a GPU has ended too."""
    began = clock()
    descent.step(step)
    return clock() - began


def _bytes(state: Any) -> int:
    """Of the tensors in a state."""
    if isinstance(state, Mapping):
        return sum(_bytes(value) for value in state.values())
    if isinstance(state, (list, tuple)):
        return sum(_bytes(value) for value in state)
    return getattr(state, "nbytes", 0)


def _head(places: Sequence[int]) -> list[str]:
    cells = ["Method", *(f"Step, task {place}" for place in places), "More a past task"]
    cells += [*(f"Epoch, task {place}" for place in places), "Held"]
    return [f"| {' | '.join(cells)} |", "| --- |" + " ---: |" * (len(cells) - 1)]


def _row(label: str, costs: Mapping[int, Cost], places: Sequence[int]) -> str:
    there = [costs.get(place) for place in places]
    steps = [f"{1000 * c.step:.0f} ms ({c.ratio:.2f} ×)" if c else "–" for c in there]
    epochs = [f"{c.epoch:.1f} s ({c.epoch_ratio:.2f} ×)" if c else "–" for c in there]
    growth = "–"
    if len(costs) > 1:
        first, last = min(costs), max(costs)
        growth = f"{(costs[last].ratio - costs[first].ratio) / (last - first):+.2f} ×"
    held = f"{costs[max(costs)].held / 1e6:.1f} MB" if costs else "–"
    return f"| {' | '.join([label, *steps, growth, *epochs, held])} |"
