"""Cells and their runs: queued once, found by configuration, paused, cancelled, tried again."""

import threading

import pytest

from core.experiments import catalog, work
from core.experiments.experiment import Arm, Experiment, Pair, crossed
from core.experiments.status import cell_table, status
from core.runs.changes import set_values
from core.runs.owner import new_owner
from core.runs.run import FAILED, FINISHED, QUEUED, RUNNING, STOPPED, StoreError
from core.runs.store import Store
from tests.experiments.samples import finished_run


def queued(store: Store, experiment: Experiment) -> int:
    id = catalog.create(store, experiment)
    work.enqueue(store, experiment.name)
    return id


def take(store: Store) -> object:
    return store.claim(new_owner())


def end(store: Store, run, status: str, error: str = "") -> None:
    store.set_status(run.id, status, error=error)


def drain(store: Store) -> list[tuple[int, str]]:
    """Seed and method of all that waits, in the order in which workers take it."""
    taken = []
    while (run := take(store)) is not None:
        taken.append((run.config.seed, run.config.method))
    return taken


def test_an_experiment_is_kept_as_it_is(store: Store, small: Experiment) -> None:
    id = catalog.create(store, small)
    assert catalog.load(store, "small") == catalog.Stored(
        id, small, False, -10, catalog.load(store, "small").created
    )
    with pytest.raises(StoreError, match="already"):
        catalog.create(store, small)
    with pytest.raises(StoreError, match=r"no experiment 'big'.*'small'"):
        catalog.load(store, "big")
    catalog.delete_experiment(store, id)
    assert catalog.names(store) == []
    assert cell_table(store, id).empty


def test_pairs_are_done_one_after_the_other(store: Store, small: Experiment) -> None:
    queued(store, small)
    assert drain(store) == [(n, method) for n in (1, 2, 3) for method in ("finetune", "emr")]


def test_nothing_is_queued_twice(store: Store, small: Experiment) -> None:
    queued(store, small)
    again = work.enqueue(store, "small")
    assert (again.new, again.joined) == (0, 6)
    assert len(store.runs()) == 6


def test_runs_by_hand_are_used_and_joined(store: Store, small: Experiment) -> None:
    configs = {(pair, arm): config for pair, arm, config in small.configs()}
    finished_run(store, configs[0, 0].with_(device="auto", error_rows=0), (5, 5))
    waiting = store.create(configs[1, 1])
    id = catalog.create(store, small)
    result = work.enqueue(store, "small")
    assert (result.used, result.joined, result.new) == (1, 1, 4)
    table = cell_table(store, id).set_index(["pair", "arm"])
    assert table.loc[(1, 1), "run"] == waiting
    assert table.loc[(0, 0), "status"] == FINISHED
    assert take(store).id == waiting  # its own priority holds


def test_a_run_by_hand_does_not_wait_for_cells(store, small, toy_config) -> None:
    queued(store, small)
    store.create(toy_config.with_(seed=99))
    assert drain(store)[0] == (99, "total_recall")


def test_an_experiment_can_be_preferred(store, small, toy_config) -> None:
    queued(store, small)
    preferred = small.with_(name="other", pairs=crossed([7], [70, 71]))
    queued(store, preferred)
    work.prefer(store, "other", 5)
    store.create(toy_config.with_(seed=99))
    seeds = [seed for seed, _ in drain(store)]
    assert seeds == [70, 70, 71, 71, 99, 1, 1, 2, 2, 3, 3]


def test_experiments_of_one_priority_take_turns(store, small) -> None:
    queued(store, small)
    queued(store, small.with_(name="other", pairs=crossed([7], [70, 71])))
    assert [seed for seed, _ in drain(store)] == [1, 1, 70, 70, 2, 2, 71, 71, 3, 3]


def test_arms_and_pairs_that_come_later_catch_up(store, small) -> None:
    id = queued(store, small)
    for _ in range(2):
        end(store, take(store), FINISHED)
    more = small.with_(
        arms=(*small.arms, Arm("gem", {"method": "gem"})), pairs=(*small.pairs, Pair(4, 4))
    )
    catalog.change(store, id, more)
    assert work.enqueue(store, "small").new == 3 + 3
    assert status(store, id).counts[FINISHED] == 2
    assert drain(store)[0] == (1, "gem")


def test_a_pause_holds_what_waits_and_stops_what_runs(store, small, toy_config) -> None:
    queued(store, small)
    run = take(store)
    assert work.pause(store, "small") == 1
    assert store.stop_requested(run.id)
    assert take(store) is None
    hand = store.create(toy_config.with_(seed=99))
    assert take(store).id == hand
    end(store, run, STOPPED)
    assert work.enqueue(store, "small").resumed == 1
    assert run.id in {take(store).id for _ in range(2)}  # those of the first pair


