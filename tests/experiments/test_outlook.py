"""What an experiment will cost, said before anything of it is queued."""

import pytest

from core import paths
from core.commands.experiment.words import before_start
from core.config import RunConfig
from core.events import RunStarted, StageTime
from core.experiments import catalog
from core.experiments.catalog import Stored
from core.experiments.experiment import Experiment
from core.experiments.outlook import Outlook, outlook
from core.runs.owner import new_owner
from core.runs.run import FAILED, FINISHED
from core.runs.store import Store
from core.training import progress
from tests.experiments.samples import finished_cells

FACTS = RunStarted(("zoo", "port"), (20, 20), (10, 10), ((10,), (10, 9)), 5, 2, 100, "cpu")


@pytest.fixture
def stored(store: Store, small: Experiment) -> Stored:
    catalog.create(store, small)
    return catalog.load(store, small.name)


def carried_out(store: Store, config: RunConfig, rate: float) -> None:
    """A run that did so much work a second."""
    owner = new_owner()
    id = store.create(config, claimed_by=owner)
    store.record(id, FACTS, owner)
    store.record(id, StageTime(0, "train", 100.0, 100 * rate), owner)
    store.set_status(id, FINISHED, owner=owner)


def test_nothing_known(store: Store, stored: Stored) -> None:
    ahead = outlook(store, stored)
    assert (ahead.cells, ahead.finished, ahead.left) == (6, 0, 6)
    assert ahead.seconds is ahead.low is ahead.high is ahead.disk is None
    assert ahead.unknown == ("plain", "replay")
    assert store.runs() == []


def test_each_arm_at_the_rate_of_runs_like_it(store: Store, stored: Stored) -> None:
    plain, replay = [config for _, _, config in stored.experiment.configs()][:2]
    carried_out(store, plain.with_(seed=90), 10.0)
    carried_out(store, replay.with_(seed=91), 4.0)
    ahead = outlook(store, stored)
    each = progress.work(plain) / 10 + progress.work(replay) / 4
    assert ahead.seconds == pytest.approx(3 * each)
    assert ahead.low < ahead.seconds < ahead.high
    assert ahead.unknown == ()


def test_cells_that_are_there_already_cost_nothing(store: Store, stored: Stored) -> None:
    carried_out(store, stored.experiment.base.with_(seed=99, method="finetune"), 10.0)
    all_left = outlook(store, stored)
    right = {(pair, arm): (5, 5) for pair in range(2) for arm in range(2)}
    finished_cells(store, stored.experiment, right)
    failing, owner = list(stored.experiment.configs())[-1][2], new_owner()
    id = store.create(failing, claimed_by=owner)
    store.set_status(id, FAILED, error="it failed.", owner=owner)
    ahead = outlook(store, stored)
    assert (ahead.cells, ahead.finished, ahead.left) == (6, 4, 1)
    plain = list(stored.experiment.configs())[-2][2]
    assert ahead.seconds == pytest.approx(progress.work(plain) / 10)
    assert ahead.seconds < all_left.seconds / 5


def test_an_arm_that_nothing_compares_with_is_the_mean_of_the_others_or_measured(
    store: Store, small: Experiment
) -> None:
    wide = small.arms[1].settings | {"hidden_size": 24}
    catalog.create(store, small.with_(arms=(small.arms[0], type(small.arms[1])("wide", wide))))
    stored = catalog.load(store, small.name)
    plain = next(stored.experiment.configs())[2]
    carried_out(store, plain.with_(seed=90), 10.0)
    ahead = outlook(store, stored)
    assert ahead.unknown == ("wide",)
    assert ahead.seconds == pytest.approx(6 * progress.work(plain) / 10)
    measured = outlook(store, stored, measure_seconds=0.05)
    assert measured.unknown == ()
    assert measured.seconds != ahead.seconds


def test_disk_is_what_finished_runs_take(store: Store, stored: Stored) -> None:
    finished_cells(store, stored.experiment, {(0, 0): (1, 2), (0, 1): (3, 4)})
    before = outlook(store, stored).disk
    kept = paths.home() / "checkpoints" / "1" / "parser-0.pt"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"0" * 3_000_000)
    assert outlook(store, stored).disk - before == pytest.approx(4 * 1_500_000, rel=0.01)


@pytest.mark.parametrize(
    ("ahead", "workers", "sentence"),
    [
        (
            Outlook(15, 4, 11, 380.0, 300.0, 460.0, (), 12_000_000),
            2,
            "15 cells, 4 of them finished already; about 3 min 10 s with 2 workers "
            "(2 min 30 s to 3 min 50 s), 12 MB of disk.",
        ),
        (Outlook(6, 6, 0, 0.0, 0.0, 0.0, (), 0), 2, "none is left"),
        (Outlook(6, 0, 6, None, None, None, ("a",), None), 1, "no earlier run here tells"),
        (Outlook(6, 5, 1, 60.0, 60.0, 60.0, (), None), 8, "about 1 min 00 s with 1 worker "),
        (Outlook(6, 0, 6, 60.0, 60.0, 60.0, ("a",), None), 1, "not known for a: the mean"),
    ],
)
def test_what_is_said_before_the_start(ahead: Outlook, workers: int, sentence: str) -> None:
    assert sentence in before_start(ahead, workers)
