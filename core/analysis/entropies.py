"""Action entropies of memories, and the values that they are held against.

EXPECTED is not from the paper, which prints no such numbers: it is what an earlier trial of these
samplers gave (notes §5). That trial told actions apart in another way, which is not on record; of
the ways that were tried, `by_parent` comes closest to its values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.analysis.memory import entropy
from core.data.base import Example
from core.language.grammar import Action, Rule
from core.language.tree import Node
from core.registry import samplers
from core.samplers.balance import even_out
from core.samplers.dlfs import DLFSOptions, diversify
from core.samplers.parts.action_counts import count_actions
from core.similarity.base import distinct_forms

SAMPLERS = {"random": "Random", "lfs": "LFS", "dlfs": "DLFS", "balance": "Balance"}
COUNTED = ("actions", "by parent")


@dataclass(frozen=True)
class Case:
    """A task, the h that the paper gives DLFS there (0: none), what random, LFS, DLFS are to be."""

    dataset: str
    task: str
    h: int
    expected: tuple[float, float, float]  # nats


SIZE = 50  # rows of each memory
EXPECTED = (  # notes §5, presence counts
    Case("overnight", "calendar", 0, (3.33, 3.45, 3.50)),
    Case("overnight", "blocks", 0, (3.27, 3.29, 3.39)),
    Case("overnight", "restaurants", 0, (3.23, 3.45, 3.54)),
    Case("overnight", "socialnetwork", 0, (3.60, 3.72, 3.85)),
    Case("nlmap_city", "task0", 300, (3.56, 3.70, 4.10)),
)


def by_parent(steps: Sequence[Rule]) -> list[Rule]:
    """The steps, each ground fragment wrapped in the label of the node that it hangs under."""
    found = []
    for step in steps:
        action = step.action
        if not action.slots:
            action = Action(Node(step.slot.parent or "", (action.fragment,)))
        found.append(Rule(step.slot, action))
    return found


def measure(
    examples: Sequence[Example], size: int, seeds: Sequence[int], counted: str, h: int = 0
) -> pd.DataFrame:
    """Entropy (nats, presence counts) of the memory that each sampler keeps with each seed.

    `counted` is one of COUNTED. A row for each of SAMPLERS: sampler, mean, deviation (of the
    sample; NaN for one seed), n. DLFS and Balance search for the entropy that is measured, DLFS
    over `h` drawn actions where h is not 0. Balance draws nothing and is measured once.
    """
    forms = distinct_forms(examples)
    steps = [examples[row].derivation for row in forms.first_rows]
    if counted == "by parent":
        steps = [by_parent(each) for each in steps]
    counts = count_actions(steps, "presence")

    def keep(sampler: str, rng: np.random.Generator) -> Sequence[int]:
        if sampler == "dlfs":
            options = DLFSOptions(action_counts="presence", h=h)
            return diversify(forms, counts, size, options, rng).indices
        if sampler == "balance":
            return even_out(forms, counts, size).indices
        entry = samplers[sampler]
        return entry.value(examples, size, entry.options(), rng, None).indices

    found = []
    for sampler in SAMPLERS:
        drawn = seeds[:1] if sampler == "balance" else seeds
        kept = [keep(sampler, np.random.default_rng(seed)) for seed in drawn]
        tables = [counts.table[forms.of_row[list(rows)]] for rows in kept]
        values = pd.Series([entropy(np.asarray(table.sum(axis=0))) for table in tables])
        row = {"sampler": sampler, "mean": values.mean(), "deviation": values.std(ddof=1)}
        found.append(row | {"n": len(values)})
    return pd.DataFrame(found)
