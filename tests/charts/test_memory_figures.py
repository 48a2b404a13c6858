"""Memory figures carry the numbers of their tables."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import memory
from core.analysis.memory import Kept
from core.charts import memory as charts
from tests.conftest import make_toy_tasks

NASTY = "<b>x</b>"


@pytest.fixture
def task():
    return memory.read_task(make_toy_tasks()[0].train, 3)


@pytest.fixture
def kept():
    return [Kept("one", 0, (0, 1)), Kept("one", 1, (1, 2)), Kept(NASTY, 0, (3, 4))]


def test_entropies_have_a_mark_for_each_seed_in_both_ways(task, kept):
    measured = memory.measurements(task, kept)
    figure = charts.entropies(measured, memory.measurements(task, [task.everything()]))
    assert len(figure.data) == 4
    assert figure.data[0].x == pytest.approx(measured.entropy_frequency[:2])
    assert figure.data[1].x == pytest.approx(measured.entropy_presence[:2])
    assert NASTY not in figure.to_json().encode().decode("unicode_escape")


def test_coverage_bars_are_means_with_their_deviation(task, kept):
    measured = memory.measurements(task, kept)
    bar = charts.coverage(measured).data[0]
    shares = 100 * measured[[f"{name}_share" for name in memory.COVERED]].iloc[:2]
    assert bar.y == pytest.approx(shares.mean())
    assert bar.error_y.array == pytest.approx(shares.std(ddof=1))


def test_the_overlap_matrix_is_the_table(kept):
    pairs = memory.overlap(kept)
    heat, marks = charts.overlap(pairs, [memory_kept.name for memory_kept in kept]).data
    for p in pairs.itertuples():
        assert heat.z[p.left][p.right] == pytest.approx(p.jaccard)
    assert len(marks.text) == 9


def test_the_histogram_shows_the_ranks_asked_for(task, kept):
    table = memory.histogram(task, kept, "presence")
    figure = charts.histogram(table, 2, 4)
    bars, *marks = figure.data
    whole = table[table.label == "whole task"].set_index("rank")
    assert list(bars.y) == [2, 3, 4]
    assert bars.x == pytest.approx(100 * whole.share[1:4].to_numpy())
    assert len(marks) == 2


def test_the_course_is_the_entropy_step_by_step_with_its_sweeps():
    table = pd.DataFrame(
        {
            "step": range(4),
            "kind": ["start", "swap", "swap", "row added"],
            "sweep": pd.array([None, 1, 2, None], dtype="Int64"),
            "entropy": [1.0, 1.1, 1.3, 1.4],
            "row_out": pd.array([None, 3, 4, None], dtype="Int64"),
            "row_in": pd.array([None, 5, 6, 7], dtype="Int64"),
        }
    )
    figure = charts.trajectory(table)
    assert list(figure.data[0].y) == [1.0, 1.1, 1.3, 1.4]
    assert [note.text for note in figure.layout.annotations] == ["sweep 1", "2"]
    many = pd.concat([table[1:2]] * 400).assign(step=np.arange(400), sweep=np.arange(1, 401))
    figure = charts.trajectory(many.astype({"sweep": "Int64"}))
    assert len(figure.layout.shapes) == 400
    positions = [note.x for note in figure.layout.annotations]
    assert min(np.diff(positions)) >= 10  # a fortieth of the width for each number
    assert len(charts.trajectory(table[:0]).data[0].x) == 0
    long = pd.concat([table[1:2]] * 12_000).assign(step=np.arange(12_000))
    assert len(charts.trajectory(long).to_json()) < 2_000_000


def test_memories_whose_names_differ_in_the_middle_have_different_ticks(kept):
    names = [f"Random rows, {how} fast stage (Random), seed 2" for how in ("no", "a", "one")]
    axis = charts.overlap(memory.overlap(kept), names).layout.xaxis
    assert len(set(axis.ticktext)) == 3
    assert all("…" in text for text in axis.ticktext)
