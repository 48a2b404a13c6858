"""`bench parser`: one real epoch of training and a pass of decoding.

The share is the parser's counted operations a second over the rate of a plain matrix product
(1024³, float32) measured in the same process right before and after.
"""

import argparse
import resource
import sys
import time
from typing import TYPE_CHECKING

from core.commands import Subparsers
from core.commands.bench import ways
from core.commands.numbers import count
from core.config import RunConfig
from core.data.base import DataMissing

if TYPE_CHECKING:
    import torch

    from core.parser.batch import Batch
    from core.training.assembly import Learner

DEFAULTS = {
    "dataset": "overnight",
    "task": "",
    "batch_size": 64,
    "threads": 1,
    "device": "auto",
    "encoder_model": "",
    "encoder_trained": "no",
}
_SIZE = 1024


def add_parser(subparsers: Subparsers) -> None:
    parser = subparsers.add_parser(
        "parser",
        help="examples a second in training and decoding (the default)",
        description="Train one epoch of a task and parse its test set; print the speeds.",
    )
    parser.add_argument("--dataset", help="where the task is from; the demo if it is missing")
    parser.add_argument("--task", help="its name (default: the task with the most rows)")
    parser.add_argument("--batch-size", type=count, help="rows a step (64)")
    parser.add_argument("--threads", type=count, help="CPU threads (1)")
    parser.add_argument("--device", help="auto, cpu or cuda:N")
    parser.add_argument(
        "--encoder-model", help="a pretrained transformer under the encoder: folder or name"
    )
    parser.add_argument("--encoder-trained", help="no, yes or last layers (no)")
    parser.set_defaults(execute=execute, **DEFAULTS)


def execute(args: argparse.Namespace) -> int:
    config = RunConfig(
        dataset=args.dataset,
        method="finetune",
        batch_size=args.batch_size,
        threads=args.threads,
        device=args.device,
        encoder_model=args.encoder_model,
        encoder="transformer" if args.encoder_model else "lstm",
        encoder_trained=args.encoder_trained,
    )
    from core.training.devices import choose_device
    from core.training.precision import products

    with products(config.precision, choose_device(config.device)):
        try:
            return _measure(config, args.task)
        except DataMissing as missing:
            print(f"{missing} Measuring the demo instead.", file=sys.stderr)
            return _measure(config.with_(dataset="demo"), "")


def product_rate(device: "torch.device", seconds: float = 0.5, size: int = _SIZE) -> float:
    """Operations a second of float32 products of two square matrices."""
    import torch

    a = torch.ones(size, size, device=device)
    a @ a
    wait_for(device)
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        a @ a
        count += 1
        wait_for(device)
    return count * 2 * size**3 / (time.perf_counter() - began)


def wait_for(device: "torch.device") -> None:
    """Until what a GPU has been given is done."""
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def training_step(learner: "Learner") -> ways.Run:
    """A step of training on a batch; a GPU is given it and not waited for."""
    import torch

    parser, config = learner.parser, learner.config
    optimizer = torch.optim.Adam(parser.parameters(), lr=config.learning_rate, fused=True)

    def train_on(batch: "Batch") -> None:
        optimizer.zero_grad()
        parser.loss(batch).backward()
        torch.nn.utils.clip_grad_norm_(parser.parameters(), config.clip_norm)
        optimizer.step()

    return train_on


def waiting_step(learner: "Learner") -> ways.Run:
    """The same to its end."""
    train_on = training_step(learner)

    def train_and_wait(batch: "Batch") -> None:
        train_on(batch)
        wait_for(learner.device)

    return train_and_wait


def _read_all(learner: "Learner") -> int:
    """Have a fixed transformer read every utterance; how many words those have."""
    transformer = learner.transformer
    if transformer is None or transformer.moves:
        return 0
    batches = [*learner.train_batches, *learner.test_batches]
    for batch in batches:
        transformer(batch.words, batch.lengths, learner.parser.vocabulary)
    return sum(int(batch.lengths.sum()) for batch in batches)


def _measure(config: RunConfig, name: str) -> int:
    import torch

    from core.data.base import load_tasks
    from core.parser.decode import parse
    from core.parser.flops import forward_flops, training_flops
    from core.training.assembly import Learner

    largest = name or max(load_tasks(config), key=lambda task: len(task.train)).name
    torch.set_num_threads(config.threads)
    learner = Learner(config.with_(task_order=(largest,)))
    parser, rows, test = learner.parser, learner.train_batches[0], learner.test_batches[0]
    train_on = training_step(learner)
    began = time.perf_counter()
    n_words = _read_all(learner)
    reading = time.perf_counter() - began
    batches = list(learner.method.batches(0))
    parser.train()
    for batch in batches[:3]:  # the first steps pay for allocations
        train_on(batch)
    before = product_rate(learner.device)
    began = time.perf_counter()
    for batch in batches:
        train_on(batch)
    wait_for(learner.device)
    seconds = time.perf_counter() - began
    after = product_rate(learner.device)
    began = time.perf_counter()
    parse(parser, test)
    decoding = time.perf_counter() - began
    rate = (before + after) / 2
    share = sum(training_flops(parser, batch) for batch in batches) / seconds / rate
    decoding_share = forward_flops(parser, test) / decoding / rate
    beside = list(ways.lines(learner, waiting_step, batches))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = [
        f"{config.dataset}, task {largest}: {len(rows)} training rows, {len(test)} test rows; "
        f"batch {config.batch_size}, {learner.device}, {config.threads} threads",
        f"training  {len(rows) / seconds:8.0f} examples/s   {share:6.1%} of the product rate",
        f"decoding  {len(test) / decoding:8.0f} examples/s   {decoding_share:6.1%} of the product "
        f"rate (beam {config.beam_size}, teacher-forced operations of the gold forms)",
        f"product   {rate / 1e9:8.1f} Gflop/s ({_SIZE}³ float32: {before / 1e9:.1f} before, "
        f"{after / 1e9:.1f} after)",
        *beside,
        f"memory    {peak:8.0f} MB at its peak (resident)",
    ]
    if n_words:
        lines.append(
            f"states    {reading:8.1f} s for the transformer's, each utterance once ({n_words:,} "
            "words); kept for later runs, from which they take no time"
        )
    if learner.device.type == "cuda":
        lines.append(f"          {torch.cuda.max_memory_allocated() / 2**20:8.0f} MB on the GPU")
    print("\n".join(lines))
    return 0
