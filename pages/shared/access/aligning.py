"""Smatch on a page: what it will take, and the alignment of all pairs of forms that comes first.

Pairs are kept on disk as they are aligned, so whatever follows finds them there: clusters and maps
by Smatch take no longer then than by productions, and what was cancelled goes on where it was.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from core.data.base import Example
from core.language.tree import Node
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.smatch import SmatchSimilarity
from pages.shared.ui.memo import Tell, results
from pages.shared.ui.text import escape

MOST_FORMS = 700  # 244,650 pairs
FAST, SLOW = 100, 16  # pairs a second on one core


def prepare(rows: Sequence[Example], wanted: Iterable[object]) -> Callable[[Tell], None] | None:
    """What `results.computed` has to do first where some of the wanted keys take Smatch of these
    rows: align their forms. None where everything wanted is known.

    Says what it will take; the page ends where that is too much.
    """
    if all(key in results() for key in wanted):
        return None
    forms = distinct_forms(rows)
    count = len(forms)
    pairs = f"{count:,} distinct forms have {pairs_of(count):,} pairs"
    if count > MOST_FORMS:
        st.error(
            escape(
                f"similarity = 'smatch': the task's {pairs}, {duration_of(count)}; a page aligns "
                f"at most {MOST_FORMS} forms. Expected: productions. Runs take Smatch at any size."
            ),
            icon=":material/error:",
        )
        st.stop()
    st.caption(
        f"Smatch: the task's {pairs}. To align them all takes {duration_of(count)} the first time; "
        "they are kept on disk, also those aligned before a click on Cancel."
    )
    return partial(align, forms.trees)


def align(trees: Sequence[Node], tell: Tell) -> None:
    """Align all pairs of these trees that are not on disk yet. OSError where that fails."""

    def progress(done: int, total: int) -> None:
        tell(done / total, f"{done:,} of {total:,} pairs aligned by Smatch …")

    tell(0.0, "Looking for pairs aligned before …")
    all_pairs(SmatchSimilarity(trees, progress=progress))


def pairs_of(count: int) -> int:
    """Pairs of so many forms."""
    return count * (count - 1) // 2


def duration_of(count: int) -> str:
    """How long it takes to align all pairs of so many forms, in words."""
    fast, slow = (pairs_of(count) / rate for rate in (FAST, SLOW))
    for unit, seconds in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if slow >= 2 * seconds:
            return f"{_round(fast / seconds)} to {_round(slow / seconds)} {unit} on one core"
    return f"{_round(fast)} to {_round(slow)} seconds on one core"


def _round(value: float) -> str:
    return f"{value:.1f}" if value < 2 else f"{value:.0f}"
