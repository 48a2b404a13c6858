"""Forgetting over runs in different orders, against sums by hand."""

import pandas as pd
import pytest

from core.analysis.arm_forgetting import by_action, by_kind, since_learned
from core.config import RunConfig
from core.events import ActionProbabilities, ActionsKnown
from core.runs.store import Store

# P of an action after each task from the first that shows it on; the runs' orders differ, and so do
# the numbers that they give to the actions
PROBABILITIES = {
    1: {"GO": (0, [0.9, 0.5, 0.3]), "SEE": (1, [0.8, 0.2])},
    2: {"SEE": (0, [0.6, 0.6, 0.4]), "GO": (2, [0.7])},
}


@pytest.fixture
def curves(store: Store) -> pd.DataFrame:
    for actions in PROBABILITIES.values():
        run = store.create(RunConfig(dataset="toy"))
        store.record(run, ActionsKnown((0, 1), tuple(actions)))
        for number, (first, values) in enumerate(actions.values()):
            for since, p in enumerate(values):
                after = first + since
                store.record(run, ActionProbabilities(after, first, (number,), (p,), (4,)))
    store.record(2, ActionProbabilities(2, 1, (0,), (0.1,), (2,)))  # SEE again, in a later task
    return since_learned(store, [1, 2])


def test_actions_are_followed_from_the_task_that_shows_them_first(curves: pd.DataFrame) -> None:
    computed = {key: list(rows.P) for key, rows in curves.groupby(["run", "text"])}
    by_hand = {
        (run, text): values for run, of in PROBABILITIES.items() for text, (_, values) in of.items()
    }
    assert computed == by_hand
    assert list(curves.index) == list(range(len(curves)))
    kinds = {key: set(rows.kind) for key, rows in curves.groupby(["run", "text"])}
    assert kinds[2, "SEE"] == {"cross-task"}
    assert kinds[1, "SEE"] == {"task-specific"}


def test_means_and_deviations_are_over_runs(curves: pd.DataFrame) -> None:
    kinds = by_kind(curves).set_index(["kind", "since"])
    first = kinds.loc[("task-specific", 0)]
    assert pytest.approx(((0.9 + 0.8) / 2 + 0.7) / 2) == first.P
    assert first.deviation == pytest.approx((0.85 - 0.7) / 2**0.5)
    assert (first.runs, kinds.loc[("task-specific", 2)].runs) == (2, 1)


def test_an_actions_forgetting_counts_the_runs_that_learned_as_much_since(curves) -> None:
    table = by_action(curves, 1).set_index("text")
    assert table.forgetting.to_dict() == pytest.approx({"SEE": (0.6 + 0.0) / 2, "GO": 0.4})
    assert table.runs.to_dict() == {"SEE": 2, "GO": 1}
    assert table.deviation["SEE"] == pytest.approx(0.6 / 2**0.5)
    assert table.curve["GO"] == pytest.approx([0.8, 0.5, 0.3])
    assert list(table.index) == ["GO", "SEE"]
    assert by_action(curves, 9).empty
