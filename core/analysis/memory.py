"""What memories keep of a task: entropy and coverage, overlap, stability, actions, the search.

A memory is some training rows of a task. The entropy is that of its action counts (paper, §4.2),
by frequency (every occurrence counts) or by presence (each row counts an action once); coverage is
of the task's distinct actions, slots, logical forms and clusters of forms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import sparse
from scipy.special import entr

from core.data.base import Example
from core.samplers.parts.action_counts import ActionCounts, count_actions
from core.similarity.base import Forms, distinct_forms
from core.similarity.clusters import ClusterOptions, cluster_forms

COUNTS = ("frequency", "presence")
COVERED = ("actions", "slots", "forms", "clusters")


@dataclass(frozen=True)
class Kept:
    """A memory: the rows kept, under a label that seeds share, with the sampler's trace; of a
    stored one, the run and after which task (from 0).
    """

    label: str
    seed: int
    rows: tuple[int, ...]
    trace: Mapping[str, Any] = field(default_factory=dict)
    run: int | None = None
    task: int = 0

    @property
    def name(self) -> str:
        return f"{self.label}, seed {self.seed}"


@dataclass(frozen=True, eq=False)
class TaskRows:
    """A task's training rows as memories are held against them."""

    examples: Sequence[Example]
    forms: Forms
    counts: Mapping[str, ActionCounts]  # of each form, by COUNTS
    slots: sparse.csr_array  # (forms, slots): 1 where the form fills the slot
    clusters: npt.NDArray[Any]  # (forms,) cluster of each form, the same for all memories

    def everything(self) -> Kept:
        """The task as if it were a memory."""
        return Kept("whole task", 0, tuple(range(len(self.examples))))


@dataclass(frozen=True)
class Memories:
    """Memories of one task, and the task's rows, in at most k clusters, to hold them against."""

    task: TaskRows
    kept: tuple[Kept, ...]
    k: int


def read_task(
    examples: Sequence[Example], k: int, options: ClusterOptions | None = None
) -> TaskRows:
    """The rows with their forms in min(k, forms) clusters, always drawn with the same seed.

    MemoryError where the distances of the forms don't fit.
    """
    forms = distinct_forms(examples)
    steps = [examples[row].derivation for row in forms.first_rows]
    clusters = cluster_forms(forms, k, options or ClusterOptions(), np.random.default_rng(0))
    counts = {kind: count_actions(steps, kind) for kind in COUNTS}
    return TaskRows(examples, forms, counts, _slots(steps), clusters.labels)


def _slots(derivations: Sequence[Sequence[Any]]) -> sparse.csr_array:
    numbers: dict[Any, int] = {}
    indices: list[int] = []
    ends = [0]
    for steps in derivations:
        slots = dict.fromkeys(step.slot for step in steps)
        indices.extend(numbers.setdefault(slot, len(numbers)) for slot in slots)
        ends.append(len(indices))
    shape = (len(derivations), len(numbers))
    return sparse.csr_array((np.ones(len(indices), np.int64), indices, ends), shape=shape)


def action_totals(task: TaskRows, rows: Sequence[int], kind: str) -> npt.NDArray[Any]:
    """How often the rows perform each action of the task: (actions,)."""
    return np.asarray(task.counts[kind].table[task.forms.of_row[list(rows)]].sum(axis=0))


def entropy(counts: npt.NDArray[Any]) -> float:
    """Of the distribution that the counts make, in nats; 0 for no counts."""
    return float(entr(counts / counts.sum()).sum()) if counts.sum() else 0.0


