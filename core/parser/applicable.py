"""A_t, the applicable actions of a step: those that fill its slot in the tasks known so far."""

from functools import cached_property

import torch
from torch import Tensor

from core.language.grammar import Grammar

MASKED = -1e30  # added to the score of an action outside A_t: its probability is exactly 0


class ApplicableActions:
    """A_t of every slot with tasks 0 … k known, as a bias on scores and as lists of actions.

    With `by_task` without those that are foreign to an example's task (Grammar.foreign).
    """

    def __init__(
        self, outside: Tensor, foreign: Tensor | None, device: torch.device | str = "cpu"
    ) -> None:
        """Which actions do not fill a slot (slots, actions), and which are foreign to a task."""

        def bias(masked: Tensor) -> Tensor:  # 0 in A_t, MASKED outside
            return torch.zeros(masked.shape).masked_fill_(masked, MASKED).to(device)

        self.slot_bias = bias(outside)  # (slots, actions)
        self.task_bias = None if foreign is None else bias(foreign)  # (tasks, actions)
        self._of_task: dict[tuple[int, int], Tensor] = {}

    @classmethod
    def of(
        cls, grammar: Grammar, k: int, by_task: bool, device: torch.device | str
    ) -> "ApplicableActions":
        """With tasks 0 … k of the grammar known."""
        outside = torch.from_numpy(~grammar.fills(k))
        foreign = torch.from_numpy(grammar.foreign(k)) if by_task else None
        return cls(outside, foreign, device)

    def bias(self, slots: Tensor, tasks: Tensor) -> Tensor:
        """0 for the actions of A_t, MASKED for the others: (n,) and (n,) → (n, actions)."""
        bias = self.slot_bias.index_select(0, slots)
        if self.task_bias is None:
            return bias
        return (bias + self.task_bias.index_select(0, tasks)).clamp_(min=MASKED)

    @cached_property
    def actions(self) -> tuple[Tensor, ...]:
        """The actions that fill each slot, whatever the task: on the device of the bias."""
        return tuple(row.nonzero()[:, 0] for row in self.slot_bias == 0)

    def of_task(self, slot: int, task: int) -> Tensor:
        """A_t of one step: the actions that fill the slot in examples of the task."""
        if (slot, task) not in self._of_task:
            actions = self.actions[slot]
            if self.task_bias is not None:
                actions = actions[self.task_bias[task, actions] == 0]
            self._of_task[slot, task] = actions
        return self._of_task[slot, task]

    @cached_property
    def sizes(self) -> Tensor:
        """How many these are: (slots,) on the CPU."""
        return (self.slot_bias == 0).sum(dim=1).cpu()

    @cached_property
    def position(self) -> Tensor:
        """Where each action stands among those of a slot, −1 outside them: (slots, actions)."""
        inside = self.slot_bias == 0
        return torch.where(inside, inside.cumsum(dim=1) - 1, -1)

    def among(self, slot: int, tasks: Tensor) -> Tensor | None:
        """The bias of `tasks` (n,) on the slot's actions (n, A_t); None where there is none."""
        if self.task_bias is None:
            return None
        return self.task_bias.index_select(1, self.actions[slot]).index_select(0, tasks)

    def by_slot_pays(self, slots: Tensor) -> bool:
        """Whether scoring these steps slot by slot, over A_t alone, beats scoring all actions.

        Only on a CPU: a GPU takes one large product sooner than many small ones. A slot costs some
        calls, as long as scoring _SLOT actions.
        """
        if slots.device.type != "cpu":
            return False
        counts = torch.bincount(slots, minlength=len(self.sizes))
        scored = int((counts * self.sizes).sum()) + _SLOT * int((counts > 0).sum())
        return scored < len(slots) * self.slot_bias.shape[1]


_SLOT = 6000  # measured with the paper's sizes
