"""What the store says of a run equals what the parsers that it kept say, computed anew."""

import numpy as np
import pytest
import torch
from sqlalchemy import select

from core.analysis import error_curves as error_tables
from core.config import RunConfig
from core.evaluation import correct
from core.runs import checkpoints
from core.runs.execution import execute
from core.runs.owner import new_owner
from core.runs.run import FINISHED
from core.runs.store import Store
from core.runs.tables import action_probabilities, predictions
from core.training.assembly import Learner
from tests.learners import gold_log_probs


@pytest.fixture
def carried_out(toy_config):
    """A store, the number of a run in it that has ended, and its config."""
    config = toy_config.with_(method="total_recall", epochs=8, error_rows=3)
    store, owner = Store(), new_owner()
    run = store.create(config, claimed_by=owner)
    assert execute(store, store.run(run), owner).status == FINISHED
    yield store, run, config
    store.close()


def kept(config: RunConfig, run: int, k: int) -> Learner:
    """The run's data with its parser as kept after task k."""
    learner = Learner(config)
    learner.parser.load_state_dict(checkpoints.load_parser(run, k)["parser"])
    learner.parser.set_known_tasks(k)
    learner.parser.eval()
    return learner


def test_the_store_agrees_with_the_parsers_that_were_kept(carried_out) -> None:
    store, run, config = carried_out
    curves = error_tables.curves(store, [store.run(run)]).table
    with store.engine.connect() as connection:
        recorded = connection.execute(select(action_probabilities)).all()
        parsed = connection.execute(select(predictions)).all()
    for k in range(3):
        learner = kept(config, run, k)
        for i in range(k + 1):
            means = direct_means(learner, i)
            rows = {r.action: (r.mean, r.count) for r in recorded if (r.after, r.on_task) == (k, i)}
            assert rows.keys() == means.keys()
            for action, values in means.items():
                assert rows[action] == (pytest.approx(np.mean(values), rel=1e-4), len(values))
            rows = [r for r in parsed if (r.after, r.on_task) == (k, i)]
            assert [r.row for r in rows] == list(range(len(learner.tasks[i].test)))
            right = exact(learner, i)
            assert [r.correct for r in rows] == right.tolist()
            with torch.no_grad():
                gold = gold_log_probs(learner.parser, learner.test_batches[i]).exp().numpy()
            for row in rows:
                assert row.gold == pytest.approx(gold[row.row, : len(row.gold)], rel=1e-3)
        sampled = learner.recorder.errors
        count = 6 * (k + 1)
        batch = sampled.batch.take(range(count))
        wrong = 1 - correct(learner.parser, sampled.examples[:count], batch, learner.writer)
        with torch.no_grad():
            losses = learner.parser.row_losses(batch).numpy()
        ends = curves[(curves.task == k) & (curves.epoch == 7)].set_index("split")
        is_test = np.tile([False] * 3 + [True] * 3, k + 1)
        for split, where in (("train", ~is_test), ("test", is_test)):
            assert ends.match[split] == pytest.approx(wrong[where].mean())
            assert ends.nll_mean[split] == pytest.approx(losses[where].mean(), rel=1e-4)


def exact(learner: Learner, i: int) -> np.ndarray:
    rows = learner.test_batches[i]
    return correct(learner.parser, learner.tasks[i].test, rows, learner.writer)


def direct_means(learner: Learner, i: int) -> dict[int, list[float]]:
    """P of every step of task i's training rows by its gold action."""
    probabilities_of: dict[int, list[float]] = {}
    rows = learner.train_batches[i]
    with torch.no_grad():
        for row in range(len(rows)):
            single_row = rows.take([row])
            probabilities = gold_log_probs(learner.parser, single_row).exp()[0].tolist()
            for action, p in zip(single_row.actions[0].tolist(), probabilities, strict=True):
                probabilities_of.setdefault(action, []).append(p)
    return probabilities_of
