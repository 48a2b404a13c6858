"""What people note of a run: tags, a note, that it is put away. No result depends on it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import update

from core.runs.tables import runs
from core.text import clean

if TYPE_CHECKING:
    from core.runs.store import Store

MOST_TAGS, TAG_LENGTH = 12, 30
NOTE_LENGTH = 1000  # characters


def read_tags(text: str) -> tuple[str, ...]:
    """`baseline, for the paper` → two tags, each once; what goes beyond MOST_TAGS is left out."""
    tags = (clean(part, TAG_LENGTH) for part in text.split(","))
    return tuple(dict.fromkeys(filter(None, tags)))[:MOST_TAGS]


def describe(store: "Store", id: int, *, tags: Iterable[str], note: str) -> None:
    """Set the run's tags and its note; nothing where there is no such run."""
    _set(store, [id], tags=",".join(read_tags(",".join(tags))), note=clean(note, NOTE_LENGTH))


def add_tags(store: "Store", ids: Iterable[int], tags: Iterable[str]) -> None:
    """Tag these runs, beside the tags that they have."""
    new = list(tags)
    for id in ids:
        run = store.run(id)
        describe(store, id, tags=[*run.tags, *new], note=run.note)


def archive(store: "Store", ids: Iterable[int], archived: bool = True) -> None:
    """Put runs away, so that lists leave them out, or take them out again."""
    _set(store, list(ids), archived=archived)


def _set(store: "Store", ids: list[int], **values: object) -> None:
    with store.writing() as connection:
        connection.execute(update(runs).where(runs.c.id.in_(ids)).values(**values))
