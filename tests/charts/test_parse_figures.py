"""The strip of gold steps and the attention carry what was recorded; trees mark what differs."""

import numpy as np
import pandas as pd
import pytest

from core.charts import parses as charts
from core.inspection.steps import StepTrace, Trace

GOLD = ["( f _ )", "GEN x<b>"]


def predictions(gold=((0.9, 0.2), (0.5, None), ())) -> pd.DataFrame:
    frame = pd.DataFrame({"after": [0, 1, 2], "first_wrong": [None, 1, 0]})
    return frame.assign(gold=list(gold)).astype({"first_wrong": "Int64"})


def test_the_strip_has_a_cell_for_each_step_after_each_task():
    heat, marks = charts.strip(predictions(), GOLD, ["a", "b<i>", "c"]).data
    assert np.array(heat.z[0], dtype=float) == pytest.approx([0.9, 0.2])
    assert np.isnan(np.array(heat.z[1:], dtype=float)).tolist() == [[False, True], [True, True]]
    assert list(marks.customdata) == [0, 0, 1, 1, 2, 2]
    assert list(marks.text) == ["", "", "", "✗", "✗", ""]
    assert list(heat.y) == ["1 · a", "2 · b&lt;i&gt;", "3 · c"]
    assert "first wrong step" in marks.hovertext[3]
    assert "<b>" not in marks.hovertext[1]


def trace(words: tuple[str, ...], weights: list[list[float]]) -> Trace:
    steps = [
        StepTrace("ROOT", f"action {t}", 0.5, 1, 3, (), np.array(row))
        for t, row in enumerate(weights)
    ]
    return Trace(words, (True,) * len(words), 0, tuple(steps), "f")


def test_attention_is_drawn_step_by_step_over_the_words_even_equal_ones():
    weights = [[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]]
    (heat,) = charts.attention(trace(("the", "<b>", "the"), weights), wrong=1).data
    assert np.array(heat.z) == pytest.approx(np.array(weights))
    figure = charts.attention(trace(("the", "<b>", "the"), weights), wrong=1)
    assert list(figure.layout.xaxis.ticktext) == ["the", "&lt;b&gt;", "the"]
    assert [text[0] for text in figure.layout.yaxis.ticktext] == ["a", "✗"]
    (alone,) = charts.attention(trace((), [[1.0]])).data
    assert np.array(alone.z) == pytest.approx(np.array([[1.0]]))
