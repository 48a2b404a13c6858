"""The parts of an epoch's loss: summed where they are computed, read now and then.

Reading a number waits for the device. On a CPU that is nothing, and each step's is read; on a GPU
the steps go on in the meantime.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

READ_EVERY = 25  # steps, on a GPU


class EpochLosses:
    """`current` is a mean over the current task's examples, other parts are means over steps."""

    def __init__(self, device: torch.device) -> None:
        self.every = 1 if device.type == "cpu" else READ_EVERY
        self.n_current, self.n_steps = 0, 0
        zero = torch.zeros((), dtype=torch.float64, device=device)
        self._sums: dict[str, Tensor] = {"current": zero}

    def add(self, parts: Mapping[str, Tensor], n_current: int) -> None:
        """A step's parts, and how many of its examples are the current task's."""
        for name, part in parts.items():
            value = part.detach().double() * (n_current if name == "current" else 1)
            self._sums[name] = self._sums[name] + value if name in self._sums else value
        self.n_current += n_current
        self.n_steps += 1

    @property
    def due(self) -> bool:
        """Whether it is time to read."""
        return self.n_steps % self.every == 0

    def means(self) -> dict[str, float]:
        """The epoch's parts so far, in one copy; not finite once a step's were not."""
        sums = torch.stack(list(self._sums.values())).tolist()
        counts = {"current": self.n_current}
        return {
            name: total / max(counts.get(name, self.n_steps), 1)
            for name, total in zip(self._sums, sums, strict=True)
        }
