"""Memories to look at: chosen now by a sampler, or stored by a run after a task."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import select

from core.analysis.memory import Kept
from core.config import RunConfig
from core.data.base import Example
from core.runs.run import Run
from core.runs.store import Store
from core.runs.tables import memories


def sampler_rng(seed: int) -> np.random.Generator:
    """What a run with this seed draws its first memory from."""
    from core.generators import Generators  # here and below: torch, which only samplers need

    return Generators(seed).for_arrays("sampler")


def choose(config: RunConfig, examples: Sequence[Example], label: str, parser: Any = None) -> Kept:
    """What the config's sampler keeps of these rows, drawing as a run draws for its first task.

    ConfigError where the options are wrong, MemoryError where the distances don't fit.
    """
    from core.samplers.base import select as select_rows

    selection = select_rows(config, examples, sampler_rng(config.seed), parser)
    return Kept(label, config.seed, selection.indices, selection.trace)


def stored_tasks(store: Store, runs: Sequence[int]) -> pd.DataFrame:
    """After which tasks runs have stored a memory: run, task (from 0), in order."""
    query = select(memories.c.run_id.label("run"), memories.c.task)
    query = query.where(memories.c.run_id.in_(runs)).order_by(memories.c.run_id, memories.c.task)
    return store.frame(query)


def stored(store: Store, run: Run, task: int, label: str) -> Kept | None:
    """The memory that the run stored after its task (from 0); None where it has stored none."""
    query = select(memories.c.rows, memories.c.trace)
    query = query.where(memories.c.run_id == run.id, memories.c.task == task)
    rows = store.fetch(query)
    if not rows:
        return None
    return Kept(label, run.config.seed, tuple(rows[0].rows), rows[0].trace, run.id, task)
