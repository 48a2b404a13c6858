"""Rows of several tasks where each task has weights of its own: a method's masks.

A mask on units that is constant over time scales the columns of the weights that read these units.
So a task's parser is the same parser with other weights, and `torch.func.functional_call` runs it.
Without masks everything here is a plain call on all rows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

if TYPE_CHECKING:
    from core.parser.batch import Batch
    from core.parser.model import Parser


class Masks(Protocol):
    """What a method attaches to a parser whose tasks use parts of it."""

    def weights(self, parser: Parser, task: int) -> Mapping[str, Tensor]:
        """The parser's parameters, by name, as they are for a task; those left out are as ever."""

    def summary(self, task: int) -> Tensor:
        """The mask of s_t: (action size,)."""


def parts(parser: Parser, tasks: Tensor) -> Iterator[tuple[int, np.ndarray]]:
    """Row numbers that the same weights apply to, with their task: without masks all, as of one."""
    if parser.masks is None:
        yield 0, np.arange(len(tasks))
        return
    of = tasks.cpu().numpy()
    for task in np.unique(of):
        yield int(task), np.flatnonzero(of == task)


def call(parser: Parser, task: int, run: Callable[..., Any], *args: Any) -> Any:
    """`run(*args)` with the parser as it is for the task."""
    if parser.masks is None:
        return run(*args)
    return torch.func.functional_call(parser, parser.masks.weights(parser, task), (run, *args))


def teacher_forced(
    parser: Parser, run: Callable[[Batch], tuple[Tensor, Tensor]], batch: Batch
) -> tuple[Tensor, Tensor]:
    """What `run` gives (s_t of the real steps, attention) with each row's own weights.

    s_t comes masked, so that it can be scored by the embeddings as they are.
    """
    split = list(parts(parser, batch.tasks))
    if len(split) == 1:
        states, attention = call(parser, split[0][0], run, batch)
        return states * parser.masks.summary(split[0][0]), attention
    (n, steps), length = batch.actions.shape, batch.words.shape[1]
    found, looked = [], []
    for task, rows in split:
        part = batch.take(rows)
        states, attention = call(parser, task, run, part)
        places = torch.as_tensor(rows)[:, None] * steps + torch.arange(part.actions.shape[1])
        places = places.to(states.device).flatten()[part.real]
        found.append((places, states * parser.masks.summary(task)))
        short = (0, length - attention.shape[2], 0, steps - attention.shape[1])
        looked.append((torch.as_tensor(rows, device=states.device), F.pad(attention, short)))
    states = _placed(found, n * steps)[batch.real]
    return states, _placed(looked, n)


def _placed(found: list[tuple[Tensor, Tensor]], count: int) -> Tensor:
    """Values at their places in a table of so many rows, 0 elsewhere."""
    table = found[0][1].new_zeros(count, *found[0][1].shape[1:])
    for places, values in found:
        table = table.index_copy(0, places, values)
    return table
