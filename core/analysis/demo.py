"""The demo's two runs, fine-tuned and with Total Recall: as recorded, and as carried out here."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

from core.analysis.accuracy import covered
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
    if not store.runs(limit=1):
        return []  # a new home: the digests of configurations would load every method
    numbers = [newest_of(store, config) for config in demo_configs()]
    return [store.run(number) for number in numbers if number is not None]


def recorded_cells(recording: Recording) -> pd.DataFrame:
    """acc[k, i] of a recording, as analysis.accuracy.cells has those of runs; its run is 0."""
    facts = recording.facts
    rows = [
        {
            "run": 0,
            "after": e.after,
            "on": e.on,
            "after_task": facts.tasks[e.after],
            "on_task": facts.tasks[e.on],
            "correct": e.correct,
            "total": e.total,
            "covered": covered(facts, e.after, e.on),
        }
        for e in recording.events
        if isinstance(e, Accuracy)
    ]
    return pd.DataFrame(rows).astype({"covered": "Int64"})
