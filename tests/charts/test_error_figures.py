"""Figures of errors: what is drawn where, and how much of it."""

import numpy as np
import pandas as pd
import pytest

from core.analysis.error_curves import Curves, curves, task_names
from core.charts.error_curves import MAX_POINTS, errors
from core.charts.marks import Mark, of_runs
from core.charts.template import colour
from core.config import RunConfig
from core.runs.store import Store
from tests.made_up import TASKS, finished_run, record_errors


@pytest.fixture
def drawn():
    """Runs with and without the fast stage, and the figure of both."""
    store = Store()
    runs = []
    for options, stages in (({}, {"fast": 2, "slow": 4}), ({"fast": "none"}, {"slow": 4})):
        id = finished_run(store, RunConfig(method_options=options))
        record_errors(store, id, stages=stages)
        runs.append(store.run(id))
    run_curves = curves(store, runs)
    names, tasks = of_runs(runs), task_names(runs)
    figure = errors(run_curves, names, tasks, measure="match", name="exact match error")
    store.close()
    return run_curves, figure


def points(trace) -> list[tuple]:
    return [(x, y) for x, y in zip(trace.x, trace.y, strict=True) if not np.isnan(x)]


def test_each_run_has_a_line_for_training_and_one_for_test_rows(drawn):
    run_curves, figure = drawn
    assert [trace.line.dash for trace in figure.data] == ["dot", "solid"] * 2
    assert [trace.line.color for trace in figure.data] == [colour(0)] * 2 + [colour(1)] * 2
    for trace, (run, split) in zip(
        figure.data, [(1, "train"), (1, "test"), (2, "train"), (2, "test")], strict=True
    ):
        rows = run_curves.table[(run_curves.table.run == run) & (run_curves.table.split == split)]
        x, y = zip(*points(trace), strict=True)
        assert list(x) == rows["at"].tolist()
        assert list(y) == pytest.approx((100 * rows.match).tolist())
        assert len(trace.hovertext) == len(trace.x)
        assert "rows wrong" in trace.hovertext[0]


def test_a_line_is_broken_where_the_run_skips_a_stage(drawn):
    _, figure = drawn
    whole, broken = figure.data[0], figure.data[2]
    assert not np.isnan(np.array(whole.x)).any()
    gaps = np.flatnonzero(np.isnan(np.array(broken.x)))
    assert gaps.tolist() == [4, 9]
    assert np.isnan(np.array(broken.y)[gaps]).all()


def test_boundaries_part_tasks_by_solid_and_stages_by_dotted_lines(drawn):
    _, figure = drawn
    lines = [(shape.x0, shape.line.dash) for shape in figure.layout.shapes]
    assert lines == [(2.5, "dot"), (6.5, "solid"), (8.5, "dot"), (12.5, "solid"), (14.5, "dot")]
    assert list(figure.layout.xaxis.ticktext) == [f"{k + 1} · {n}" for k, n in enumerate(TASKS)]
    assert [note.text for note in figure.layout.annotations] == ["fast", "slow"]
    assert figure.layout.xaxis.title.text
    assert "%" in figure.layout.yaxis.title.text


def test_the_loss_is_drawn_in_nats(drawn):
    run_curves, _ = drawn
    figure = errors(
        run_curves, {1: Mark("a", 0)}, TASKS, measure="nll", name="negative log-likelihood"
    )
    rows = run_curves.table[(run_curves.table.run == 1) & (run_curves.table.split == "train")]
    assert list(figure.data[0].y) == pytest.approx(rows.nll_mean.tolist())
    assert "nats" in figure.layout.yaxis.title.text


def test_long_runs_are_thinned_out_and_names_are_no_markup(drawn):
    count = 5 * MAX_POINTS
    table = pd.DataFrame({
        "run": 1, "task": 0, "stage": "slow", "epoch": range(count), "split": "test",
        "correct": 1, "total": 2, "nll": 1.0, "covered": 2, "match": 0.5, "nll_mean": 0.5,
        "at": range(1, count + 1),
    })  # fmt: skip
    sections = pd.DataFrame([{"task": 0, "main": True, "stages": "slow", "start": 0, "end": count}])
    figure = errors(
        Curves(table, sections), {1: Mark("<b>x</b>", 0)}, ["<i>"], measure="match", name="error"
    )
    (trace,) = figure.data
    assert len(trace.x) <= MAX_POINTS
    assert not np.isnan(np.array(trace.x)).any()
    assert trace.name.startswith("&lt;b&gt;")
    assert figure.layout.xaxis.ticktext == ("1 · &lt;i&gt;",)
