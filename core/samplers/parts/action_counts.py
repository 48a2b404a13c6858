"""The action counts of a memory and their entropy, updated row by row (paper, §4.2).

With n_a the count of action a and N the sum of the counts, H = −Σ (n_a/N) ln (n_a/N)
= ln N − S/N, where S = Σ n_a ln n_a. A row more changes S only at the row's own actions, so the
entropy after each of many candidates takes one pass over the candidates' actions.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import xlogy

from core.language.derivation import Action, Rule

MIN_GAIN = 1e-12  # nats: less is rounding


@dataclass(frozen=True, eq=False)
class ActionCounts:
    """How often each of some forms performs each action."""

    actions: tuple[Action, ...]
    table: sparse.csr_array  # (forms, actions) of int64

    def __len__(self) -> int:
        return int(self.table.shape[0])


def count_actions(derivations: Sequence[Sequence[Rule]], kind: str) -> ActionCounts:
    """The counts of these derivations; `kind` is frequency, or presence: 1 however often."""
    numbers: dict[Action, int] = {}
    indices: list[int] = []
    data: list[int] = []
    ends = [0]
    for steps in derivations:
        for action, count in Counter(step.action for step in steps).items():
            indices.append(numbers.setdefault(action, len(numbers)))
            data.append(count if kind == "frequency" else 1)
        ends.append(len(indices))
    shape = (len(derivations), len(numbers))
    table = sparse.csr_array((np.array(data, dtype=np.int64), indices, ends), shape=shape)
    return ActionCounts(tuple(numbers), table)


def draw_actions(
    counts: ActionCounts, multiplicities: NDArray[Any], h: int, rng: np.random.Generator
) -> ActionCounts:
    """The counts of h actions drawn without replacement, in proportion to their count over all
    rows (A' in the paper); of all actions where h is 0 or not less than there are.
    """
    if not 0 < h < len(counts.actions):
        return counts
    totals = (multiplicities @ counts.table).astype(float)
    drawn = np.sort(rng.choice(len(totals), size=h, replace=False, p=totals / totals.sum()))
    return ActionCounts(tuple(counts.actions[a] for a in drawn), counts.table[:, drawn])


@dataclass(frozen=True, eq=False)
class Candidates:
    """Some forms whose addition to a memory is weighed at once."""

    forms: NDArray[Any]  # (candidates,)
    of_entry: NDArray[Any]  # (entries,) position in `forms`
    action: NDArray[Any]  # (entries,)
    count: NDArray[Any]  # (entries,)
    sizes: NDArray[Any]  # (candidates,) sum of each one's counts


def candidates(counts: ActionCounts, forms: NDArray[Any]) -> Candidates:
    """These forms with their action counts."""
    part = counts.table[forms]
    lengths = np.diff(part.indptr)
    of_entry = np.repeat(np.arange(len(forms)), lengths)
    return Candidates(forms, of_entry, part.indices, part.data, part.sum(axis=1))


class Mixture:
    """The action counts of the rows in a memory, and the entropy of their distribution."""

    def __init__(self, counts: ActionCounts) -> None:
        self._table = counts.table
        self.counts = np.zeros(counts.table.shape[1], dtype=np.int64)  # (actions,)

    def add(self, form: int) -> None:
        """A row of this form more."""
        self._shift(form, 1)

    def remove(self, form: int) -> None:
        """A row of this form less."""
        self._shift(form, -1)

    def _shift(self, form: int, sign: int) -> None:
        entries = slice(self._table.indptr[form], self._table.indptr[form + 1])
        self.counts[self._table.indices[entries]] += sign * self._table.data[entries]

    @property
    def entropy(self) -> float:
        """In nats; 0 for no rows."""
        total = self.counts.sum()
        return float(_entropy(total, xlogy(self.counts, self.counts).sum()))

    def entropy_with(self, others: Candidates) -> NDArray[Any]:
        """The entropy after one candidate more, for each: (candidates,), in nats."""
        before = self.counts[others.action]
        after = before + others.count
        change = np.bincount(
            others.of_entry,
            weights=xlogy(after, after) - xlogy(before, before),
            minlength=len(others.forms),
        )
        total = self.counts.sum() + others.sizes
        return _entropy(total, xlogy(self.counts, self.counts).sum() + change)


def _entropy(total: NDArray[Any], s: NDArray[Any]) -> NDArray[Any]:
    some = np.maximum(total, 1)  # no counts at all: S = 0 and H = 0
    entropy: NDArray[Any] = np.log(some) - s / some
    return entropy


def fill_by_entropy(
    mixture: Mixture, counts: ActionCounts, rows: Sequence[NDArray[Any]], taken: set[int], size: int
) -> Iterator[tuple[int, float]]:
    """Rows not yet taken, `size` of them, each the one that raises the entropy most.

    `rows` are the row numbers of each form. Adds to `mixture` and to `taken`; gives each row and
    the entropy with it. Among equals the row that comes first is taken.
    """
    free = [[row for row in of_form.tolist() if row not in taken] for of_form in rows]
    every = candidates(counts, np.arange(len(counts)))
    open_forms = np.array([bool(left) for left in free])
    for _ in range(size):
        entropies = np.where(open_forms, mixture.entropy_with(every), -np.inf)
        form = int(entropies.argmax())
        row = free[form].pop(0)
        open_forms[form] = bool(free[form])
        taken.add(row)
        mixture.add(form)
        yield row, mixture.entropy
