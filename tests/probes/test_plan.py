"""What is recorded within a budget: by counts alone, each part reduced before one is left out."""

import pytest

from core.events import ActionProbabilities, Epoch, ErrorCounts, Predictions, RunStarted, StageTime
from core.parser.model import Parser
from core.probes.plan import RecordingCosts, RecordingPlan, describe, everything, within
from core.training.progress import recording_text, workload
from core.training.sequence import train

FULL = RecordingPlan(20, 1, 200, (0, 1, 2, 3), True, True)
COSTS = RecordingCosts(
    train=(200,) * 4, test=(50,) * 4, epochs=((5, 10),) * 4, error_work=lambda n: [0.3 * n] * 4
)


def recorded(config) -> dict[type, list]:
    events: dict[type, list] = {}
    train(config, lambda event: events.setdefault(type(event), []).append(event))
    return events


def test_the_cost_of_a_plan_is_the_sum_over_what_it_looks_at() -> None:
    errors = sum(15 * (4 + 6 * (k + 1)) for k in range(4))
    after = sum((k + 1) * (4 + 60 + 4 + 15) for k in range(4))
    assert COSTS.total(FULL) == pytest.approx(errors + after)


def test_tasks_that_are_not_looked_at_again_are_looked_at_while_they_are_the_newest() -> None:
    plan = RecordingPlan(20, 1, 200, (0, 3), True, True)
    assert [plan.looked_at(k) for k in range(5)] == [(0,), (0, 1), (0, 2), (0, 3), (0, 3, 4)]


@pytest.mark.parametrize(("between", "after"), [(1, [0, 1, 2, 3, 4]), (2, [1, 3, 4]), (9, [4])])
def test_errors_follow_every_so_manieth_epoch_and_the_last(between, after) -> None:
    plan = RecordingPlan(20, between, 200, (0,), True, True)
    assert [epoch for epoch in range(5) if plan.measures(epoch, 5)] == after
    assert plan.n_measured(5) == len(after)


def test_a_plan_that_fits_stays_whole_and_one_that_costs_more_is_reduced_until_it_fits() -> None:
    whole = COSTS.total(FULL)
    assert within(whole, FULL, COSTS) == FULL
    costs = [COSTS.total(within(share * whole, FULL, COSTS)) for share in (0.9, 0.5, 0.2, 0.05, 0)]
    assert all(c <= s * whole for c, s in zip(costs, (0.9, 0.5, 0.2, 0.05, 0), strict=True))
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > 0.5 * whole  # no more is left out than has to be
    half = within(0.5 * whole, FULL, COSTS)
    assert half.error_rows
    assert half.actions
    assert half.predictions


def test_a_run_records_within_its_budget_what_its_plan_says_and_counts_it(toy_config) -> None:
    config = toy_config.with_(epochs=8, recording_budget=0.6)
    load = workload(config)
    assert load.plan != everything(config, load._costs)
    events = recorded(config)
    assert events[RunStarted][0].reduced == load.recording_text()
    work = {True: 0.0, False: 0.0}  # recording, or training
    for event in events[StageTime]:
        if event.stage not in ("evaluation", "sampling"):
            work[event.stage == "recording"] += event.work
    assert 0 < work[True] <= 0.6 * work[False]
    assert sum(event.work for event in events[StageTime]) == pytest.approx(load.total())
    for kind in (ActionProbabilities, Predictions):
        pairs = [(event.after, event.on) for event in events.get(kind, ())]
        assert set(pairs) <= {(k, i) for k in range(3) for i in load.plan.looked_at(k)}
    assert len(events.get(ErrorCounts, ())) < len(events[Epoch])


def test_a_run_that_records_all_that_it_is_asked_for_says_nothing_of_its_budget(toy_config) -> None:
    config = toy_config.with_(epochs=1, recording_budget=100.0)
    assert recorded(config)[RunStarted][0].reduced == ""


def test_what_is_recorded_of_fewer_examples_is_what_is_recorded_of_them_among_all(
    toy_config,
) -> None:
    whole = {(e.after, e.on): e for e in recorded(toy_config)[Predictions]}
    learner_events: list = []
    patched = RecordingPlan(5, 1, 3, (0, 1, 2), True, True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.training.workload.within", lambda *_: patched)
        train(toy_config, learner_events.append)
    fewer = [event for event in learner_events if isinstance(event, Predictions)]
    assert len(fewer) == len(whole)
    for event in fewer:
        full = whole[event.after, event.on]
        assert event.row == (0, 2, 4)
        assert event.parse == tuple(full.parse[row] for row in event.row)
        assert event.first_wrong == tuple(full.first_wrong[row] for row in event.row)
        for values, row in zip(event.gold, event.row, strict=True):
            assert values == pytest.approx(full.gold[row], rel=1e-3)


def test_counting_builds_no_parser_and_says_what_is_recorded(toy_config, monkeypatch) -> None:
    monkeypatch.setattr(Parser, "__init__", None)
    monkeypatch.setattr("core.parser.batch.encode_examples", None)
    assert workload(toy_config).total() > 0
    assert recording_text(toy_config).startswith("Records errors on 20 rows a task after every ep")
    off = toy_config.with_(record_actions=False, record_predictions=False, error_rows=0)
    assert recording_text(off) == "Records accuracy alone."
    assert "costs too much" in recording_text(toy_config.with_(recording_budget=0.0))


def test_the_sentence_names_what_is_less_than_all() -> None:
    plan = RecordingPlan(10, 4, 60, (0, 3), True, False)
    assert describe(plan, FULL, 0.151) == (
        "Records errors on 10 rows a task after every 4 epochs, actions on up to 60 rows a task, "
        "2 of the 4 tasks looked at again: about 15% of training."
    )
