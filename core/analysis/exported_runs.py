"""Records of finished runs in a file, from which tables can be made without the runs themselves.

A record holds what a run was (configuration, device, versions), how long it took and acc[k, i] as
counts. The file is JSON with a run a line; of two records of one configuration the later holds.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from sqlalchemy import func, select

from core.analysis.accuracy import cells
from core.config import RECORDING, RunConfig
from core.options import ConfigError
from core.runs.run import FINISHED, Run
from core.runs.store import Store
from core.runs.tables import memories

FORMAT = 1  # of the file


@dataclass(frozen=True)
class ExportedRun:
    """A finished run. `counts` are rows (after, on, correct, total, covered or None)."""

    config: RunConfig
    tasks: tuple[str, ...]
    counts: tuple[tuple[int, int, int, int, int | None], ...]
    memories: int  # tasks of which it kept rows
    seconds: float
    device: str
    versions: dict[str, str]

    @property
    def id(self) -> str:
        """Its configuration but for what changes no result: two runs of it are the same run."""
        return self.config.with_(**RECORDING).to_json()


def of_runs(store: Store, runs: Sequence[Run]) -> list[ExportedRun]:
    """The records of those that have finished."""
    finished = [run for run in runs if run.status == FINISHED]
    ids = [run.id for run in finished]
    query = select(memories.c.run_id, func.count()).where(memories.c.run_id.in_(ids))
    kept = {id: count for id, count in store.fetch(query.group_by(memories.c.run_id))}
    columns = ["after", "on", "correct", "total", "covered"]
    found = {
        id: tuple(
            (int(k), int(i), int(right), int(total), None if pd.isna(most) else int(most))
            for k, i, right, total, most in same[columns].itertuples(index=False)
        )
        for id, same in cells(store, finished).groupby("run")
    }
    return [
        ExportedRun(
            config=run.config,
            tasks=run.tasks,
            counts=found.get(run.id, ()),
            memories=kept.get(run.id, 0),
            seconds=round(run.seconds, 1),
            device=run.device,
            versions=dict(run.versions),
        )
        for run in finished
    ]


def table(records: Iterable[ExportedRun]) -> pd.DataFrame:
    """acc[k, i] of these records, with the columns of `accuracy.cells`."""
    rows = [
        (one.id, *counts, one.tasks[counts[0]], one.tasks[counts[1]])
        for one in records
        for counts in one.counts
    ]
    names = ["run", "after", "on", "correct", "total", "covered", "after_task", "on_task"]
    frame = pd.DataFrame(rows, columns=names)
    frame["covered"] = frame["covered"].astype("Int64")
    return frame


def merge(*parts: Iterable[ExportedRun]) -> list[ExportedRun]:
    """All of them in order, each configuration once: as the last part has it."""
    found: dict[str, ExportedRun] = {}
    for part in parts:
        found |= {one.id: one for one in part}
    return list(found.values())


def save(path: Path, records: Iterable[ExportedRun]) -> None:
    """Write the file; ConfigError where that can't be."""
    lines = sorted(json.dumps(_plain(one), sort_keys=True) for one in records)
    text = f'{{"format": {FORMAT}, "runs": [\n' + ",\n".join(lines) + "\n]}\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: can't be written: {error.strerror}.") from error


def load(path: Path) -> list[ExportedRun]:
    """The records of a file; ConfigError where it is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise ConfigError(f"{path}: is not a file of results: {error}.") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ConfigError(f"{path}: is not a file of results of format {FORMAT}.")
    try:
        return [_record(values) for values in content["runs"]]
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ConfigError(f"{path}: a run in it can't be read: {error}.") from error


def _plain(one: ExportedRun) -> dict[str, Any]:
    values = {name: value for name, value in vars(one).items() if name != "config"}
    return values | {"config": one.config.to_dict()}


def _record(values: dict[str, Any]) -> ExportedRun:
    record = ExportedRun(
        config=RunConfig.from_dict(values["config"]),
        tasks=tuple(values["tasks"]),
        counts=tuple((*map(int, counts[:4]), counts[4]) for counts in values["counts"]),
        memories=int(values["memories"]),
        seconds=float(values["seconds"]),
        device=str(values["device"]),
        versions=dict(values["versions"]),
    )
    if any(max(counts[:2]) >= len(record.tasks) for counts in record.counts):
        raise ValueError("its counts are of tasks that it does not name")
    return record
