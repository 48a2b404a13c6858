"""Every sampler inside Total Recall on real data: by command line to the end, by browser queued."""

import shlex
from pathlib import Path

import pytest

from core.__main__ import main
from core.analysis import choosing
from core.analysis.command_line import command_line
from core.config import RunConfig
from core.registry import samplers
from core.runs.manager import Manager
from core.runs.run import FINISHED
from core.runs.store import Store
from pages.shared.launch.form import parameters
from tests.pages.sessions import opened, well

TASKS = {"overnight": ("publications", "calendar"), "nlmap_city": ("task2", "task6")}
SIZE = 10

pytestmark = [pytest.mark.slow, pytest.mark.data]


def config_of(dataset: str, sampler: str) -> RunConfig:
    """Two of the data set's small tasks, one pass over each, by a tiny parser."""
    return RunConfig(
        dataset=dataset, task_order=TASKS[dataset], sampler=sampler, memory_size=SIZE, epochs=1,
        method_options={"fast_epochs": 1}, word_size=8, hidden_size=8, action_size=8,
        batch_size=256, record_actions=False, record_predictions=False, error_rows=0, device="cpu",
    )  # fmt: skip


@pytest.mark.parametrize("sampler", list(samplers))
@pytest.mark.parametrize("dataset", list(TASKS))
def test_by_command_line_each_task_gets_its_memory(dataset: str, sampler: str, real_data: Path):
    config = config_of(dataset, sampler)
    words = shlex.split(command_line(config))[3:]  # without python -m core
    assert main([*words, "--quiet"]) == 0
    store = Store()
    (run,) = store.runs()
    assert (run.status, run.config) == (FINISHED, config)
    for task, count in enumerate(run.facts.n_train):
        rows = choosing.stored(store, run, task, "").rows
        assert len(set(rows)) == SIZE
        assert all(0 <= row < count for row in rows)
    store.close()


@pytest.mark.parametrize("sampler", list(samplers))
@pytest.mark.parametrize("dataset", list(TASKS))
def test_by_browser_the_same_is_queued(
    dataset: str, sampler: str, real_data: Path, monkeypatch: pytest.MonkeyPatch
):
    queued = []
    store = Store()

    def submit(self: Manager, config: RunConfig, name: str = "") -> int:
        queued.append(config)
        return store.create(config.with_(device="cuda:9"), name)  # which nobody takes up

    monkeypatch.setattr(Manager, "submit", submit)
    config = config_of(dataset, sampler)
    given = {name.replace(".", "__"): value for name, value in parameters(config).items()}
    page = well(opened("pages/launch.py", **given))
    (button,) = [b for b in page.button if b.label == "Launch"]
    well(button.click().run())
    assert queued == [config]
    store.close()
