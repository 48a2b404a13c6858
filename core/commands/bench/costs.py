"""What training with a method costs at places of the sequence of tasks: steps, epochs, memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from core.commands.bench.ways import clock_of
from core.config import RunConfig
from core.registry import methods

if TYPE_CHECKING:
    from core.methods.base import TrainingStep
    from core.training.assembly import Learner
    from core.training.stage_optimizer import StageOptimizer

WARM_UP = 2  # steps that pay for allocations


class Cost(NamedTuple):
    """What training with a method takes at one place of the sequence."""

    step: float  # seconds in the mean over an epoch, of each kind of step the median
    ratio: float  # the same in fine-tuning steps
    epoch: float  # seconds, with what comes before its steps
    epoch_ratio: float  # the same in fine-tuning epochs
    held: int = 0  # bytes that the method keeps beside the parser that fine-tuning has


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
    optimizers = StageOptimizer(learner.method, k, stage), StageOptimizer(base.method, k, plain)
    clock = clock_of(learner)
    learner.parser.train()
    base.parser.train()
    began = clock()
    epoch = list(learner.method.steps(k, stage))
    before = clock() - began
    chosen = np.linspace(0, len(epoch) - 1, min(steps, len(epoch))).round().astype(int)
    chosen = np.union1d(chosen, _first_of_kind(epoch))
    pairs = [(epoch[i], _beside(epoch, i)) for i in chosen]
    for pair in pairs[:WARM_UP]:
        for optimizer, step in zip(optimizers, pair, strict=True):
            optimizer.step(step)
    timed = np.array(
        [
            [_seconds(each, step, clock) for each, step in zip(optimizers, pair, strict=True)]
            for pair in pairs
        ]
    )
    for optimizer in optimizers:
        optimizer.end()
    kinds = np.array([_kind(step) for step in epoch])
    whole = ratios = 0.0  # of the epoch's steps: seconds, fine-tuning steps
    for kind in np.unique(kinds):
        (seconds, of_base), times = timed[kinds[chosen] == kind].T, int((kinds == kind).sum())
        whole += float(np.median(seconds)) * times
        ratios += float(np.median(seconds / of_base)) * times
    first = before / float(np.median(timed[:, 1]))
    plain_steps = len(list(base.method.steps(k, plain)))
    return Cost(
        whole / len(epoch), ratios / len(epoch), before + whole, (first + ratios) / plain_steps
    )


def _beside(epoch: Sequence["TrainingStep"], i: int) -> "TrainingStep":
    """A fine-tuning step on the current task's rows of step i, or of the last that has any."""
    import numpy as np

    from core.methods.base import plain_step

    with_rows = [number for number, step in enumerate(epoch) if step.n_current]
    last = max((number for number in with_rows if number <= i), default=with_rows[0])
    return plain_step(epoch[last].batch.take(np.arange(epoch[last].n_current)))


def _kind(step: "TrainingStep") -> str:
    return step.kind if step.n_current else f"{step.kind} memory"


def _first_of_kind(epoch: Sequence["TrainingStep"]) -> list[int]:
    kinds = [_kind(step) for step in epoch]
    return [kinds.index(kind) for kind in set(kinds)]


def _seconds(
    optimizer: "StageOptimizer", step: "TrainingStep", clock: Callable[[], float]
) -> float:
    """Of one optimizer step; its losses are read as numbers, so that a GPU has ended too."""
    began = clock()
    optimizer.step(step)
    return clock() - began


def _bytes(state: Any) -> int:
    """Of the tensors in a state."""
    if isinstance(state, Mapping):
        return sum(_bytes(value) for value in state.values())
    if isinstance(state, (list, tuple)):
        return sum(_bytes(value) for value in state)
    return getattr(state, "nbytes", 0)
