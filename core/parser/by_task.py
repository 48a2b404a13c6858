"""Examples of several tasks where each task has weights of its own: a method's masks.

A mask on units that is constant over time scales the columns of the weights that read these units.
So a task's parser is the same parser with other weights, and `torch.func.functional_call` runs it.
Without masks everything here is a plain call on all examples at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.parser.moving import moved

if TYPE_CHECKING:
    from core.parser.batch import Batch
    from core.parser.model import Parser

T = TypeVar("T")


class Masks(Protocol):
    """What a method attaches to a parser whose tasks use parts of it."""

    def weights(self, parser: Parser, task: int) -> Mapping[str, Tensor]:
        """The parser's parameters, by name, as they are for a task; those left out are as ever."""

    def summary(self, task: int) -> Tensor:
        """The mask of s_t: (action size,)."""


def parts(parser: Parser, tasks: Tensor) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Indices that the same weights apply to, with their task: without masks all, as of one.

    `tasks` on the CPU.
    """
    if parser.masks is None:
        yield 0, np.arange(len(tasks))
        return
    of = tasks.numpy()
    for task in np.unique(of):
        yield int(task), np.flatnonzero(of == task)


class _Call(nn.Module):
    """Calls a function that uses the parser: what `functional_call` needs to swap its weights."""

    def __init__(self, parser: Parser) -> None:
        super().__init__()
        self.parser = parser

    def forward(self, run: Callable[..., Any], *args: Any) -> Any:
        return run(*args)


def call(parser: Parser, task: int, run: Callable[..., T], *args: Any) -> T:
    """`run(*args)` with the parser as it is for the task."""
    if parser.masks is None:
        return run(*args)
    weights = parser.masks.weights(parser, task)
    swapped = {f"parser.{name}": weight for name, weight in weights.items()}
    # no weight has two names, which would be looked for among those of all tasks' masks
    result: T = torch.func.functional_call(_Call(parser), swapped, (run, *args), tie_weights=False)
    return result


def teacher_forced(parser: Parser, masks: Masks, batch: Batch) -> tuple[Tensor, Tensor]:
    """`Parser.forward`, each example with the weights of its own task.

    s_t comes masked, so that it can be scored by the embeddings as they are.
    """
    split = list(parts(parser, batch.tasks))
    if len(split) == 1:
        states, attention = call(parser, split[0][0], parser.forward, batch)
        return states * masks.summary(split[0][0]), attention
    (n, steps), length = batch.actions.shape, batch.words.shape[1]
    all_states, all_attention = [], []
    for task, indices in split:
        part = batch.take(indices)
        states, attention = call(parser, task, parser.forward, part)
        positions = torch.as_tensor(indices)[:, None] * steps + torch.arange(part.actions.shape[1])
        real = torch.arange(part.actions.shape[1]) < part.steps[:, None]
        positions = moved(positions[real], states.device)
        all_states.append((positions, states * masks.summary(task)))
        missing = (0, length - attention.shape[2], 0, steps - attention.shape[1])
        index = moved(torch.as_tensor(indices), states.device)
        all_attention.append((index, F.pad(attention, missing)))
    return _scattered(all_states, n * steps)[batch.real], _scattered(all_attention, n)


def _scattered(parts: list[tuple[Tensor, Tensor]], count: int) -> Tensor:
    """Values at their indices in a table of so many rows, 0 elsewhere."""
    table = parts[0][1].new_zeros(count, *parts[0][1].shape[1:])
    for indices, values in parts:
        table = table.index_copy(0, indices, values)
    return table
