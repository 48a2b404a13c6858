"""`bench gpu`: what a card makes of the parser, by batch size, as whole sequences and several runs.

The share is the parser's counted operations a second over the rate of plain float32 products of
4096² matrices on the same card, measured before. Works on a CPU too, to try it.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.commands import Subparsers
from core.commands.bench.parser import product_rate, wait_for
from core.commands.bench.workers import as_threads
from core.commands.numbers import count, seconds
from core.config import RunConfig
from core.data.base import DataMissing
from core.options import ConfigError

if TYPE_CHECKING:
    from core.parser.batch import Batch
    from core.training.assembly import Learner

WARM_UP = 3  # steps that pay for allocations and for the choice of algorithms


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "gpu",
        help="a GPU: rows a second by batch size, a whole sequence, several runs at once",
        description="Measure the parser on a GPU, as Markdown tables.",
    )
    parser.add_argument("--dataset", default="overnight", help="(overnight) or the demo")
    parser.add_argument("--device", default="auto", help="auto, cpu or cuda:N")
    parser.add_argument("--method", default="emr", help="of sequence and runs at once (emr)")
    parser.add_argument(
        "--batch-sizes",
        type=count,
        nargs="+",
        default=[64, 128, 256, 512, 1024],
        help="(64 128 256 512 1024)",
    )
    parser.add_argument(
        "--precision", default="float32", help="float32, tf32 or bfloat16 (float32)"
    )
    parser.add_argument("--runs", type=count, nargs="+", default=[1, 2, 4], help="at once (1 2 4)")
    parser.add_argument("--epochs", type=count, default=10, help="of the whole sequence (10)")
    parser.add_argument("--seconds", type=seconds, default=8.0, help="a measurement (8)")
    parser.set_defaults(execute=execute)


def execute(args: argparse.Namespace) -> int:
    if min(args.runs + args.batch_sizes) < 1 or args.seconds <= 0:
        raise ConfigError("--runs, --batch-sizes and --seconds: expected numbers above 0.")
    config = RunConfig(
        dataset=args.dataset,
        method=args.method,
        sampler="random",
        device=args.device,
        precision=args.precision,
    )
    try:
        _print_all(config, args)
    except DataMissing as missing:
        print(f"{missing} Measuring the demo instead.", file=sys.stderr)
        _print_all(config.with_(dataset="demo"), args)
    return 0


def _print_all(config: RunConfig, args: argparse.Namespace) -> None:
    import torch

    from core.data.base import load_tasks
    from core.training.devices import choose_device
    from core.training.precision import products

    tasks, device = load_tasks(config), choose_device(config.device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "the CPU"
    largest = max(tasks, key=lambda task: len(task.train)).name
    with products("float32", device):
        peak = product_rate(device, size=4096 if device.type == "cuda" else 1024)
    print(f"{name}, PyTorch {torch.__version__}; float32 products: {peak / 1e12:.2f} Tflop/s\n")
    print(
        f"{config.dataset}, task {largest}, training steps on batches of one size, "
        f"{config.precision}:\n"
    )
    print("| Batch | rows/s | ms a step | of the product rate | MB on the GPU |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for size in args.batch_sizes:
        with products(config.precision, device):
            row = _by_batch(config.with_(batch_size=size), largest, args.seconds, peak)
        print(row, flush=True)
    began = time.perf_counter()
    seconds = _sequence(config.with_(epochs=args.epochs))
    print(
        f"\nA whole sequence, {len(tasks)} tasks, {config.method}, {args.epochs} epochs: "
        f"{time.perf_counter() - began:.0f} s, of which {seconds:.0f} s are training.\n"
    )
    print("| Runs at once | rows/s | of one run |\n| ---: | ---: | ---: |")
    alone = 0.0
    for k in sorted(args.runs):
        rate = sum(as_threads(config.with_(epochs=1000), k, args.seconds))
        alone = alone or rate / k
        print(f"| {k} | {rate:.0f} | {rate / alone:.2f} × |", flush=True)


def _by_batch(config: RunConfig, task: str, seconds: float, peak: float) -> str:
    """A row of the table: steps on one batch after the other for so many seconds."""
    import torch

    from core.parser.flops import training_flops
    from core.training.assembly import Learner

    learner = Learner(config.with_(task_order=(task,), method="finetune"))
    for _ in zip(range(WARM_UP), _steps(learner), strict=False):
        wait_for(learner.device)
    batches, began = [], time.perf_counter()
    for batch in _steps(learner):
        batches.append(batch)
        if time.perf_counter() - began > seconds:
            break
    wait_for(learner.device)
    took = time.perf_counter() - began
    flops = sum(training_flops(learner.parser, batch) for batch in batches)
    cells = [
        f"{config.batch_size}",
        f"{sum(map(len, batches)) / took:.0f}",
        f"{1000 * took / len(batches):.1f}",
        f"{flops / took / peak:.1%}",
    ]
    if learner.device.type == "cuda":
        cells.append(f"{torch.cuda.max_memory_allocated(learner.device) / 2**20:.0f}")
    return f"| {' | '.join([*cells, '–'][:5])} |"


def _steps(learner: "Learner") -> "Iterator[Batch]":
    """The batches of epochs without end, each once it has been given to the device."""
    from core.training.stage_optimizer import StageOptimizer

    stage = learner.method.stages(0)[0]
    optimizer = StageOptimizer(learner.method, 0, stage)
    learner.parser.train()
    while True:
        for step in learner.method.steps(0, stage):
            optimizer.step(step)
            yield step.batch


def _sequence(config: RunConfig) -> float:
    """Trains a whole run, recording aside; the seconds of its stages."""
    from core.events import Event, StageTime
    from core.training.sequence import train

    seconds = 0.0

    def record(event: Event) -> None:
        nonlocal seconds
        if isinstance(event, StageTime) and event.stage not in ("evaluation", "recording"):
            seconds += event.seconds

    train(config.with_(recording_budget=0.0), record)
    return seconds
