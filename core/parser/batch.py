"""Rows as padded tensors, and batches with little padding."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.base import Example
from core.language.grammar import Grammar
from core.parser.moving import moved

PAD, UNKNOWN = 0, 1


class Vocabulary:
    """Words of the training utterances of all tasks; anything else reads as unknown."""

    def __init__(
        self, utterances: Sequence[Sequence[str]], normal: Callable[[str], str] = str
    ) -> None:
        """`normal` gives the form under which a word is known, such as its lemma."""
        self._normal = normal
        self.words = ["<pad>", "<unk>"]
        self.words += dict.fromkeys(normal(word) for utterance in utterances for word in utterance)
        self._ids = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return self._normal(word) in self._ids

    def encode(self, words: Sequence[str]) -> list[int]:
        """Word numbers; an utterance without words is one unknown word."""
        return [self._ids.get(self._normal(word), UNKNOWN) for word in words] or [UNKNOWN]


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    width = max((len(row) for row in rows), default=0)
    table = np.zeros((len(rows), max(width, 1)), dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return torch.from_numpy(table)


@dataclass(frozen=True)
class Batch:
    """n rows: utterances of up to L words, derivations of up to T steps, padded with 0.

    A row whose form the grammar can't write has 0 steps. `lengths`, `steps` and `tasks` stay on the
    CPU: what is known from them needs no wait for the device. So do `words` where a transformer
    reads them, whose tokenizer is there.
    """

    words: Tensor  # (n, L)
    lengths: Tensor  # (n,)
    slots: Tensor  # (n, T)
    actions: Tensor  # (n, T)
    steps: Tensor  # (n,)
    tasks: Tensor  # (n,)

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def real(self) -> Tensor:
        """Where the real steps lie in a flattened (n, T) table, row after row: (steps in all,)."""
        return moved(self._real, self.device)

    @cached_property
    def _real(self) -> Tensor:
        real = torch.arange(self.actions.shape[1]) < self.steps[:, None]
        return real.flatten().nonzero()[:, 0]

    @cached_property
    def row_of_step(self) -> Tensor:
        """The row of each real step: (steps in all,)."""
        return self.real // self.actions.shape[1]

    @cached_property
    def task_of_step(self) -> Tensor:
        """The task of each real step: (steps in all,)."""
        return moved(self.tasks[self._real // self.actions.shape[1]], self.device)

    @property
    def gold(self) -> Tensor:
        """The gold action of each real step, row after row: (steps in all,)."""
        return self.actions.flatten()[self.real]

    def take(self, rows: NDArray[np.int64] | Tensor | Sequence[int]) -> "Batch":
        """These rows, trimmed to their own longest utterance and derivation."""
        index = torch.as_tensor(rows, dtype=torch.int64)
        on_device = moved(index, self.device)
        lengths, steps = self.lengths[index], self.steps[index]
        length = int(lengths.max()) if len(index) else 1
        step = max(int(steps.max()), 1) if len(index) else 1
        return Batch(
            words=self.words[on_device if self.words.device == self.device else index, :length],
            lengths=lengths,
            slots=self.slots[on_device, :step],
            actions=self.actions[on_device, :step],
            steps=steps,
            tasks=self.tasks[index],
        )

    @property
    def device(self) -> torch.device:
        """What computes on the rows."""
        return self.actions.device

    def to(self, device: torch.device | str, with_words: bool = True) -> "Batch":
        words = self.words.to(device) if with_words else self.words
        slots, actions = self.slots.to(device), self.actions.to(device)
        return Batch(words, self.lengths, slots, actions, self.steps, self.tasks)


def encode_examples(
    examples: Sequence[Example], task: int, vocabulary: Vocabulary, grammar: Grammar
) -> Batch:
    """All rows of task number `task` as one padded batch on the CPU."""
    words = [vocabulary.encode(example.words) for example in examples]
    coded = {
        example.derivation: grammar.encode(example.derivation) or ([], []) for example in examples
    }
    slots = [coded[example.derivation][0] for example in examples]
    actions = [coded[example.derivation][1] for example in examples]
    return Batch(
        words=_padded(words),
        lengths=torch.tensor([len(row) for row in words], dtype=torch.int64),
        slots=_padded(slots),
        actions=_padded(actions),
        steps=torch.tensor([len(row) for row in actions], dtype=torch.int64),
        tasks=torch.full((len(examples),), task, dtype=torch.int64),
    )


def join(batches: Sequence[Batch]) -> Batch:
    """The rows of several batches as one, padded to the longest."""
    if len(batches) == 1:
        return batches[0]

    def stack(name: str) -> Tensor:
        tables = [getattr(batch, name) for batch in batches]
        width = max(table.shape[1] for table in tables)
        pad = torch.nn.functional.pad
        return torch.cat([pad(table, (0, width - table.shape[1])) for table in tables])

    flat = {
        name: torch.cat([getattr(batch, name) for batch in batches])
        for name in ("lengths", "steps", "tasks")
    }
    return Batch(words=stack("words"), slots=stack("slots"), actions=stack("actions"), **flat)


def split_by_length(batch: Batch, size: int) -> list[NDArray[np.int64]]:
    """Row numbers in parts of at most `size`, shortest utterances first: for evaluation."""
    order = np.lexsort((batch.steps.numpy(), batch.lengths.numpy()))
    return [order[i : i + size] for i in range(0, len(order), size)]


def shuffled_parts(batch: Batch, size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Indices of an epoch's batches of at most `size`, drawn freely: each example once.

    The batches differ by one example at most, so that each example has the same weight in its
    step's mean loss, as near as can be; nothing about an example decides who comes with it.
    Examples without steps (forms that the grammar can't write) are left out.
    """
    order = rng.permutation(np.flatnonzero(batch.steps.numpy() > 0))
    return np.array_split(order, max(1, -(-len(order) // size))) if len(order) else []
