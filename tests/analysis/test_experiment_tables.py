"""An experiment's tables: complete pairs alone, what is left out said, the paper beside."""

import numpy as np
import pandas as pd
import pytest

from core.analysis import arm_tables, exported_runs, paper_beside, paper_table, significance
from core.analysis import experiment_tables as tables
from core.analysis import experiment_text as shown_as
from core.analysis.accuracy import group
from core.analysis.exported_runs import ExportedRun
from core.config import RunConfig
from core.experiments import catalog, work
from core.experiments.experiment import Arm, Experiment, Pair, default_pairs
from core.experiments.presets import presets
from core.experiments.presets.parts import METHODS
from core.options import ConfigError
from core.runs.digest import digest
from core.runs.owner import new_owner
from core.runs.run import FAILED
from core.runs.store import Store
from tests.experiments.samples import RIGHT, finished_cells


@pytest.fixture
def small(toy_config: RunConfig) -> Experiment:
    arms = (Arm("plain", {"method": "finetune"}), Arm("replay", {"method": "emr"}))
    return Experiment("small", toy_config, arms, default_pairs(3))


def kept(store: Store, experiment: Experiment) -> catalog.Stored:
    catalog.create(store, experiment)
    return catalog.load(store, experiment.name)


def test_means_and_spreads_are_those_of_the_cells(store: Store, small: Experiment) -> None:
    finished_cells(store, small, RIGHT)
    compared = tables.from_store(store, kept(store, small))
    table = arm_tables.arm_table(compared).set_index("arm")
    plain = [30.0, 30.0, 30.0]  # tasks have as many rows: avg and whole agree
    replay = [60.0, 55.0, 90.0]
    assert table.avg_mean["plain"] == pytest.approx(np.mean(plain))
    assert table.avg_sd["plain"] == pytest.approx(0.0, abs=1e-9)
    assert table.whole_mean["replay"] == pytest.approx(np.mean(replay))
    assert table.avg_sd["replay"] == pytest.approx(np.std(replay, ddof=1))
    assert list(table.n) == [3, 3]
    assert table.avg_bound["plain"] == pytest.approx(95.0)
    assert table.avg_paper.isna().all()
    assert compared.left_out() == []
    shown = shown_as.shown_differences(compared, "avg", "plain").iloc[0]
    assert shown["ACC_avg − plain"] == "+38.33"
    assert shown["p (Wilcoxon)"] == "0.25"
    assert "no p below 0.25" in shown_as.about_p(compared)


def test_accuracy_by_position_is_that_of_the_task_learned_then(store: Store, small) -> None:
    finished_cells(store, small, RIGHT)
    compared = tables.from_store(store, kept(store, small))
    table = arm_tables.position_table(compared).set_index(["arm", "position"])
    shares = {
        (0, 1): [20, 10, 30],
        (0, 2): [40, 50, 30],
        (1, 1): [60, 50, 90],
        (1, 2): [60, 60, 90],
    }
    for (arm, position), values in shares.items():
        row = table.loc[small.arms[arm].label, position]
        assert (row.n, row["mean"]) == (3, pytest.approx(np.mean(values)))
        assert row.sd == pytest.approx(np.std(values, ddof=1))
    assert table.groupby("arm")["mean"].mean()["plain"] == pytest.approx(30.0)  # ACC_avg
    shown = shown_as.shown_positions(compared).set_index("Arm")
    assert shown["Task 2"]["plain"] == "40.00 ± 10.00"


def test_a_failed_cell_is_no_zero_and_its_pair_is_left_out(store, small) -> None:
    finished_cells(store, small, {cell: right for cell, right in RIGHT.items() if cell != (1, 1)})
    stored = kept(store, small)
    work.enqueue(store, "small")
    run = store.claim(new_owner())
    store.set_status(run.id, FAILED, error="the loss is not finite")
    compared = tables.from_store(store, stored)
    table = arm_tables.arm_table(compared).set_index("arm")
    assert table.avg_mean["replay"] == pytest.approx(75.0)
    assert list(table.n) == [2, 2]  # plain's finished cell of that pair counts neither
    assert compared.left_out() == ["Pair order 2, seed 2 is left out: failed ('replay')."]


def test_why_a_pair_is_left_out_is_said_once_for_all_arms_of_the_same_reason(store, small) -> None:
    runs = finished_cells(store, small, RIGHT)
    stored = kept(store, small)
    work.enqueue(store, "small")
    for cell in [(0, 0), (0, 1), (1, 1)]:
        store.delete(runs[cell])
    assert tables.from_store(store, stored).left_out() == [
        "Pair order 1, seed 1 is left out: run deleted (all arms).",
        "Pair order 2, seed 2 is left out: run deleted ('replay').",
    ]


def test_pairs_of_which_nothing_is_done_share_a_sentence(store, small) -> None:
    finished_cells(store, small, {cell: right for cell, right in RIGHT.items() if cell[0] == 0})
    compared = tables.from_store(store, kept(store, small))
    rest = "; ".join(pair.label for pair in small.pairs[1:])
    assert compared.left_out() == [f"Not run with any arm: {rest}."]


