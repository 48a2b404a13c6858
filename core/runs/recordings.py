"""Runs in a file, as the events that they told: a store can have them without their training.

The file is JSON, packed by xz. Numbers that are not whole keep DIGITS digits; where the run was
(Progress) is left out. The parsers themselves are not in it.
"""

import dataclasses
import json
import lzma
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

from core import events
from core.config import RunConfig
from core.events import Event, Progress, RunStarted
from core.paths import PROJECT
from core.runs import changes
from core.runs.digest import digest
from core.runs.event_writer import write_event
from core.runs.new_run import new_run
from core.runs.run import FINISHED, Run, StoreError, default_name
from core.runs.store import Store
from core.runs.tables import runs

FORMAT = 1  # of the file
DIGITS = 5  # that count
DEMO_FILE = PROJECT / "assets" / "demo.json.xz"
MARK = "recorded"  # among the versions of a run that comes from a file: when it was recorded
IMPORTED = "imported"  # or when it was imported, of one of which accuracies are all that is known


@dataclass(frozen=True)
class Recording:
    """A finished run: its configuration, and what it recorded."""

    config: RunConfig
    versions: dict[str, str]
    recorded: datetime  # its end
    seconds: float
    events: tuple[Event, ...]

    @property
    def facts(self) -> RunStarted:
        """What was known once its data were read."""
        return next(event for event in self.events if isinstance(event, RunStarted))


def rounded(event: Event) -> Event:
    """The event as a file holds it."""
    values = {f.name: _rounded(getattr(event, f.name)) for f in dataclasses.fields(event)}
    return type(event)(**values)


def save(path: Path, recordings: Iterable[Recording]) -> None:
    """Write the file."""
    content = {"format": FORMAT, "runs": [_plain(recording) for recording in recordings]}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def load(path: Path) -> tuple[Recording, ...]:
    """The recordings of a file; StoreError where it is none."""
    try:
        content = json.loads(lzma.decompress(path.read_bytes()))
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}")
        return tuple(_recording(values) for values in content["runs"])
    except (OSError, lzma.LZMAError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path} is no file of recorded runs: {error}.") from error


def put_in(store: Store, recordings: Sequence[Recording]) -> list[int]:
    """The numbers of these runs in the store, where they are finished runs, marked as recorded;
    those that it has already are not put in again.
    """
    known = {str(run.config.to_json()): run.id for run in store.runs() if MARK in run.versions}
    return [known.get(each.config.to_json()) or put(store, each) for each in recordings]


def put(store: Store, recording: Recording, mark: str = MARK, **more: Any) -> int:
    """The number of the run, made finished and marked; `more` are columns of its row.

    It was never begun here (`attempts`), so that its seconds say nothing of this machine.
    """
    when = recording.recorded
    began = when - timedelta(seconds=recording.seconds)
    values = new_run(
        recording.config,
        f"{default_name(recording.config)} ({mark})",
        versions=recording.versions | {mark: f"{when:%Y-%m-%d}"},
    )
    ended = {
        "status": FINISHED,
        "progress": 1.0,
        "seconds": recording.seconds,
        "started": began,
        "ended": when,
    }
    with store.writing() as connection:
        id = changes.create(connection, values | more, None)
        for event in recording.events:
            write_event(connection, id, event)
        changes.set_values(connection, id, **ended)
    return id


def from_file(run: Run) -> bool:
    """Whether the run came from a file: nobody has carried it out here."""
    return MARK in run.versions or IMPORTED in run.versions


def newest_of(store: Store, config: RunConfig) -> int | None:
    """The number of the newest run of this configuration that was carried out, not recorded."""
    query = select(runs.c.id).where(runs.c.digest == digest(config))
    for row in store.fetch(query.order_by(runs.c.id.desc())):
        with suppress(StoreError):  # it was deleted just now, or can't be read
            if not from_file(store.run(row.id)):
                return int(row.id)
    return None


def _plain(recording: Recording) -> dict[str, Any]:
    kept = [rounded(event) for event in recording.events if not isinstance(event, Progress)]
    return {
        "config": recording.config.to_dict(),
        "versions": recording.versions,
        "recorded": recording.recorded.isoformat(),
        "seconds": round(recording.seconds, 1),
        "events": [[type(event).__name__, dataclasses.asdict(event)] for event in kept],
    }


def _recording(values: dict[str, Any]) -> Recording:
    return Recording(
        config=RunConfig.from_dict(values["config"]),
        versions=dict(values["versions"]),
        recorded=datetime.fromisoformat(values["recorded"]),
        seconds=float(values["seconds"]),
        events=tuple(_event(name, fields) for name, fields in values["events"]),
    )


def _event(name: str, values: dict[str, Any]) -> Event:
    kind = getattr(events, name)
    event: Event = kind(**{n: _as_tuple(value) for n, value in values.items()})
    return event


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    return type(value)(map(_rounded, value)) if isinstance(value, (list, tuple)) else value