def measurements(task: TaskRows, memories: Sequence[Kept]) -> pd.DataFrame:
    """A row for each memory: label, seed, rows, `entropy_<kind>` in nats, and for each of COVERED
    how many it holds and `<name>_share`, of all that the task's training rows hold.
    """
    totals = {
        "actions": len(task.counts["presence"].actions),
        "slots": task.slots.shape[1],
        "forms": len(task.forms),
        "clusters": len(np.unique(task.clusters)),
    }
    table = []
    for memory in memories:
        forms = task.forms.of_row[list(memory.rows)]
        row: dict[str, Any] = {"label": memory.label, "seed": memory.seed, "rows": len(forms)}
        totalled = {kind: action_totals(task, memory.rows, kind) for kind in COUNTS}
        row |= {f"entropy_{kind}": entropy(totalled[kind]) for kind in COUNTS}
        row["actions"] = int((totalled["presence"] > 0).sum())
        row["slots"] = int((task.slots[forms].sum(axis=0) > 0).sum())
        row["forms"] = len(np.unique(forms))
        row["clusters"] = len(np.unique(task.clusters[forms]))
        row |= {f"{name}_share": row[name] / totals[name] for name in COVERED}
        table.append(row)
    return pd.DataFrame(table)


def overlap(memories: Sequence[Kept]) -> pd.DataFrame:
    """How far each two memories agree: left, right (positions), shared rows, Jaccard's index
    |A ∩ B| / |A ∪ B|; both orders and each with itself.
    """
    size = 1 + max((max(memory.rows, default=0) for memory in memories), default=0)
    held = np.zeros((len(memories), size), dtype=np.float32)
    for position, memory in enumerate(memories):
        held[position, list(memory.rows)] = 1
    shared = (held @ held.T).astype(np.int64)
    counts = np.diag(shared)
    union = counts[:, None] + counts - shared
    jaccard = np.where(union > 0, shared / np.maximum(union, 1), 1.0)
    left, right = (part.ravel() for part in np.indices(shared.shape))
    columns = {"left": left, "right": right, "shared": shared.ravel(), "jaccard": jaccard.ravel()}
    return pd.DataFrame(columns)


def stability(memories: Sequence[Kept], measured: pd.DataFrame) -> pd.DataFrame:
    """How much a sampler's choice depends on the seed: a row for each label.

    Columns: label, seeds, jaccard (mean over pairs of seeds; missing for one seed), lowest,
    always (rows that every seed keeps), ever (rows that any keeps), and mean and `_deviation` (of
    the sample) of both entropies. `measured` is `measurements` of the same memories.
    """
    pairs = overlap(memories)
    labels = np.array([memory.label for memory in memories])
    table = []
    for label in dict.fromkeys(labels):
        positions = np.flatnonzero(labels == label)
        same = pairs.left.isin(positions) & pairs.right.isin(positions)
        mine = pairs[same & (pairs.left < pairs.right)]
        kept = [set(memories[position].rows) for position in positions]
        row = {"label": label, "seeds": len(positions)}
        row |= {"jaccard": mine.jaccard.mean(), "lowest": mine.jaccard.min()}
        row |= {"always": len(set.intersection(*kept)), "ever": len(set.union(*kept))}
        for kind in COUNTS:
            values = measured[f"entropy_{kind}"].iloc[positions]
            row[f"entropy_{kind}"] = values.mean()
            row[f"entropy_{kind}_deviation"] = values.std(ddof=1)
        table.append(row)
    return pd.DataFrame(table)


def histogram(task: TaskRows, memories: Sequence[Kept], kind: str) -> pd.DataFrame:
    """The task's actions, the commonest first, and their share in memories of each label.

    Columns: rank (from 1), action, label, count (mean over the seeds), share (of the counts of
    that memory). The label of the whole task comes first.
    """
    actions = [str(action) for action in task.counts[kind].actions]
    whole = task.everything()
    order = np.argsort(-action_totals(task, whole.rows, kind), kind="stable")
    parts = []
    for label in dict.fromkeys([whole.label, *(memory.label for memory in memories)]):
        same = [memory for memory in (whole, *memories) if memory.label == label]
        counts = np.array([action_totals(task, memory.rows, kind) for memory in same], dtype=float)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        columns = {
            "rank": np.arange(1, len(order) + 1),
            "action": [actions[number] for number in order],
            "label": label,
            "count": counts.mean(axis=0)[order],
            "share": shares.mean(axis=0)[order],
        }
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)
