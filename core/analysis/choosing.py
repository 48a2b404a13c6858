"""Memories to look at: chosen now by a sampler, or stored by a run after a task."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from sqlalchemy import select

from core.analysis.memory import Kept
from core.config import RunConfig
from core.data.base import DataError, Example, Task
from core.runs import checkpoints
from core.runs.life import Run
from core.runs.store import Store
from core.runs.tables import memories


class NoParser(ValueError):  # noqa: N818 - it is a state that pages show, not a fault
    """A run has kept no parser after a task."""


def choose(config: RunConfig, examples: Sequence[Example], label: str, parser: Any = None) -> Kept:
    """What the config's sampler keeps of these rows, drawing as a run draws for its first task.

    ConfigError where the options are wrong, MemoryError where the distances don't fit.
    """
    from core.generators import Generators  # here and below: torch, which only samplers need
    from core.samplers.base import select as select_rows

    rng = Generators(config.seed).for_arrays("sampler")
    selection = select_rows(config, examples, rng, parser)
    return Kept(label, config.seed, selection.rows, selection.trace)


def parser_after(run: Run, task: str) -> tuple[Any, Task]:
    """The parser as it stood after the run had learned the task, and the task as it learned it.

    NoParser where the run has kept none; CheckpointError, DataError or ConfigError where it or the
    data can't be read.
    """
    from core.learner import Learner

    tasks = list(run.facts.get("tasks", []))
    if task not in tasks:
        raise NoParser(f"Run {run.id} has not learned {task}.")
    k = tasks.index(task)
    state = checkpoints.kept(run.id, k)
    if state is None:
        raise NoParser(f"Run {run.id} has kept no parser after {task}.")
    learner = Learner(run.config.with_(device="cpu"))
    if [each.name for each in learner.tasks] != tasks:
        raise DataError(f"The data are no longer those that run {run.id} learned.")
    learner.parser.load_state_dict(state["parser"])
    learner.parser.know(k)
    return learner.parser, learner.tasks[k]


def stored_tasks(store: Store, runs: Sequence[int]) -> pd.DataFrame:
    """After which tasks runs have stored a memory: run, task (from 0), in order."""
    query = select(memories.c.run_id, memories.c.task).where(memories.c.run_id.in_(runs))
    query = query.order_by(memories.c.run_id, memories.c.task)
    with store.engine.connect() as connection:
        return pd.DataFrame(connection.execute(query).all(), columns=["run", "task"])


def stored(store: Store, run: Run, task: int, label: str) -> Kept | None:
    """The memory that the run stored after its task (from 0); None where it has stored none."""
    query = select(memories.c.rows, memories.c.trace)
    query = query.where(memories.c.run_id == run.id, memories.c.task == task)
    with store.engine.connect() as connection:
        row = connection.execute(query).first()
    if row is None:
        return None
    return Kept(label, run.config.seed, tuple(row[0]), row[1])
