"""Smatch on a page: what it will take, and the alignment of all pairs of forms that comes first.

Pairs are kept on disk as they are aligned, so whatever follows finds them there: clusters and maps
by Smatch take no longer then than by productions, and what was cancelled goes on where it was.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import streamlit as st

from core.data.base import Example
from core.language.tree import Node
from core.similarity.base import all_pairs, distinct_forms
from core.similarity.smatch import SmatchSimilarity, seconds_a_pair
from pages.shared.ui.memo import Tell, results
from pages.shared.ui.text import escape

MOST_FORMS = 700  # 244,650 pairs


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
    takes = duration_of(count, measured(forms.trees))
    if count > MOST_FORMS:
        st.error(
            escape(
                f"similarity = 'smatch': the task's {pairs}, {takes}; a page aligns "
                f"at most {MOST_FORMS} forms. Expected: productions. Runs take Smatch at any size."
            ),
            icon=":material/error:",
        )
        st.stop()
    st.caption(
        f"Smatch: the task's {pairs}. To align them all takes {takes} the first time; they are "
        "kept on disk, also those aligned before a click on Cancel."
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


def measured(trees: Sequence[Node]) -> float | None:
    """Seconds that a pair of these trees takes, from a few of them; None where that fails."""
    texts = "\n".join(sorted({str(tree) for tree in trees}))
    try:
        return _measured(hashlib.sha256(texts.encode()).hexdigest(), trees)
    except OSError:  # whoever aligns them will say why
        return None


@st.cache_data(show_spinner="Timing a few pairs …", max_entries=64)
def _measured(key: str, _trees: Sequence[Node]) -> float:
    return seconds_a_pair(_trees)


def duration_of(count: int, seconds_each: float | None) -> str:
    """How long it takes to align all pairs of so many forms, in words."""
    if seconds_each is None:
        return "a time not known"
    seconds = pairs_of(count) * seconds_each
    basis = f"on one core, at {1000 * seconds_each:.0f} ms a pair as measured on a few of them"
    for unit, size in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"about {_round(seconds / size)} {unit} {basis}"
    return f"about {_round(seconds)} seconds {basis}"


def _round(value: float) -> str:
    return f"{value:.1f}" if value < 2 else f"{value:.0f}"
