"""The figures of an experiment: what stands where, and what a click says."""

import json

import numpy as np
import pandas as pd
import pytest

from core.analysis.significance import differences as compared
from core.analysis.significance import ranks
from core.charts.experiment_arms import differences, points
from core.charts.experiment_matrix import STATUS_COLOURS, matrix
from core.charts.experiment_ranks import critical_difference

ARMS, PAIRS = ["plain", "<b>replay</b>"], ["1 · 1", "2 · 2", "3 · 3"]
VALUES = pd.DataFrame(
    {"a": [10.0, 20.0, 30.0, 41.0], "b": [12.0, 25.0, 33.0, 40.0], "c": [50.0, 60.0, 70.0, 81.0]}
)


def cells(statuses: dict[tuple[int, int], str]) -> pd.DataFrame:
    rows = [
        {
            "arm": arm,
            "pair": pair,
            "status": status,
            "progress": 0.4,
            "run": None if status in ("absent", "deleted") else 10 * arm + pair + 1,
            "accuracy": 20.0 + 30 * arm + pair if status == "finished" else None,
        }
        for (arm, pair), status in statuses.items()
    ]
    return pd.DataFrame(rows)


def test_every_cell_stands_at_its_arm_and_pair_and_says_its_run() -> None:
    statuses = {
        (0, 0): "finished",
        (0, 1): "running",
        (0, 2): "absent",
        (1, 0): "finished",
        (1, 1): "failed",
        (1, 2): "queued",
    }
    figure = matrix(cells(statuses), ARMS, PAIRS)
    ground, heat = figure.data[0], figure.data[1]
    assert np.isnan(heat.z[0][1])
    assert heat.z[0][0] == 20
    assert heat.z[1][0] == 50
    names = list(STATUS_COLOURS)
    assert names[int(ground.z[1][1])] == "failed"
    assert names[int(ground.z[0][1])] == "running"
    assert np.isnan(ground.z[0][0])
    marks = figure.data[-1]
    runs = {(arm, pair): run for arm, pair, run in marks.customdata}
    assert runs == {(0, 0): 1, (0, 1): 2, (0, 2): 0, (1, 0): 11, (1, 1): 12, (1, 2): 13}
    assert list(marks.text) == ["20", "40 %", "", "50", "✕", "·"]
    assert "running, 40 % done, run 2" in marks.hovertext[1]
    assert "<b>" not in figure.to_json().replace("\\u003c", "<")


def test_the_legend_counts_what_is_not_finished() -> None:
    figure = matrix(cells({(0, 0): "queued", (0, 1): "queued", (1, 0): "failed"}), ARMS, PAIRS)
    names = [trace.name for trace in figure.data if trace.name]
    assert names == ["waits (2)", "failed (1)"]


def test_a_cell_of_the_matrix_is_a_list_in_the_browser() -> None:
    cells = pd.DataFrame(
        {
            "arm": [0],
            "pair": [1],
            "status": ["finished"],
            "run": [7],
            "progress": [1.0],
            "accuracy": [50.0],
        }
    )
    drawn = json.loads(matrix(cells, ["one"], ["1 · 1", "2 · 2"]).to_json())["data"]
    assert [each["customdata"] for each in drawn if "customdata" in each] == [[[0, 1, 7]]]


@pytest.mark.parametrize("status", ["absent", "deleted", "stopped", "interrupted"])
def test_a_matrix_without_any_result_can_be_drawn(status: str) -> None:
    json.loads(matrix(cells({(0, 0): status}), ARMS[:1], PAIRS[:1]).to_json())


def test_all_cells_are_points_and_the_bar_is_their_mean() -> None:
    names = [f"pair {at}" for at in range(4)]
    figure = points(VALUES, name="ACC", pairs=names, bounds={"a": 90.0}, published={"b": 44.0})
    by_arm = [trace for trace in figure.data if trace.hovertext and len(trace.x) == 4]
    assert [list(trace.x) for trace in by_arm] == [list(VALUES[arm]) for arm in VALUES]
    means = [trace.x[0] for trace in figure.data if trace.name == "mean"]
    assert means == pytest.approx(VALUES.mean().tolist())
    (paper,) = [trace for trace in figure.data if trace.name == "the paper's value"]
    assert (list(paper.x), list(paper.y)) == ([44.0], [1])
    low, high = figure.layout.xaxis.range
    assert low <= 10
    assert high >= 81


def test_points_of_one_value_do_not_hide_one_another() -> None:
    same = pd.DataFrame({"a": [50.0, 50.0, 50.0]})
    trace = points(same, name="ACC", pairs=["1", "2", "3"]).data[0]
    assert len(set(trace.y)) == 3


def test_the_interval_is_that_of_the_table() -> None:
    table = compared(VALUES, "a")
    paired = {arm: (VALUES[arm] - VALUES.a).tolist() for arm in table.arm}
    figure = differences(table, paired, name="ACC", reference="a")
    bars = [trace for trace in figure.data if trace.error_x.array is not None]
    for trace, row in zip(bars, table.itertuples(), strict=True):
        assert trace.x[0] == pytest.approx(row.difference)
        assert trace.x[0] + trace.error_x.array[0] == pytest.approx(row.high)
        assert trace.x[0] - trace.error_x.arrayminus[0] == pytest.approx(row.low)


def test_the_diagram_has_each_arm_at_its_mean_rank_and_a_bar_for_each_group() -> None:
    of = ranks(VALUES)
    assert of is not None
    figure = critical_difference(of.arms, of.mean_ranks, of.critical_difference, of.groups)
    for arm, rank in zip(of.arms, of.mean_ranks, strict=True):
        (line,) = [t for t in figure.data if t.hovertemplate and t.hovertemplate.startswith(arm)]
        assert line.x[0] == rank
    bars = [t for t in figure.data if len(t.x) == 2 and t.y[0] == t.y[1] and t.y[0] < 0]
    assert len(bars) == len(of.groups)
    (scale,) = [t for t in figure.data if len(t.x) == 2 and t.y[0] > 1]
    assert scale.x[1] - scale.x[0] == pytest.approx(of.critical_difference)
