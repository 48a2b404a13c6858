"""Figures of forgotten actions carry the numbers of their tables, and the paper's signs."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import drops as drop_analysis
from core.analysis import forgetting as analysis
from core.analysis.forgetting import COVERED, CROSS, SPECIFIC
from core.charts import drops as drop_charts
from core.charts import forgetting as charts
from core.config import RunConfig
from core.runs.store import Store
from tests.made_up import recorded_run

NAMES = ["zoo", "<b>port</b>", "farm"]


@pytest.fixture
def table():
    store = Store()
    run = store.run(recorded_run(store, RunConfig(dataset="toy")))
    yield analysis.action_table(store, run, 0, ["GEN ( size big )"])
    store.close()


def test_task_specific_actions_are_dashed_and_cross_task_ones_solid(table):
    figure = charts.curves(table, NAMES, 0)
    assert len(figure.data) == len(table)
    for trace, row in zip(figure.data, table.itertuples(), strict=True):
        assert trace.line.dash == {SPECIFIC: "dash", CROSS: "solid"}[row.kind]
        assert list(trace.y) == pytest.approx(list(row.curve))
        assert list(trace.x) == [1, 2, 3]
        assert set(trace.customdata) == {row.action}


def test_boxes_stand_at_the_later_tasks_in_which_the_action_occurs(table):
    for trace, row in zip(charts.curves(table, NAMES, 0).data, table.itertuples(), strict=True):
        boxes = [k for k, symbol in enumerate(trace.marker.symbol) if symbol == "square-open"]
        assert boxes == [k for k in row.task_numbers if k != 0]
    assert any(len(tasks) > 1 for tasks in table.task_numbers)


def test_the_chosen_action_is_thicker_and_names_stay_text(table):
    chosen = int(table.action.iloc[3])
    figure = charts.curves(table, NAMES, 0, chosen)
    widths = {trace.customdata[0]: trace.line.width for trace in figure.data}
    assert widths.pop(chosen) > max(widths.values())
    assert figure.layout.xaxis.ticktext[1] == "2 · &lt;b&gt;port&lt;/b&gt;"
    assert "<b>" not in "".join(text.replace("<br>", "") for text in figure.data[0].hovertext)


def test_a_later_origin_begins_at_its_task(table):
    later = table.assign(curve=[curve[1:] for curve in table.curve])
    figure = charts.curves(later, NAMES, 1)
    assert list(figure.data[0].x) == [2, 3]
    assert list(figure.layout.xaxis.tickvals) == [2, 3]


def test_the_heatmap_holds_the_table_and_every_cell_can_be_pointed_at(table):
    heat, *boxes, marks = charts.heatmap(table, NAMES, 0).data
    grid = np.array([*table.curve])
    assert np.array(heat.z) == pytest.approx(grid, abs=1e-4)
    assert len(marks.x) == grid.size
    for x, y, action in zip(marks.x, marks.y, marks.customdata, strict=True):
        assert table.action.iloc[y] == action
        assert x in (1, 2, 3)
    boxed = {(x - 1, y) for trace in boxes for x, y in zip(trace.x, trace.y, strict=True)}
    assert boxed == {(k, y) for y, tasks in enumerate(table.task_numbers) for k in tasks if k != 0}


def test_boxes_of_drops_are_quartiles_and_points_are_thinned_out():
    rng = np.random.default_rng(0)
    falls = np.concatenate([rng.uniform(0.5, 1, 1300), rng.normal(0, 0.1, 50), [3.0]])
    kinds = [SPECIFIC] * 1300 + [CROSS] * 51
    table = pd.DataFrame({"kind": kinds, "memory": COVERED, "drop": falls})
    figure = drop_charts.drops(drop_analysis.comparisons(table))
    boxes = [trace for trace in figure.data if trace.type == "box"]
    points = [trace for trace in figure.data if trace.type == "scatter"]
    assert len(boxes) == len(points) == 4  # two kinds; covered, of all and of task-specific ones
    for box, values in zip(boxes, (falls[:1300], falls[1300:]), strict=False):
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
        assert (box.q1[0], box.median[0], box.q3[0]) == pytest.approx((low, middle, high))
        assert box.upperfence[0] <= high + 1.5 * (high - low)
        assert box.upperfence[0] in values
    assert len(points[0].x) <= drop_charts.MOST_POINTS
    assert len(points[1].x) == 51
    assert "n = 1,300" in figure.layout.yaxis.ticktext[0]
    low, high = drop_charts.drops([], (-0.5, 3.0)).layout.xaxis.range  # the same beside another run
    assert low < -0.5 < 3.0 < high


def test_two_runs_are_a_mark_for_each_action(table):
    both = analysis.difference(table, table.assign(drop=table["drop"] / 2))
    _, *marks = drop_charts.differences(both, "<i>one</i>", "two").data
    points = {a: (x, y) for m in marks for a, x, y in zip(m.customdata, m.x, m.y, strict=True)}
    for row in both.itertuples():
        assert points[row.action] == pytest.approx((row.drop_left, row.drop_right), abs=1e-4)
    assert "<i>" not in drop_charts.differences(both, "<i>one</i>", "two").layout.xaxis.title.text
