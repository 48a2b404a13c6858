"""DLFS, diversified logical form selection (Li et al., 2021, §4.2 and Algorithm 3).

The distinct forms fall into M clusters, each gives one row, and the rows are exchanged within their
clusters for as long as that raises the entropy H of the memory's action counts.

Algorithm 3 goes on through a cluster after a replacement. What has been replaced is the cluster's
own row, so the rest of the memory stays and the walk ends at the cluster's best row: `best`. The
option `first` takes the first row that raises H and goes on to the next cluster.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.data.base import Example
from core.options import option
from core.registry import samplers
from core.samplers.base import Selection
from core.samplers.parts.action_counts import (
    MIN_GAIN,
    ActionCounts,
    Candidates,
    Mixture,
    candidates,
    count_actions,
    draw_actions,
    fill_by_entropy,
)
from core.similarity.base import Forms, distinct_forms
from core.similarity.clusters import Clustering, ClusterOptions, cluster_forms
from core.stopping import ShouldStop, never


@dataclass(frozen=True)
class DLFSOptions(ClusterOptions):
    """How DLFS counts and searches."""

    action_counts: str = option(
        "frequency",
        "what H counts: every occurrence of an action (paper) or the rows that have it (release)",
        choices=("frequency", "presence"),
        label="Entropy counts",
    )
    acceptance: str = option(
        "best",
        "the row that replaces a cluster's: the one that raises H most (Algorithm 3, release) or "
        "the first that raises it",
        choices=("best", "first"),
        label="A row is replaced by",
    )
    initial: str = option(
        "random",
        "the row that each cluster starts from: any (paper) or its last (release)",
        choices=("random", "last"),
        label="Clusters start from",
    )
    h: int = option(
        0,
        "H over this many actions only, drawn by frequency; 0: all (paper: 300 on NLMap(city), "
        "500 on NLMap(qt))",
        low=0,
        high=1_000_000,
        label="Actions drawn (h)",
    )


@samplers.register("dlfs", label="DLFS", options=DLFSOptions, rank=0)
def dlfs(
    examples: Sequence[Example],
    size: int,
    options: DLFSOptions,
    rng: np.random.Generator,
    parser: Any = None,
    should_stop: ShouldStop = never,
) -> Selection:
    """One row of each cluster of logical forms, such that the memory's actions are balanced.

    Row i of the selection belongs to cluster i. With fewer distinct forms than `size` every form
    has its row, and the row that raises H most is added until there are enough.
    """
    forms = distinct_forms(examples)
    counts = count_actions(
        [examples[row].derivation for row in forms.first_rows], options.action_counts
    )
    return diversify(forms, counts, size, options, rng, should_stop)


def diversify(
    forms: Forms,
    every: ActionCounts,
    size: int,
    options: DLFSOptions,
    rng: np.random.Generator,
    should_stop: ShouldStop = never,
) -> Selection:
    """DLFS's choice of `size` rows of these forms where H is that of these counts of each form."""
    counts = draw_actions(every, forms.multiplicities, options.h, rng)
    clustering = cluster_forms(forms, size, options, rng, should_stop)
    search = _Search(forms, counts, clustering)
    search.start(options.initial, rng)
    while search.sweep(options.acceptance):
        pass
    search.fill(size)
    trace = search.trace()
    if counts is not every:
        trace["actions"] = [str(action) for action in counts.actions]
    return Selection(tuple(search.memory), trace)


@dataclass
class _Search:
    """A memory with one row of each cluster, its action counts, and what became of it."""

    forms: Forms
    counts: ActionCounts
    clustering: Clustering
    memory: list[int] = field(default_factory=list)  # rows
    entropy: list[float] = field(default_factory=list)
    sweeps: list[float] = field(default_factory=list)
    swaps: list[dict[str, Any]] = field(default_factory=list)
    filled: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mixture = Mixture(self.counts)
        order = np.argsort(self.clustering.labels, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(self.clustering.labels))[:-1])
        self.clusters: list[Candidates] = [candidates(self.counts, forms) for forms in members]

    def start(self, initial: str, rng: np.random.Generator) -> None:
        """A random row of each cluster, or the last."""
        rows_of = self.forms.rows()
        for cluster in self.clusters:
            rows = np.sort(np.concatenate([rows_of[form] for form in cluster.forms]))
            self.memory.append(int(rows[-1] if initial == "last" else rng.choice(rows)))
            self.mixture.add(self.forms.of_row[self.memory[-1]])
        self.entropy.append(self.mixture.entropy)

    def sweep(self, acceptance: str) -> bool:
        """Visit each cluster once; whether H is higher for it."""
        for number, cluster in enumerate(self.clusters):
            current = int(self.forms.of_row[self.memory[number]])
            self.mixture.remove(current)
            raised = self.mixture.entropy_with(cluster) - self.entropy[-1]  # H'_c − H_c
            best = int((raised > MIN_GAIN if acceptance == "first" else raised).argmax())
            raises = raised[best] > MIN_GAIN
            self.mixture.add(int(cluster.forms[best]) if raises else current)
            if raises:
                self._record(number, int(self.forms.first_rows[cluster.forms[best]]))
        self.sweeps.append(self.entropy[-1])
        before = self.sweeps[-2] if len(self.sweeps) > 1 else self.entropy[0]
        return self.sweeps[-1] > before

    def _record(self, cluster: int, row: int) -> None:
        self.entropy.append(self.mixture.entropy)
        self.swaps.append(
            {
                "sweep": len(self.sweeps),
                "cluster": cluster,
                "row_out": self.memory[cluster],
                "row_in": row,
                "entropy": self.entropy[-1],
            }
        )
        self.memory[cluster] = row

    def fill(self, size: int) -> None:
        """Rows of any cluster until there are `size`, each the one that leaves H highest."""
        rows, taken = self.forms.rows(), set(self.memory)
        missing = size - len(self.memory)
        for row, entropy in fill_by_entropy(self.mixture, self.counts, rows, taken, missing):
            self.memory.append(row)
            self.filled.append({"row": row, "entropy": entropy})

    def trace(self) -> dict[str, Any]:
        return {
            "clusters": self.clustering.labels.tolist(),
            "medoids": self.clustering.medoids.tolist(),
            "entropy": self.entropy,
            "sweeps": self.sweeps,
            "swaps": self.swaps,
            "filled": self.filled,
        }
