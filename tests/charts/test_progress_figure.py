"""The loss figure: every epoch once, stages apart, small enough to be sent every second."""

import pandas as pd
import pytest

from core.analysis.progress import epoch_losses
from core.charts.progress import MAX_POINTS, loss
from core.config import RunConfig
from core.events import Epoch
from core.runs.store import Store
from tests.made_up import TASKS, running_run


@pytest.fixture
def table():
    store = Store()
    yield epoch_losses(store, running_run(store, RunConfig()))
    store.close()


def test_epochs_come_in_the_order_in_which_they_were_made(table):
    assert list(table.task) == [0] * 8 + [1] * 6
    assert list(table.stage) == ["fast"] * 4 + ["slow"] * 4 + ["fast"] * 4 + ["slow"] * 2
    assert list(table.number) == list(range(1, 15))


def test_stages_come_by_their_number_not_by_their_name():
    store = Store()
    run = store.create(RunConfig())
    for number, stage in enumerate(("warm", "adapt")):
        for epoch in (1, 0):
            store.record(run, Epoch(0, stage, epoch, 1.0, 10, 1.0, {}, number))
    table = epoch_losses(store, run)
    store.close()
    assert list(table.stage) == ["warm", "warm", "adapt", "adapt"]
    assert list(table.epoch) == [0, 1, 0, 1]
    assert [trace.name for trace in loss(table, TASKS).data] == ["warm stage", "adapt stage"]


def test_each_epoch_is_drawn_once_in_its_stages_line(table):
    figure = loss(table, TASKS)
    drawn = {x: y for t in figure.data for x, y in zip(t.x, t.y, strict=True) if x is not None}
    assert drawn == pytest.approx(dict(zip(table.number, table.loss, strict=True)))
    assert [trace.name for trace in figure.data] == ["fast stage", "slow stage"]
    assert None in figure.data[0].x  # the line is broken between two tasks
    assert [a.text for a in figure.layout.annotations] == [f"{k + 1} · {TASKS[k]}" for k in (0, 1)]


def test_the_epoch_under_way_comes_next(table):
    figure = loss(table, TASKS, now=1.25)
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (15, 1.25)


def test_long_runs_are_thinned_out(table):
    many = pd.DataFrame(
        {"task": 0, "stage": "train", "epoch": range(9000), "loss": 1.0, "number": range(1, 9001)}
    )
    assert sum(len(trace.x) for trace in loss(many, TASKS).data) <= MAX_POINTS + 1


def test_nothing_told_yet_gives_an_empty_figure(table):
    assert not loss(table[:0], TASKS).data
