"""The grammar that training data induce: which actions fill which slots (the paper's A_t).

A_t, the applicable actions of step t, are those seen to fill its slot in the training data of the
tasks known so far; or, as in the paper's release, all known actions of the kinds (task-specific or
cross-task) that are seen to fill it, with no look at the slot's type.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.language.derivation import HOLE, ROOT, Action, Rule, Slot, expansion
from core.language.tree import Node

NEVER = np.iinfo(np.int16).max  # `first_task` of a (slot, action) that no training row shows


class Grammar:
    """Slots, actions and which fills which since which task, from training derivations.

    `derivations[k]` are the derivations of task k's training rows, repeated rows repeated.
    Tables: `first_task` (slots, actions) the first task that shows the pair, NEVER where none does;
    `counts` (tasks, actions) occurrences in each task's training rows. `longest`: steps of the
    longest derivation.

    `applicable` says what A_t is. `slot`: the actions shown in the slot. `type`: a slot that
    task-specific actions fill takes any of these, one that cross-task actions fill any of those,
    and one that both fill takes both. (The release's grammar files say which of the two a child
    is, so that it has a softmax for each.) `first_task` then tells of each pair the first task
    after which it is applicable. What a pair was applicable for, it stays applicable for in the
    data that showed it; other pairs may cease to be, where a task-specific action becomes
    cross-task.
    """

    def __init__(
        self, derivations: Sequence[Sequence[tuple[Rule, ...]]], applicable: str = "slot"
    ) -> None:
        self.by_kind = applicable == "type"
        self.slot_ids: dict[Slot, int] = {ROOT: 0}
        self.action_ids: dict[Action, int] = {}
        firsts: dict[tuple[int, int], int] = {}
        occurrences: dict[tuple[int, int], int] = {}
        for k, rows in enumerate(derivations):
            steps = [step for row in rows for step in row]
            times = Counter(map(id, steps))  # equal steps are few objects, and hashing is slow
            for step in {id(step): step for step in steps}.values():
                slot = self.slot_ids.setdefault(step.slot, len(self.slot_ids))
                action = self.action_ids.setdefault(step.action, len(self.action_ids))
                firsts.setdefault((slot, action), k)
                occurrences[k, action] = occurrences.get((k, action), 0) + times[id(step)]
        for shown in self.action_ids:
            for opened in shown.slots:
                self.slot_ids.setdefault(opened, len(self.slot_ids))
        self.longest = max((len(steps) for rows in derivations for steps in rows), default=0)
        self.slots: tuple[Slot, ...] = tuple(self.slot_ids)
        self.actions: tuple[Action, ...] = tuple(self.action_ids)
        self.first_task = np.full((len(self.slots), len(self.actions)), NEVER, dtype=np.int16)
        for (slot, action), k in firsts.items():
            self.first_task[slot, action] = k
        self.counts = np.zeros((len(derivations), len(self.actions)), dtype=np.int64)
        for (k, action), count in occurrences.items():
            self.counts[k, action] = count
        self._shown_since = self.first_task  # (slots, actions), whatever is applicable
        if self.by_kind:
            self.first_task = np.full_like(self._shown_since, NEVER)
            for k in reversed(range(len(derivations))):
                self.first_task[self.fills(k)] = k

    def applicable(self, slot: Slot, k: int) -> tuple[Action, ...]:
        """A_t for a slot once tasks 0 … k are known."""
        row = self.fills(k)[self.slot_ids[slot]]
        return tuple(self.actions[i] for i in np.flatnonzero(row))

    def fills(self, k: int) -> npt.NDArray[np.bool_]:
        """A_t of every slot once tasks 0 … k are known: (slots, actions) of bool."""
        shown: npt.NDArray[np.bool_] = self._shown_since <= k
        if not self.by_kind:
            return shown
        specific: npt.NDArray[np.bool_] = self.specific_to(k).any(axis=0)
        cross = self.known(k) & ~specific
        filled: npt.NDArray[np.bool_] = (shown & specific).any(axis=1)[:, None] & specific
        filled |= (shown & cross).any(axis=1)[:, None] & cross
        return filled

    def foreign(self, k: int) -> npt.NDArray[np.bool_]:
        """(k + 1, actions) of bool: which actions task masking takes from A_t of each task.

        Those specific to another task; by kind also cross-task ones not known when the task was
        learned.
        """
        specific = self.specific_to(k)
        foreign: npt.NDArray[np.bool_] = specific.any(axis=0) & ~specific
        if self.by_kind:
            first = (self.counts > 0).argmax(axis=0)  # the task that shows each action first
            later = first > np.arange(k + 1)[:, None]
            foreign = foreign | (later & ~specific.any(axis=0))
        return foreign

    def known(self, k: int) -> npt.NDArray[np.bool_]:
        """Which actions tasks 0 … k have shown: (actions,) of bool; none for k = -1."""
        known: npt.NDArray[np.bool_] = self.counts[: k + 1].sum(axis=0) > 0
        return known

    def unseen(self, k: int) -> npt.NDArray[np.bool_]:
        """A_u of task k: its actions that no earlier task has shown, (actions,) of bool."""
        unseen: npt.NDArray[np.bool_] = (self.counts[k] > 0) & ~self.known(k - 1)
        return unseen

    def specific_to(self, k: int) -> npt.NDArray[np.bool_]:
        """(k + 1, actions) of bool: which actions one task alone of 0 … k has shown, and which."""
        shown = self.counts[: k + 1] > 0
        specific: npt.NDArray[np.bool_] = shown & (shown.sum(axis=0) == 1)
        return specific

    def encode(self, steps: Sequence[Rule]) -> tuple[list[int], list[int]] | None:
        """Slot and action numbers of a derivation; None where training shows no such pair."""
        slots, actions = [], []
        for step in steps:
            slot, action = self.slot_ids.get(step.slot), self.action_ids.get(step.action)
            if slot is None or action is None or self.first_task[slot, action] == NEVER:
                return None
            slots.append(slot)
            actions.append(action)
        return slots, actions

    def writes_one_way(self, steps: Sequence[Rule]) -> bool:
        """Whether no other sequence of actions writes the form of a derivation without idioms.

        Only a ground fragment can be written otherwise: its label first, then leaf after leaf.
        """
        return not any(self._splits(step.action.fragment) for step in steps)

    def _splits(self, fragment: Node) -> bool:
        leaves = fragment.children
        if not leaves or any(leaf is HOLE for leaf in leaves):
            return False
        label = expansion(fragment.label, len(leaves), fragment.notation)
        if label not in self.action_ids:
            return False
        steps = [Rule(slot, Action(leaf)) for slot, leaf in zip(label.slots, leaves, strict=True)]
        return self.encode(steps) is not None

    def first_writable_task(self, steps: Sequence[Rule]) -> int:
        """The first task after which every step is applicable; NEVER where none is."""
        encoded = self.encode(steps)
        if encoded is None:
            return int(NEVER)
        return int(
            max(self.first_task[slot, action] for slot, action in zip(*encoded, strict=True))
        )