def test_another_experiment_that_wants_a_cell_gets_it(store, small) -> None:
    queued(store, small)
    queued(store, small.with_(name="other", pairs=small.pairs[:1]))
    assert len(store.runs()) == 6
    work.pause(store, "small")
    assert drain(store) == [(1, "finetune"), (1, "emr")]
    assert work.cancel(store, "small") == 4
    work.enqueue(store, "small")
    assert status(store, catalog.load(store, "small").id).counts[RUNNING] == 2


def test_cancelled_cells_can_be_queued_again(store, small) -> None:
    id = queued(store, small)
    stopped, finished = take(store), take(store)
    end(store, stopped, STOPPED)
    store.resume(stopped.id)
    end(store, finished, FINISHED)
    assert work.cancel(store, "small") == 5
    counts = status(store, id).counts
    assert (counts["absent"], counts[STOPPED], counts[FINISHED]) == (4, 1, 1)
    result = work.enqueue(store, "small")
    assert (result.new, result.again, result.resumed, result.used) == (4, 0, 1, 1)


def test_what_failed_waits_for_retry(store, small) -> None:
    arms = (Arm("Plain", {"method": "finetune"}), *small.arms[1:])
    id = queued(store, small.with_(arms=arms))
    run = take(store)
    end(store, run, FAILED, "the loss is not finite")
    stored = catalog.load(store, "small")
    (sentence,) = work.failures(store, stored)
    assert sentence.startswith("Arm 'Plain', order 1, seed 1: ")
    assert "not finite" in sentence
    assert work.enqueue(store, "small").failed == 1
    assert status(store, id).counts[FAILED] == 1
    assert work.retry(store, "small") == 1
    assert run.id in {take(store).id for _ in range(2)}


def test_a_deleted_run_is_missed(store, small) -> None:
    id = queued(store, small)
    run = take(store)
    end(store, run, FINISHED)
    store.delete(run.id)
    counts = status(store, id).counts
    assert (counts["deleted"], counts["absent"]) == (1, 0)
    result = work.enqueue(store, "small")
    assert (result.new, result.again) == (1, 1)


def test_a_cell_whose_process_is_gone_goes_back_to_the_queue(store, small, monkeypatch) -> None:
    queued(store, small.with_(arms=small.arms[:1], pairs=small.pairs[:1]))
    run = take(store)
    monkeypatch.setattr("core.runs.signs.gone", lambda owner: True)
    for attempt in range(1, 5):
        assert store.mark_interrupted() == [run.id]
        assert store.run(run.id).status == QUEUED
        assert take(store).id == run.id
        assert store.run(run.id).attempts == attempt + 1
    store.mark_interrupted()
    assert store.run(run.id).status == "interrupted"  # it seems to be the cell's own fault


def test_a_finished_run_is_preferred_to_others_of_its_configuration(store, small) -> None:
    id = catalog.create(store, small)
    config = next(config for *_, config in small.configs())
    run = take_new(store, config)
    end(store, run, FAILED)
    good = finished_run(store, config, (1, 1))
    store.create(config)
    table = cell_table(store, id)
    assert (table.run[0], table.status[0]) == (good, FINISHED)


def take_new(store: Store, config) -> object:
    store.create(config)
    return take(store)


def test_many_workers_never_take_one_cell_twice(store, small) -> None:
    queued(store, small)
    taken: list[int] = []

    def work_off() -> None:
        while (run := take(store)) is not None:
            taken.append(run.id)

    threads = [threading.Thread(target=work_off) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted({run.id for run in store.runs()})


def test_only_cells_of_one_experiment_can_be_asked_for(store, small, toy_config) -> None:
    store.create(toy_config.with_(seed=99))
    id = queued(store, small)
    assert store.claim(new_owner(), experiment=id).config.seed == 1
    assert store.claim(new_owner(), experiment=id + 1) is None


def test_time_left_is_that_of_each_arm(store, small) -> None:
    id = queued(store, small)
    assert status(store, id).seconds_left() is None
    first, second = take(store), take(store)
    for run, seconds in ((first, 10.0), (second, 30.0)):
        end(store, run, FINISHED)
        with store.writing() as connection:
            set_values(connection, run.id, seconds=seconds)
    assert status(store, id).seconds_left() == pytest.approx(2 * 10 + 2 * 30)
    assert status(store, id).seconds_left(2) == pytest.approx(40)
    assert status(store, id).done == pytest.approx(2 / 6)


@pytest.mark.slow
def test_ten_thousand_cells_are_counted(store, small) -> None:
    big = small.with_(name="big", pairs=crossed(range(1, 101), range(50)))
    id = queued(store, big)
    for _ in range(3):
        end(store, take(store), FINISHED)
    counts = status(store, id).counts
    assert (counts[FINISHED], counts[QUEUED]) == (3, 9997)
    assert take(store) is not None
