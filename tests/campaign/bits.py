"""A run that nothing happened to, and whether another one ended with the same bits."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch
from sqlalchemy import select

from core import paths
from core.analysis.command_line import command_line
from core.config import RunConfig
from core.data.demo import demo
from core.paths import PROJECT
from core.runs import checkpoints
from core.runs.store import Store
from core.runs.tables import EVENT_TABLES

PLAIN = 1  # the number of the run in a home of `plain_home`


def small_config() -> RunConfig:
    """Two tasks of the demo, learned by Total Recall in seconds."""
    config = RunConfig(
        epochs=2,
        hidden_size=16,
        word_size=16,
        action_size=16,
        memory_size=10,
        threads=1,
        device="cpu",
        method_options={"fast_epochs": 1},
    )
    names = [task.name for task in demo(config.options("dataset"))]
    return config.with_(task_order=names[:2])


def words_of(config: RunConfig) -> list[str]:
    """What to type behind `python -m core` to start a run of it."""
    return shlex.split(command_line(config))[3:]


def command(*words: str) -> list[str]:
    """A command in a process of its own."""
    return [sys.executable, "-m", "core", *words]


def plain_home(template: Path) -> None:
    """Fill the present home with a finished run of `small_config`; made once, in `template`.

    By a process of its own: copying a database that this one has open would undo its locks.
    """
    if not template.exists():
        made = os.environ | {"TOTAL_RECALL_HOME": str(template)}
        words = command(*words_of(small_config()), "--quiet")
        subprocess.run(words, cwd=PROJECT, env=made, check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(template, paths.home())


def recorded(store: Store, id: int) -> dict[str, list[tuple[Any, ...]]]:
    """All that a run recorded, but for how long it took."""
    rows = {}
    for table in EVENT_TABLES.values():
        columns = [c for c in table.c if c.name not in ("run_id", "seconds")]
        query = select(*columns).where(table.c.run_id == id).order_by(*table.primary_key)
        rows[table.name] = [tuple(row) for row in store.fetch(query)]
    return rows


def assert_same(store: Store, first: int, second: int, n_tasks: int = 2) -> None:
    """Both have finished, with equal events and equal parsers after each task."""
    assert store.run(first).status == store.run(second).status == "finished"
    assert recorded(store, first) == recorded(store, second)
    for task in range(n_tasks):
        assert_equal(*(checkpoints.load_parser(id, task) for id in (first, second)))


def assert_equal(left: Any, right: Any) -> None:
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_equal(left[key], right[key])
    elif isinstance(left, torch.Tensor):
        assert torch.equal(left, right)
    else:
        assert left == right
