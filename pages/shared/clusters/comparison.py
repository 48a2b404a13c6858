"""Productions beside Smatch, computed in a thread that belongs to the process and can be stopped.

Smatch itself runs in processes of its own (core.similarity.smatch); the thread waits for them.
"""

import math
import threading
from typing import Any

import streamlit as st

from core.analysis.similarity_comparison import SimilarityComparison, compare, sample_forms
from core.charts.clusters import similarity_comparison
from core.language.tree import Node
from core.stopping import Stopped
from pages.shared.access.aligning import duration_of, measured, pairs_of
from pages.shared.clusters.page import Shown
from pages.shared.ui.figures import present
from pages.shared.ui.opening import live
from pages.shared.ui.text import escape
from pages.shared.ui.widgets import number

FORMS = 40  # compared unless told otherwise: 780 pairs, under a minute
MOST_FORMS = 400
EVERY = 1.5  # seconds between two looks


class Comparison:
    """One comparison on its way: how far it is, and how it ended. Touches no Streamlit."""

    def __init__(self, trees: list[Node], forms: Any, k: int, seed: int) -> None:
        self.done, self.total = 0, 0
        self.result: SimilarityComparison | None = None
        self.error = ""
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._compare, args=(trees, forms, k, seed), name="comparison", daemon=True
        )
        self._thread.start()

    @property
    def under_way(self) -> bool:
        return self._thread.is_alive()

    def wait(self, seconds: float) -> bool:
        """Wait for its end, so long at most; whether it has ended."""
        self._thread.join(seconds)
        return not self.under_way

    def cancel(self) -> None:
        """End it within a message of pairs; what is aligned stays on disk."""
        self._stop.set()

    def _compare(self, trees: list[Node], forms: Any, k: int, seed: int) -> None:
        try:
            self.result = compare(
                trees, forms, k, seed, progress=self._tell, should_stop=self._stop.is_set
            )
        except Stopped:
            return
        except (OSError, ValueError) as error:
            self.error = str(error)

    def _tell(self, done: int, total: int) -> None:
        self.done, self.total = done, total


@st.cache_resource
def comparisons() -> dict[tuple[str, int], Comparison]:
    """The process's comparisons, by what they compare."""
    return {}


def draw_comparison(shown: Shown) -> None:
    """Choose how many forms; then the button, the progress, or the result."""
    count = len(shown.map.forms)
    most = min(MOST_FORMS, count)
    if count < 3:
        st.info("It takes three distinct forms to compare similarities; this task has fewer.")
        return
    size = number("compared", "Forms to compare", min(FORMS, most), 2, most)
    drawn = "" if size == count else f" drawn of {count:,}"
    st.caption(
        f"{size} forms{drawn}: {pairs_of(size):,} pairs. To align them by Smatch takes "
        f"{duration_of(size, measured(shown.map.forms.trees))} the first time; it is kept on disk."
    )
    what = (shown.key, size)
    under_way = what in comparisons() and comparisons()[what].under_way
    live(EVERY if under_way else None)(_follow)(shown, what)


def _follow(shown: Shown, what: tuple[str, int]) -> None:
    """The comparison as it stands; while it goes on this part is drawn again and again."""
    known = comparisons().get(what)
    if known is not None and known.under_way:
        st.session_state["comparing"] = what
        share = known.done / known.total if known.total else 0.0
        st.progress(share, f"{known.done:,} of {known.total:,} pairs aligned")
        st.button("Cancel", icon=":material/close:", on_click=known.cancel)
        return
    if st.session_state.pop("comparing", None) == what:
        st.rerun()  # it has just ended: no more looks
    if known is None or known.result is None:
        if known is not None and known.error:
            st.error(escape(known.error), icon=":material/error:")
        if st.button("Compare", type="primary", icon=":material/play_arrow:"):
            _start(shown, what)
            st.rerun()
        return
    _draw(known.result)


def _start(shown: Shown, what: tuple[str, int]) -> None:
    forms = sample_forms(len(shown.map.forms), what[1], shown.seed)
    trees = [shown.map.forms.trees[form] for form in forms]
    k = min(len(shown.map.clustering.medoids), max(2, len(forms) // 4))
    comparisons()[what] = Comparison(trees, forms, k, shown.seed)


def _draw(result: SimilarityComparison) -> None:
    correlation = result.rank_correlation
    left, right = st.columns(2)
    left.metric(
        "Rank correlation of the pairs",
        "–" if math.isnan(correlation) else f"{correlation:.3f}",
        help="Spearman's; 1 where both similarities put all pairs in the same order.",
    )
    right.metric(
        f"Agreement of the clusterings (k = {result.clusters})",
        f"{result.adjusted_rand:.3f}",
        help="Adjusted Rand index: 1 for equal clusterings, about 0 for unrelated ones.",
    )
    present(
        similarity_comparison(result.pairs),
        "The similarity of each two forms by shared productions and by Smatch, which the paper "
        "names (§4.2); the release and the default here count productions.",
        result.pairs,
        key="agreement",
        file_name="productions_smatch.csv",
    )