def test_an_arm_without_results_does_not_empty_the_table(store, small) -> None:
    finished_cells(store, small, RIGHT)
    more = small.with_(arms=(*small.arms, Arm("gem", {"method": "gem"})))
    compared = tables.from_store(store, kept(store, more))
    assert list(arm_tables.arm_table(compared).arm) == ["plain", "replay"]
    assert compared.left_out() == ["Arm 'gem' has no finished cell and is not compared."]
    with pytest.raises(ConfigError, match=r"'gem' is not a compared arm.*plain, replay"):
        shown_as.shown_differences(compared, "avg", "gem")
    only = tables.from_store(store, catalog.load(store, "small"), ["replay"])
    assert list(arm_tables.arm_table(only).arm) == ["replay"]
    with pytest.raises(ConfigError, match=r"'repaly' is not an arm"):
        tables.from_store(store, catalog.load(store, "small"), ["repaly"])


def test_orders_named_in_full_are_pairs_like_any_others(store, small, tmp_path) -> None:
    """Runs of explicit orders, whoever launched them, are pooled, from the store and a file."""
    orders = [("zoo", "port", "farm"), ("farm", "zoo", "port"), ("port", "farm", "zoo")]
    pairs = tuple(Pair(0, seed, order) for seed, order in enumerate(orders))
    named = small.with_(pairs=pairs)
    finished_cells(store, named, RIGHT)
    assert {run.config.task_order for run in store.runs()} == set(orders)
    (plain, replay) = group(sorted(store.runs(), key=lambda run: run.config.method, reverse=True))
    assert (len(plain.runs), len(replay.runs)) == (3, 3)
    assert (plain.label, replay.label) == ("Fine-tune", "EMR")
    stored = kept(store, named)
    records = exported_runs.of_runs(store, store.runs())
    assert list(paper_table.final(records)[["method", "runs"]].itertuples(index=False)) == [
        ("Fine-tune", 3),
        ("EMR", 3),
    ]
    assert list(paper_table.final(records).index) == [0, 1]
    for compared in (tables.from_store(store, stored), tables.from_records(named, records)):
        table = arm_tables.arm_table(compared).set_index("arm")
        assert list(table.n) == [3, 3]
        assert table.avg_mean["replay"] == pytest.approx(np.mean([60.0, 55.0, 90.0]))
        orders_shown = compared.by_order_and_seed("avg").index.get_level_values(0)
        assert list(orders_shown) == [str(order) for order in orders]


def test_nothing_is_there_yet(store, small) -> None:
    compared = tables.from_store(store, kept(store, small))
    assert arm_tables.arm_table(compared).empty
    assert "nothing can be compared" in shown_as.about_p(compared)
    assert len(compared.left_out()) == 2


def test_a_file_gives_the_same_tables_as_the_store(store, small, tmp_path) -> None:
    finished_cells(store, small, RIGHT)
    stored = kept(store, small)
    records = exported_runs.of_runs(store, tables.finished_runs(store, stored.id))
    exported_runs.save(tmp_path / "results.json", records)
    read = exported_runs.load(tmp_path / "results.json")
    of_file = tables.from_records(small, read)
    of_store = tables.from_store(store, stored)
    pd.testing.assert_frame_equal(
        arm_tables.arm_table(of_file).drop(columns="minutes"),
        arm_tables.arm_table(of_store).drop(columns="minutes"),
    )


def test_cells_that_a_file_lacks_are_left_out_with_the_reason(store, small) -> None:
    finished_cells(store, small, RIGHT)
    records = exported_runs.of_runs(store, store.runs())
    partly = tables.from_records(small, records[:-1])
    assert sorted(partly.cells.status) == ["absent", *["finished"] * (len(records) - 1)]
    (left_out,) = partly.left_out()
    assert "is left out: not run ('" in left_out
    of_one_arm = [record for record in records if record.config.method == "emr"]
    (left_out,) = tables.from_records(small, of_one_arm).left_out()
    assert "has no finished cell" in left_out


def test_minutes_are_the_mean_of_the_runs_of_an_arm(small) -> None:
    seconds = {pair: 60.0 * (pair + 1) for pair in range(3)}
    records = [
        record(config, seconds[pair] * (arm + 1), right=50) for pair, arm, config in small.configs()
    ]
    table = arm_tables.arm_table(tables.from_records(small, records)).set_index("arm")
    assert table.minutes.to_dict() == {"plain": 2.0, "replay": 4.0}


def test_five_pairs_say_what_they_cannot_show(store, small) -> None:
    five = small.with_(pairs=default_pairs(5))
    finished_cells(store, five, {(p, a): (a + 1, p + a) for p in range(5) for a in range(2)})
    compared = tables.from_store(store, kept(store, five))
    about = shown_as.about_p(compared)
    assert "no p below 0.0625 is possible in the exact two-sided Wilcoxon test" in about
    assert "whatever the difference of two arms, it can't be significant at 0.05" in about
    assert "Intervals over 5 pairs are too narrow: they hold the mean in some 84 %" in about


