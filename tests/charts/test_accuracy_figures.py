"""Accuracy figures carry the numbers of their tables."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import accuracy, paper
from core.charts.accuracy import curves
from core.charts.matrix import difference, matrix
from core.config import RunConfig
from tests.made_up import finished_run


@pytest.fixture
def runs(store):
    configs = [RunConfig(seed=s) for s in range(3)] + [RunConfig(method="finetune")]
    ids = [finished_run(store, config, seed=at) for at, config in enumerate(configs)]
    return [store.run(id) for id in ids]


@pytest.fixture
def table(store, runs):
    return accuracy.spread(accuracy.curves(accuracy.cells(store, runs)), accuracy.group(runs))


def named(figure, start: str):
    return [trace for trace in figure.data if (trace.name or "").startswith(start)]


@pytest.mark.parametrize("measure", ["whole", "avg"])
def test_lines_go_through_the_means(table, measure):
    figure = curves(table, measure=measure, name="ACC")
    (several,) = named(figure, "Total Recall")
    rows = table[table.group == "Total Recall"]
    assert list(several.x) == [1, 2, 3]
    assert several.y == pytest.approx(100 * rows[measure].to_numpy())
    assert "n = 3" in several.name
    assert all("n = 3" in text for text in several.hovertext)


def test_the_band_is_one_deviation_up_and_down_and_only_for_several_seeds(table):
    figure = curves(table, measure="whole", name="ACC")
    (band,) = [trace for trace in figure.data if trace.fill == "toself"]
    rows = table[table.group == "Total Recall"]
    upper = 100 * (rows.whole + rows.whole_deviation)
    lower = 100 * (rows.whole - rows.whole_deviation)
    assert list(band.y) == pytest.approx([*upper, *lower[::-1]])


def test_one_upper_bound_shared_by_all_is_drawn_once(table):
    figure = curves(table, measure="avg", name="ACC")
    (bound,) = named(figure, "upper bound")
    assert bound.y == pytest.approx([90, 90, 90])
    assert not named(curves(table, measure="avg", name="ACC", upper_bound=False), "upper bound")
    unknown = table.assign(bound_avg=np.nan)
    assert not named(curves(unknown, measure="avg", name="ACC"), "upper bound")


def test_published_values_bear_their_label_and_their_groups_colour(table):
    values = paper.comparable(RunConfig(dataset="overnight"), 8)
    rows = [(paper.label(v), v.value) for v in values if v.measure == "whole"]
    given = pd.DataFrame(rows, columns=["label", "value"]).assign(group="Total Recall")
    figure = curves(table, measure="whole", name="ACC", published=given)
    marks = named(figure, "paper: Total Recall")
    assert sorted(mark.y[0] for mark in marks) == [51.44, 54.40]
    (line,) = [trace for trace in figure.data if (trace.name or "").startswith("Total Recall")]
    assert {mark.marker.color for mark in marks} == {line.line.color}


def test_markup_in_labels_stays_text(table):
    figure = curves(table.assign(group="<b>x</b>", task="<i>"), measure="whole", name="ACC")
    assert "<b>" not in figure.to_json().encode().decode("unicode_escape")


def test_the_matrix_holds_each_cell_with_its_counts(store, runs):
    cells = accuracy.cells(store, runs[:1])
    figure = matrix(cells)
    heat, (markers,) = figure.data[0], [t for t in figure.data if t.customdata is not None]
    for row in cells.itertuples():
        assert heat.z[row.after][row.on] == pytest.approx(100 * row.correct / row.total)
    assert [tuple(pair) for pair in markers.customdata] == list(
        zip(cells.after, cells.on, strict=True)
    )
    assert f"{cells.correct[3]} of {cells.total[3]} correct" in markers.hovertext[3]
    assert np.isnan(heat.z[0][2])
    texts = [text for t in figure.data[1:3] for text in t.text]
    assert len(texts) == len(cells)


def test_figures_stand_empty_tables(table):
    empty = table[:0]
    assert not curves(empty, measure="whole", name="ACC").data
    cells = pd.DataFrame(
        columns=["run", "after", "on", "after_task", "on_task", "correct", "total", "covered"]
    )
    assert matrix(cells) is not None


def test_a_difference_below_half_a_point_is_0_without_a_sign():
    points = [0.004, -0.004, 0.026, -0.026]
    table = pd.DataFrame(
        {
            "after": 1,
            "on": range(1, 5),
            "after_task": "a",
            "on_task": "b",
            "left": 0.5,
            "right": 0.5,
            "difference": points,
        }
    )
    assert list(difference(table, "A", "B").data[1].text) == ["0", "0", "+3", "−3"]
