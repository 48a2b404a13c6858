"""All actions at once, against means, deviations and ranks computed by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core.analysis import forgetting, glance
from core.config import RunConfig
from tests.made_up import recorded_run

LIMITS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 10**9]  # of occurrences in memory


@pytest.fixture
def actions() -> pd.DataFrame:
    """Sixty actions of two tasks, learned first and second of three."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(60):
        origin = number % 2
        curve = rng.random(3 - origin)
        kept = int(rng.choice([0, 1, 2, 3, 4, 7, 8, 127, 128, 1000]))
        rows.append(
            {
                "origin": origin,
                "count": int(rng.choice([1, 2, 5, 6, 20, 21, 300])),
                "kind": str(rng.choice([forgetting.SPECIFIC, forgetting.CROSS])),
                "memory": forgetting.COVERED if kept else forgetting.NOT_COVERED,
                "in_memory": kept,
                "curve": curve,
                "first": curve[0],
                "final": curve[-1],
                "drop": curve[0] - curve[-1],
            }
        )
    return pd.DataFrame(rows).astype({"in_memory": "Int64"})


def test_groups_by_count_have_the_limits_that_they_name(actions):
    names = {1: "once", 2: "2–5 times", 5: "2–5 times", 6: "6–20 times", 20: "6–20 times"}
    for count, name in zip(actions["count"], glance.group_names(actions, "count"), strict=True):
        assert name == names.get(count, "21+ times")
        least, most = glance.COUNT_GROUPS[name]
        assert least <= count <= (most or math.inf)


def test_groups_by_memory_and_kind_are_the_actions_own_and_by_task_there_is_one(actions):
    kept = glance.group_names(actions, "memory")
    assert list(kept == "in memory") == list(actions.in_memory > 0)
    assert list(kept == "not in memory") == list(actions.in_memory == 0)
    assert list(glance.group_names(actions, "kind")) == list(actions.kind)
    assert set(glance.group_names(actions, "task")) == {""}
    unknown = actions.assign(memory="")
    assert set(glance.group_names(unknown, "memory")) == {""}


@pytest.mark.parametrize("by", glance.GROUPS)
def test_a_row_of_the_grid_has_the_means_of_its_actions(actions, by):
    grid = glance.grid(actions, by, ["fire", "port", "zoo"])
    names = glance.group_names(actions, by)
    assert grid.n.sum() == len(actions)
    assert list(grid.origin) == sorted(grid.origin)
    for row in grid.itertuples():
        part = actions[(actions.origin == row.origin) & (names == row.group)]
        assert row.n == len(part) > 0
        assert row.label == ["1 · fire", "2 · port"][row.origin]
        for name in ("first", "final", "drop"):
            assert getattr(row, name) == pytest.approx(sum(part[name]) / len(part))
        assert len(row.curve) == 3
        assert np.isnan(row.curve[: row.origin]).all()
        for after in range(row.origin, 3):
            values = [curve[after - row.origin] for curve in part.curve]
            assert row.curve[after] == pytest.approx(sum(values) / len(values))


def test_the_grid_is_by_task_or_by_drop(actions):
    grid = glance.grid(actions, "count", ["fire", "port", "zoo"])
    assert glance.ordered(grid, "task") is grid
    most, least = (list(glance.ordered(grid, order)["drop"]) for order in ("most", "least"))
    assert most == sorted(grid["drop"], reverse=True)
    assert least == sorted(grid["drop"])


def test_drops_are_averaged_between_limits_of_occurrences_in_memory(actions):
    actions.loc[3, "in_memory"] = pd.NA
    actions.loc[4, "drop"] = np.nan
    known = actions.drop(index=[3, 4])
    table = glance.against_memory(actions)
    assert table.n.sum() == len(known)
    assert list(table.low) == [0, 1, 2, 4, 8, 64, 128]
    assert table.high.tolist()[:-1] == [1, 2, 4, 8, 16, 128]
    assert np.isnan(table.high.iloc[-1])  # no limit
    for row in table.itertuples():
        high = LIMITS[LIMITS.index(row.low) + 1]
        part = known[(known.in_memory >= row.low) & (known.in_memory < high)]
        assert row.n == len(part)
        assert row.x == pytest.approx(part.in_memory.astype(float).mean())
        assert row.drop == pytest.approx(part["drop"].mean())
        assert row.deviation == pytest.approx(np.std(part["drop"], ddof=1), nan_ok=True)


def test_the_rank_correlation_is_spearmans_or_says_nothing(actions):
    correlation = glance.rank_correlation(actions)
    ranks = [stats.rankdata(actions[name].astype(float)) for name in ("in_memory", "drop")]
    assert correlation == pytest.approx(np.corrcoef(*ranks)[0, 1])
    three = actions[actions.in_memory.isin([0, 1, 2])].drop_duplicates("in_memory")
    assert len(three) == glance.LEAST
    assert math.isfinite(glance.rank_correlation(three))
    assert math.isnan(glance.rank_correlation(three.iloc[:2]))
    assert math.isnan(glance.rank_correlation(actions.assign(in_memory=3)))
    assert math.isnan(glance.rank_correlation(actions.assign(drop=0.5)))
    two = actions.assign(in_memory=actions.in_memory.clip(upper=1), drop=actions["drop"].round())
    assert math.isfinite(glance.rank_correlation(two))


def test_all_actions_are_those_of_every_task_with_their_occurrences_in_memory(store):
    id = recorded_run(store, RunConfig(dataset="toy"))
    run = store.run(id)
    tables = [forgetting.action_table(store, run, k) for k in range(3)]
    text = tables[0].text.iloc[0]
    table = glance.all_actions(store, run, {0: {text: 4}})
    assert list(table.text) == [text for each in tables for text in each.text]
    assert list(table.origin) == [k for k in range(3) for _ in range(len(tables[k]))]
    first = table[table.origin == 0]
    assert list(first.in_memory) == [4 * (each == text) for each in first.text]
    assert table[table.origin > 0].in_memory.isna().all()
    assert glance.all_actions(store, run).in_memory.isna().all()
