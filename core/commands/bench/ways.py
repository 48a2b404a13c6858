"""Ways in which the parser computes, each beside the plainer one that it replaces."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from core.parser.batch import Batch
    from core.parser.hypothesis import Parse
    from core.parser.model import Parser
    from core.training.assembly import Learner

BATCHES = 24  # of each way
ALONE = 40  # utterances parsed one at a time
Run = Callable[["Batch"], None]


def lines(
    learner: "Learner", step_of: Callable[["Learner"], Run], batches: Sequence["Batch"]
) -> Iterator[str]:
    """What the benchmark prints of each; `step_of` gives a step of training, to its end."""
    clock, train_on = clock_of(learner), step_of(learner)
    learner.parser.train()
    ratio = _ratio(clock, train_on, _plainly(train_on), _spread(batches))
    yield f"plain     {ratio:8.2f} × as long a training step by packed sequences, all scores, draws"
    yield _padding(learner, clock, train_on, batches)
    if learner.transformer is not None and not learner.transformer.moves:
        yield _fixed(learner, step_of)
    yield _alone(learner, clock)


def clock_of(learner: "Learner") -> Callable[[], float]:
    """Seconds: those of this process, where it does the arithmetic itself and in one thread."""
    alone = learner.device.type == "cpu" and learner.config.threads == 1
    return time.process_time if alone else time.perf_counter


@contextmanager
def plain() -> Iterator[None]:
    """Within it the parser computes on a CPU as at first: sequences packed, all actions scored, a
    draw of dropout for each number.
    """
    import torch

    from core.parser import network, recurrent
    from core.parser.applicable import ApplicableActions

    def all_scores(self: ApplicableActions, slots: "Tensor") -> bool:
        return False

    def kept(x: "Tensor", dropout: float, rng: "torch.Generator") -> "Tensor":
        return torch.empty_like(x).bernoulli_(1 - dropout, generator=rng).div_(1 - dropout)

    replaced: list[tuple[Any, str, Any]] = [
        (network, "bidirectional", recurrent.packed),
        (network, "running", recurrent.padded),
        (network, "kept", kept),
        (ApplicableActions, "by_slot_pays", all_scores),
    ]
    saved = [(owner, name, getattr(owner, name)) for owner, name, _ in replaced]
    try:
        for owner, name, plainer in replaced:
            setattr(owner, name, plainer)
        yield
    finally:
        for owner, name, before in saved:
            setattr(owner, name, before)


def _plainly(run: Run) -> Run:
    def run_plainly(batch: "Batch") -> None:
        with plain():
            run(batch)

    return run_plainly


def _spread(batches: Sequence["Batch"]) -> list["Batch"]:
    chosen = np.linspace(0, len(batches) - 1, min(BATCHES, len(batches))).round().astype(int)
    return [batches[index] for index in np.unique(chosen)]


def _ratio(
    clock: Callable[[], float], first: Run, second: Run, batches: Sequence["Batch"]
) -> float:
    """How much longer the second takes: the median over batches that both take, one by one."""
    for run in (first, second):
        run(batches[0])
    return float(np.median([_time(clock, second, b) / _time(clock, first, b) for b in batches]))


def _time(clock: Callable[[], float], run: Run, batch: "Batch") -> float:
    began = clock()
    run(batch)
    return clock() - began


def _padding(
    learner: "Learner", clock: Callable[[], float], train_on: Run, batches: Sequence["Batch"]
) -> str:
    """The batches as drawn beside batches of the same examples by length, which have little."""
    from core.parser.batch import split_by_length

    rows = learner.train_batches[0]
    size = learner.config.batch_size
    by_length = [rows.take(indices) for indices in split_by_length(rows, size)]
    drawn = sum(_time(clock, train_on, batch) for batch in _spread(batches))
    sorted_ = sum(_time(clock, train_on, batch) for batch in _spread(by_length))
    drawn, sorted_ = drawn / len(_spread(batches)), sorted_ / len(_spread(by_length))
    return (
        f"padding   {_share(batches):8.1%} of the decoder's steps ({_share(by_length):.1%} in "
        f"batches by length, whose steps take {sorted_ / drawn:.2f} × as long)"
    )


def _share(batches: Sequence["Batch"]) -> float:
    """Of padding among the decoder's steps."""
    return 1 - sum(int(b.steps.sum()) for b in batches) / sum(b.actions.numel() for b in batches)


def _fixed(learner: "Learner", step_of: Callable[["Learner"], Run]) -> str:
    """Steps over a fixed transformer, whose states are kept, beside steps over word vectors.

    Over those of the usual size, and of its own: a wider input is more for the LSTM to read.
    """
    from core.training.assembly import Learner

    config, size = learner.config, learner.parser.encoder.input_size
    over_words = config.with_(encoder="lstm", encoder_model="")
    sizes = [config.word_size, size]
    others = [Learner(over_words.with_(word_size=numbers)) for numbers in sizes]
    ratios = [_longer(learner, other, step_of) for other in others]
    return (
        f"fixed     {ratios[0]:8.2f} × as long a training step as over random word vectors of "
        f"{sizes[0]} numbers ({ratios[1]:.2f} × with as many as its states have, {size})"
    )


def _longer(learner: "Learner", other: "Learner", step_of: Callable[["Learner"], Run]) -> float:
    """How much longer a learner's steps take than another's on the same rows: the median."""
    both = [(each, step_of(each)) for each in (learner, other)]
    clock, at_once, ratios = clock_of(learner), learner.config.batch_size, []
    for each, _ in both:
        each.parser.train()
    starts = range(0, len(learner.train_batches[0]), at_once)[: BATCHES + 1]
    for rows in [np.arange(s, min(s + at_once, len(learner.train_batches[0]))) for s in starts]:
        mine, others = (_time(clock, run, each.train_batches[0].take(rows)) for each, run in both)
        ratios.append(mine / others)
    return float(np.median(ratios[1:] or ratios))  # the first pays for allocations


def _alone(learner: "Learner", clock: Callable[[], float]) -> str:
    from core.parser.alone import greedy
    from core.parser.beam import search

    test = learner.test_batches[0]
    rows = [test.take([index]) for index in range(min(ALONE, len(test)))]
    short, by_beam = (_decoding(learner.parser, way, rows, clock) for way in (greedy, search))
    return f"alone     {short:8.1f} ms an utterance, greedily ({by_beam:.1f} by a beam)"


def _decoding(
    parser: "Parser",
    decode: Callable[["Parser", "Batch"], "list[Parse]"],
    rows: Sequence["Batch"],
    clock: Callable[[], float],
) -> float:
    """Milliseconds an utterance: the median."""
    import torch

    from core.parser.modes import evaluating

    def run(row: "Batch") -> None:
        decode(parser, row)

    with torch.no_grad(), evaluating(parser):
        run(rows[0])
        return 1000 * float(np.median([_time(clock, run, row) for row in rows]))
