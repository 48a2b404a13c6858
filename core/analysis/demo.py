"""The demo's two runs, fine-tuned and with Total Recall: as recorded, and as carried out here."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from core.events import Accuracy
from core.runs.recordings import DEMO_FILE, Recording, load, newest_of
from core.runs.run import Run
from core.runs.store import Store
from core.validation.presets import demo_configs


def recorded() -> tuple[Recording, ...]:
    """The recorded demo, read once while its file stays as it is; StoreError where it can't be."""
    changed = DEMO_FILE.stat().st_mtime_ns if DEMO_FILE.exists() else 0
    return _read(DEMO_FILE, changed)


@lru_cache(maxsize=2)
def _read(path: Path, changed: int) -> tuple[Recording, ...]:
    return load(path)


def carried_out(store: Store) -> list[Run]:
    """The newest run of each of the demo's configurations; recorded ones don't count."""
    numbers = [newest_of(store, config) for config in demo_configs()]
    return [store.run(number) for number in numbers if number is not None]


def recorded_cells(recording: Recording) -> pd.DataFrame:
    """acc[k, i] of a recording, as analysis.accuracy.cells has those of runs."""
    tasks = recording.facts.tasks
    rows = [
        (e.after, e.on, e.correct, e.total, tasks[e.after], tasks[e.on])
        for e in recording.events
        if isinstance(e, Accuracy)
    ]
    names = ["after", "on", "correct", "total", "after_task", "on_task"]
    return pd.DataFrame(rows, columns=names)


def whole(cells: pd.DataFrame) -> tuple[int, float] | None:
    """After how many tasks, and ACC_whole then; None before the first task is tested in full."""
    seen = (
        cells[cells.on <= cells.after]
        .groupby("after")
        .agg(correct=("correct", "sum"), total=("total", "sum"), tested=("on", "size"))
    )
    full = seen[seen.tested == seen.index + 1]
    if full.empty:
        return None
    last = full.iloc[-1]
    return int(full.index[-1]) + 1, float(last.correct / last.total)
