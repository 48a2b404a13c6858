"""Runs of the store as a file of results."""

from pathlib import Path

from core.analysis import exported_runs
from core.config import RunConfig
from core.runs.store import Store

CONFIG = RunConfig(dataset="overnight", method="emr", sampler="random")


def export(path: Path, *ids: int) -> Path:
    """A file of results with these runs of the store, or all that have finished."""
    store = Store()
    runs = [store.run(id) for id in ids] or store.runs()
    exported_runs.save(path, exported_runs.merge(exported_runs.of_runs(store, runs)))
    return path
