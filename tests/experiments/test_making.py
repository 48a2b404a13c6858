"""Experiments made of runs that are there, grown, and of what the paper has and nobody has run."""

import pytest

from core.analysis.exported_runs import of_runs as records_of
from core.analysis.paper_beside import fits
from core.analysis.paper_missing import arm_of, missing
from core.analysis.paper_values import published
from core.config import RunConfig
from core.experiments import catalog, toml, work
from core.experiments.experiment import Arm, Experiment, Pair
from core.experiments.making import of_runs
from core.experiments.status import ABSENT, cell_table, status
from core.options import ConfigError
from core.runs.digest import digest
from core.runs.run import FINISHED, QUEUED
from core.runs.store import Store
from tests.experiments.samples import finished_run


def variants(config: RunConfig) -> list[RunConfig]:
    """Of one data set: methods, options that the first has and a later one has not, samplers."""
    recall = {"method": "total_recall", "sampler": "dlfs"}
    return [
        config.with_(**recall, method_options={"penalty": "ewc"}, sampler_options={"h": 7}),
        config.with_(**recall),
        config.with_(**recall, epochs=3),
        config.with_(method="emr", sampler="random"),
        config.with_(method="emr", sampler="fss", memory_size=4),
        config.with_(method="finetune"),
        config.with_(method="oracle", dataset="demo"),
    ]


def test_runs_become_the_cells_they_were(store: Store, toy_config: RunConfig) -> None:
    configs = [
        config.with_(order_seed=order, seed=seed)
        for config in variants(toy_config)
        for order, seed in ((1, 1), (2, 7))
    ]
    ids = [finished_run(store, config, [1, 2]) for config in configs]
    experiment = of_runs(store, ids, "made")
    assert len(experiment.arms) == 7
    assert len({arm.label for arm in experiment.arms}) == 7
    assert experiment.pairs == (Pair(1, 1), Pair(2, 7))
    expected = {digest(config) for config in configs}
    assert {digest(config) for _, _, config in experiment.configs()} == expected
    id = catalog.create(store, experiment)
    assert status(store, id).counts[FINISHED] == 14
    assert toml.read(toml.write(experiment), "it") == experiment


def test_a_cell_that_no_run_has_is_to_be_run(store: Store, toy_config: RunConfig) -> None:
    plain = toy_config.with_(method="finetune")
    runs = [plain.with_(seed=1), plain.with_(seed=2), toy_config.with_(method="emr", seed=2)]
    id = catalog.create(store, of_runs(store, [finished_run(store, c, [1, 1]) for c in runs], "m"))
    assert status(store, id).counts[FINISHED] == 3
    assert status(store, id).counts[ABSENT] == 1


def test_orders_by_name_go_with_the_pairs_where_they_differ(
    store: Store, toy_config: RunConfig
) -> None:
    orders = (("zoo", "port"), ("port", "zoo"))
    configs = [toy_config.with_(task_order=order) for order in orders]
    ids = [finished_run(store, config, [1, 1]) for config in configs]
    assert [pair.task_order for pair in of_runs(store, ids, "m").pairs] == list(orders)
    alone = of_runs(store, ids[:1], "m")
    assert alone.base.task_order == orders[0]
    assert alone.pairs == (Pair(0, 0),)


def test_no_runs_are_no_experiment(store: Store) -> None:
    with pytest.raises(ConfigError, match="There is no run"):
        of_runs(store, [], "none")


def test_an_experiment_grows(store: Store, small: Experiment) -> None:
    catalog.create(store, small)
    work.enqueue(store, "small")
    more = work.add(store, "small", [Arm("gem", {"method": "gem"})], [Pair(1, 1), Pair(9, 9)])
    assert [arm.label for arm in more.experiment.arms] == ["plain", "replay", "gem"]
    assert more.experiment.pairs == (*small.pairs, Pair(9, 9))
    assert work.enqueue(store, "small").new == 2 + 4
    assert set(cell_table(store, more.id).status) == {QUEUED}
    with pytest.raises(ConfigError, match="Nothing to add"):
        work.add(store, "small", pairs=[Pair(9, 9)])
    with pytest.raises(ConfigError, match="Arm 'bad'"):
        work.add(store, "small", [Arm("bad", {"method": "finetune", "sampler": "fss"})])
    assert catalog.load(store, "small").experiment == more.experiment


@pytest.mark.parametrize("number", range(1, 9))
def test_every_value_of_the_paper_has_its_arm(number: int) -> None:
    """`missing` makes just the arms that stand for its values."""
    values = [value for value in published() if value.table == number]
    made = {(experiment.base.dataset): experiment for experiment in missing([], number)}
    assert made.keys() == {value.dataset for value in values}
    for value in values:
        arm = arm_of(value)
        assert arm is not None
        experiment = made[value.dataset]
        assert arm in experiment.arms
        assert len(experiment.pairs) == 10
        config = experiment.arm_config(arm)
        assert [fits(config, each) for each in values if each.dataset == value.dataset].count(True)
    assert all(
        len({digest(config) for _, _, config in each.configs()}) == 10 * len(each.arms)
        for each in made.values()
    )


def test_what_has_been_run_is_not_missing(store: Store) -> None:
    experiment = missing([], 1)[0]
    arm = experiment.arms[0]
    config = experiment.arm_config(arm)
    records = records_of(store, [store.run(finished_run(store, config, [1, 1]))])
    whole = [
        record.__class__(
            **{
                **record.__dict__,
                "tasks": tuple("abcdefgh"),
                "counts": tuple((7, task, 1, 2, None) for task in range(8)),
            }
        )
        for record in records
    ]
    assert arm not in missing(whole, 1)[0].arms
    assert len(missing(whole, 1)[0].arms) == len(experiment.arms) - 1
