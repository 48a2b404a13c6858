"""One experiment as it stands: how far, its cells, what failed and why; before it starts, what
it will take."""

from typing import Literal

import pandas as pd
import streamlit as st

from core.analysis.accuracy import latest
from core.charts.experiment_matrix import matrix
from core.experiments import work
from core.experiments.catalog import Stored
from core.experiments.deleted import deletions
from core.experiments.experiment import Pair
from core.experiments.status import DELETED, Status, cell_table
from core.runs.run import FAILED, FINISHED, QUEUED, RUNNING
from pages.shared.access.experiments import left_in_words, say_from_file, state_of, status_of
from pages.shared.access.runs import store
from pages.shared.experiments.actions import draw_actions
from pages.shared.experiments.before import draw_outlook
from pages.shared.experiments.workers import at_hand
from pages.shared.ui.address import follow, publish, read_whole
from pages.shared.ui.clicked import newly, selected_point
from pages.shared.ui.figures import draw_figure
from pages.shared.ui.text import counted, escape

MOST_DRAWN = 600  # cells in the matrix; more pairs are turned over like pages
MOST_FAILURES = 12
Colour = Literal["blue", "green", "orange", "violet", "gray"]
_COLOURS: dict[str, Colour] = {
    "running": "blue",
    "finished": "green",
    "paused": "orange",
    "waiting": "gray",
}


def draw_one(stored: Stored) -> None:
    """Its head, progress, matrix and failures."""
    now = status_of(stored)
    workers = at_hand()
    state = state_of(stored, now)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.subheader(escape(stored.experiment.name), anchor=False, width="content")
        rest: Colour = "violet" if "failed" in state else "gray"
        st.badge(state, color=_COLOURS.get(state, rest))
    draw_actions(stored, now)
    st.progress(now.done, text=_words(stored, now, workers))
    if now.counts[FINISHED] + now.counts[FAILED] < now.cells and not now.pending:
        draw_outlook(stored, now, workers)
    say_from_file(now)
    _draw_matrix(stored)
    _draw_failures(stored, now)
    _draw_deleted(stored, now)


def _words(stored: Stored, now: Status, workers: int) -> str:
    counts = now.counts
    parts = [
        f"{now.done:.0%}",
        stored.experiment.shape,
        f"{counts[FINISHED]:,} of {counted(now.cells, 'cell')} finished",
    ]
    if counts[RUNNING]:
        parts.append(f"{counts[RUNNING]:,} running")
    if counts[QUEUED]:
        parts.append(f"{counts[QUEUED]:,} waiting")
    if left := left_in_words(now, workers):
        parts.append(f"**{left} left** with {counted(workers, 'worker')}")
    return " · ".join(parts)


def _draw_matrix(stored: Stored) -> None:
    """Arm × pair; a click opens the cell's run."""
    experiment = stored.experiment
    st.markdown(
        "**Cells**: an arm a row, a pair of task order and seed a column; the number is the "
        "accuracy (ACC_avg) after the last task. A click opens the cell's run."
    )
    each = max(1, MOST_DRAWN // len(experiment.arms))
    first = _first_pair(len(experiment.pairs), each)
    shown = range(first, min(first + each, len(experiment.pairs)))
    cells = _cells(stored, shown)
    names = [short_pair(experiment.pairs[pair]) for pair in shown]
    figure = matrix(cells, [arm.label for arm in experiment.arms], names)
    key = f"matrix/{stored.id}/{first}"
    draw_figure(figure, key=key, select=True)
    point = newly("cell", selected_point(key))
    if point is not None:
        _open(stored, point[0], shown[point[1]], point[2])


def _open(stored: Stored, arm: int, pair: int, run: int) -> None:
    if run:
        st.switch_page("pages/runs.py", query_params={"run": str(run)})
    label = stored.experiment.cell_label(pair, arm)
    st.toast(f"A{escape(label[1:])} has no run yet.", icon=":material/info:")


def _first_pair(count: int, each: int) -> int:
    """Which pair comes first where not all are drawn: chosen by pages."""
    if count <= each:
        return 0
    pages = -(-count // each)
    key = follow("page", 1, read_whole)
    st.session_state[key] = min(max(1, st.session_state[key]), pages)
    label = f"Pairs, {each} a page (of {pages})"
    page: int = st.number_input(label, 1, pages, key=key, width=220)
    publish("page", None if page == 1 else str(page))
    return (page - 1) * each


def _cells(stored: Stored, pairs: range) -> pd.DataFrame:
    """The drawn cells as `charts.experiment_matrix.matrix` takes them."""
    cells = cell_table(store(), stored.id, pairs)
    cells["pair"] -= pairs.start
    finished = cells.run[cells.status == FINISHED].astype(int)
    ends = latest(store(), finished.tolist()).set_index("run").avg
    known = cells.run.where(cells.status == FINISHED).map(100 * ends.astype(float))
    return cells.assign(accuracy=known, progress=cells.progress.fillna(0.0))


def short_pair(pair: Pair) -> str:
    """`3 · 3`: order seed and seed."""
    return f"{'named' if pair.task_order else pair.order_seed} · {pair.seed}"


def _draw_failures(stored: Stored, now: Status) -> None:
    count = now.counts[FAILED]
    if not count:
        return
    st.markdown(f"**{counted(count, 'cell')} failed.** They count nowhere, and never as zero.")
    for sentence, run in work.failed_runs(store(), stored)[:MOST_FAILURES]:
        st.page_link(
            "pages/runs.py",
            label=escape(sentence),
            icon=":material/error:",
            query_params={"run": str(run)},
        )
    if count > MOST_FAILURES:
        st.caption(f"The first {MOST_FAILURES} are shown.")


def _draw_deleted(stored: Stored, now: Status) -> None:
    if not now.counts[DELETED]:
        return
    with st.expander(f"Runs of {counted(now.counts[DELETED], 'cell')} were deleted"):
        for sentence in deletions(store(), stored):
            st.markdown(escape(sentence))
