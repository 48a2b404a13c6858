"""Records of finished runs: what tables are made of, whether a store or a file has them.

A record holds what a run was (configuration, device, versions), how long it took and acc[k, i] as
counts. A file of results (assets/results.json) is JSON with a run a line, written by `experiment
export` and read by `experiment import`; of two records of one configuration the later holds.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from core.analysis.accuracy import covered
from core.analysis.settings import same_settings
from core.config import RunConfig
from core.config.earlier import anchors_stated
from core.options import ConfigError
from core.regular import read_text
from core.runs import tables
from core.runs.digest import digest_of_stored
from core.runs.recordings import IMPORTED
from core.runs.run import FINISHED, Run
from core.runs.store import Store
from core.runs.tables import accuracies

FORMAT = 2  # of the file; in 1 Total Recall's penalty left its anchors unsaid
Counts = tuple[int, int, int, int, int | None]  # after, on, correct, total, covered


@dataclass(frozen=True)
class ExportedRun:
    """A finished run."""

    config: RunConfig
    tasks: tuple[str, ...]
    counts: tuple[Counts, ...]
    seconds: float
    device: str
    versions: dict[str, str]
    digest: str  # core.runs.digest when it was run

    @cached_property
    def id(self) -> str:
        """Its configuration but for what changes no result: two runs of it are the same run."""
        return same_settings(self.config)


def of_runs(store: Store, runs: Sequence[Run]) -> list[ExportedRun]:
    """The records of those that have finished."""
    finished = {run.id: run for run in runs if run.status == FINISHED}
    cells = accuracies.c
    query = select(cells.run_id, cells.after, cells.on_task, cells.correct, cells.total)
    query = query.where(cells.run_id.in_(finished)).order_by(cells.after, cells.on_task)
    counts: dict[int, list[Counts]] = {id: [] for id in finished}
    for id, after, on, correct, total in map(tuple, store.fetch(query)):
        known = covered(finished[id].facts, after, on)
        counts[id].append((after, on, correct, total, known))
    query = select(tables.runs.c.id, tables.runs.c.digest).where(tables.runs.c.id.in_(finished))
    digests = {row.id: row.digest for row in store.fetch(query)}
    return [
        ExportedRun(
            config=run.config,
            tasks=run.tasks,
            counts=tuple(counts[id]),
            seconds=round(run.seconds, 1),
            device=run.device,
            versions={name: v for name, v in run.versions.items() if name != IMPORTED},
            digest=digests.get(run.id, ""),
        )
        for id, run in finished.items()
    ]


def tally(store: Store) -> tuple[int, int]:
    """How many runs have finished, and the newest of them: changes with whatever finishes."""
    query = select(func.count().label("n"), func.max(tables.runs.c.id).label("newest"))
    row = store.fetch(query.select_from(tables.runs).where(tables.runs.c.status == FINISHED))[0]
    return int(row.n), int(row.newest or 0)


def merge(*parts: Iterable[ExportedRun]) -> list[ExportedRun]:
    """All of them in order, each configuration once: as the last part has it."""
    by_id: dict[str, ExportedRun] = {}
    for part in parts:
        by_id |= {record.id: record for record in part}
    return list(by_id.values())


def save(path: Path, records: Iterable[ExportedRun]) -> None:
    """Write the file; ConfigError where that can't be."""
    try:
        path.write_text(written(records), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: can't be written: {error.strerror}.") from error


def written(records: Iterable[ExportedRun]) -> str:
    """The text of a file of results; `read` gives the records back."""
    lines = sorted(json.dumps(_plain(record), sort_keys=True) for record in records)
    return f'{{"format": {FORMAT}, "runs": [\n' + ",\n".join(lines) + "\n]}\n"


def load(path: Path) -> list[ExportedRun]:
    """The records of a file; ConfigError where it is none."""
    try:
        return read(read_text(path), str(path))
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not a file of results: {error}.") from error


def read(text: str, where: str) -> list[ExportedRun]:
    """The records of a file's text; ConfigError, which begins with `where`, where it is none."""
    try:
        content = json.loads(text)
    except RecursionError:
        raise ConfigError(f"{where}: is not a file of results: it is nested too deep.") from None
    except ValueError as error:
        raise ConfigError(f"{where}: is not a file of results: {error}.") from error
    version = content.get("format") if isinstance(content, dict) else None
    if type(version) is not int or not 1 <= version <= FORMAT:
        raise ConfigError(f"{where}: is not a file of results of format {FORMAT}.")
    try:
        return [_record(values, version) for values in content["runs"]]
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, AttributeError) as error:
        raise ConfigError(f"{where}: a run in it can't be read: {error}.") from error


def _plain(record: ExportedRun) -> dict[str, Any]:
    values = {item.name: getattr(record, item.name) for item in fields(record)}
    return values | {"config": record.config.to_dict()}


def _record(values: dict[str, Any], version: int) -> ExportedRun:
    config = values["config"]
    config = RunConfig.from_dict(anchors_stated(config) if version < 2 else config)
    record = ExportedRun(
        config=config,
        tasks=tuple(values["tasks"]),
        counts=tuple((*map(int, counts[:4]), counts[4]) for counts in values["counts"]),
        seconds=float(values["seconds"]),
        device=str(values["device"]),
        versions=dict(values["versions"]),
        digest=str(values.get("digest") or digest_of_stored(config.to_json())),
    )
    if not all(0 <= k < len(record.tasks) for counts in record.counts for k in counts[:2]):
        raise ValueError("its counts are of tasks that it does not name")
    return record