def test_order_and_seed_by_their_own(store, small) -> None:
    pairs = (Pair(1, 1), Pair(2, 1), Pair(1, 2), Pair(2, 2))
    crossed = small.with_(pairs=pairs)
    right = {(p, a): (4 * (p % 2) + p // 2, 2 * a) for p in range(4) for a in range(2)}
    finished_cells(store, crossed, right)
    compared = tables.from_store(store, kept(store, crossed))
    effects = significance.effects(compared.by_order_and_seed("avg")).set_index("arm")
    assert effects.order["plain"] == pytest.approx(np.sqrt(2) * 10)  # orders 20 points from another
    assert effects.seed["plain"] == pytest.approx(np.sqrt(2) * 2.5)  # and seeds 5
    titles = [title for title, _ in shown_as.shown_ranks_and_effects(compared, "avg")]
    assert any("by order and by seed" in title for title in titles)


@pytest.mark.parametrize("n_arms", [2, 3])
def test_ranks_are_shown_of_three_arms_and_more(store, small, n_arms) -> None:
    arms = (*small.arms, Arm("more", {"method": "emr", "memory_size": 1}))
    more = small.with_(arms=arms[:n_arms], pairs=default_pairs(6))
    finished_cells(store, more, {(p, a): (a + 1, p + a) for p in range(6) for a in range(n_arms)})
    compared = tables.from_store(store, kept(store, more))
    shown = shown_as.shown_ranks_and_effects(compared, "avg")
    assert any("rank" in title for title, _ in shown) == (n_arms > 2)


def record(config: RunConfig, seconds: float, right: int, total: int = 100) -> ExportedRun:
    tasks = tuple(f"task {k}" for k in range(8))
    counts = tuple((k, i, right, total, total) for k in range(8) for i in range(k + 1))
    return ExportedRun(config, tasks, counts, seconds, "cpu", {}, digest(config))


def of_arm(label: str, **more: object) -> RunConfig:
    preset = presets["main-overnight"].value()
    return (
        preset.with_(arms=(Arm(label, METHODS[label]),))
        .arm_config(Arm(label, METHODS[label]))
        .with_(**more)
    )


def test_the_papers_table_with_ours_beside_it() -> None:
    records = [
        record(of_arm("EMR", seed=n, order_seed=n), 80.0, right) for n, right in ((1, 50), (2, 54))
    ]
    records.append(record(of_arm("Total Recall + DAR", seed=1), 80.0, 60))
    records.append(record(of_arm("Total Recall", seed=1), 80.0, 40))
    records.append(record(of_arm("Fine-tune", seed=1, task_masking=False), 80.0, 10))
    first = paper_beside.beside(records, 1)
    ours = first[first.n > 0].set_index(["method", "variant", "measure"])
    assert set(ours.index) == {
        (method, "", measure) for method in ("emr", "total_recall") for measure in ("whole", "avg")
    }
    heldout = record(of_arm("EMR", seed=1, evaluation="heldout"), 80.0, 90)
    assert paper_beside.beside([heldout], 1).n.sum() == 0
    emr = ours.loc[("emr", "", "avg")]
    assert (emr["mean"], emr.n) == (52.0, 2)
    assert emr.sd == pytest.approx(np.std([50, 54], ddof=1))
    assert emr.distance == pytest.approx((52 - 46.01) / emr.sd)
    assert ours.loc[("total_recall", "", "avg"), "mean"] == 60.0
    seventh = paper_beside.beside(records, 7)
    assert seventh[seventh.n > 0]["mean"].tolist() == [40.0, 40.0]
    eighth = paper_beside.beside(records, 8).set_index(["dataset", "method", "variant"])
    assert eighth.loc[("overnight", "emr", ""), "mean"] == 10.0  # seconds a task
    shown = paper_beside.shown(first)
    assert shown.iloc[4]["Overnight, avg"] == "46.01 | 52.00 ± 2.83 (n = 2)"
    assert shown.iloc[0]["Overnight, avg"] == "14.37 | –"
    assert len(shown) == 11


@pytest.mark.parametrize(
    ("preset", "number"),
    [("table1", 1), ("table2", 2), ("table3", 3), ("table6", 6), ("table7", 7)],
)
def test_every_arm_of_a_papers_preset_stands_for_cells_of_its_table(preset, number) -> None:
    names = [name for name in presets if name.startswith(f"{preset}-")]
    values = {value for value in paper_beside.published() if value.table == number}
    filled = set()
    for name in names:
        experiment = presets[name].value()
        for arm in experiment.arms:
            config = experiment.arm_config(arm)
            fitting = {value for value in values if paper_beside.fits(config, value)}
            full = number in (3, 7) and arm.label.endswith(("+ DAR", "+ DAR + EWC"))  # Table 1's
            assert bool(fitting) != full, f"{name}: {arm.label}"
            filled |= fitting
    assert filled == values
