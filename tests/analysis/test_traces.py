"""Steps of a parse as tables, against the trace they come from."""

import numpy as np

from core.analysis import traces
from core.inspection.steps import BEST, StepTrace, Trace

WORDS = ("show", "all", "keepers")
CHOICES = tuple((f"GEN ( kind k{number} )", 0.5 / 2**number) for number in range(BEST))
FIRST = StepTrace("ROOT", CHOICES[1][0], 0.25, 2, 9, CHOICES, np.array([0.5, 0.3, 0.2], np.float32))
LAST = StepTrace("form", "b", 0.0, 0, 2, (("a", 1.0),), np.array([0.1, 0.2, 0.7], np.float32))
TRACE = Trace(WORDS, (True, True, False), 1, (FIRST, LAST), "( list )")


def test_a_step_stands_with_the_best_actions_in_their_order():
    table = traces.step_table(TRACE)
    assert list(table.step) == [1, 2]
    for row, step in zip(table.to_dict("records"), TRACE.steps, strict=True):
        for name in ("slot", "action", "probability", "rank", "applicable"):
            assert row[name] == getattr(step, name)
        best = [(row[f"best_{n}"], row[f"p_{n}"]) for n in range(1, BEST + 1)]
        assert tuple(best[: len(step.best)]) == step.best
    missing = table.loc[1, [f"{name}_{n}" for name in ("best", "p") for n in range(2, BEST + 1)]]
    assert missing.isna().all()
    assert list(table.columns)[-2:] == [f"best_{BEST}", f"p_{BEST}"]


def test_gold_steps_stand_one_task_after_the_other():
    table = traces.gold_table({0: TRACE, 2: TRACE})
    assert list(table.after) == [0, 0, 2, 2]
    assert list(table.step) == [1, 2, 1, 2]
    assert list(table["rank"]) == [2, 0, 2, 0]
    assert list(table.columns[:3]) == ["after", "step", "slot"]


def test_attention_has_a_row_for_every_step_and_word():
    table = traces.attention_table(TRACE)
    assert list(table.step) == [1, 1, 1, 2, 2, 2]
    assert list(table.position) == [1, 2, 3] * 2
    assert list(table.word) == [*WORDS] * 2
    assert list(table.action) == [FIRST.action] * 3 + ["b"] * 3
    assert np.allclose(table.attention, [*FIRST.attention, *LAST.attention])


def test_attention_without_words_is_that_to_none():
    step = StepTrace("ROOT", "a", 1.0, 1, 1, (("a", 1.0),), np.ones(1, np.float32))
    (row,) = traces.attention_table(Trace((), (), 0, (step,), "a")).to_dict("records")
    assert row == {"step": 1, "action": "a", "position": 1, "word": "", "attention": 1.0}
