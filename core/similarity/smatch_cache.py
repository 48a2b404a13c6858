"""Smatch counts on disk, by the two forms' content: a pair is aligned once on this machine."""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

_TABLES = """
CREATE TABLE IF NOT EXISTS forms (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS pairs (
    low INTEGER NOT NULL, high INTEGER NOT NULL, matches INTEGER NOT NULL,
    PRIMARY KEY (low, high)
) WITHOUT ROWID;
"""
_WAIT_SECONDS = 30


class PairCache:
    """Counts of pairs of some forms, in an SQLite file that any number of processes share."""

    def __init__(self, path: Path, texts: Sequence[str]) -> None:
        """OSError where the folder or the file can't be made."""
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        digests = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        with self._open() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO forms (digest) VALUES (?)", [(d,) for d in digests]
            )
            numbers = dict(connection.execute("SELECT digest, number FROM forms"))
        self._numbers = [numbers[digest] for digest in digests]
        self._places = {number: place for place, number in enumerate(self._numbers)}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self._path, timeout=_WAIT_SECONDS)) as connection:
                connection.executescript(_TABLES)
                with connection:
                    yield connection
        except sqlite3.Error as error:
            raise OSError(f"{self._path}: {error}; delete the file to start it anew.") from error

    def read(self) -> dict[tuple[int, int], int]:
        """The counts there are: (place, place) in the texts given → count, lower place first."""
        with self._open() as connection:
            connection.execute("CREATE TEMP TABLE mine (number INTEGER PRIMARY KEY)")
            connection.executemany("INSERT INTO mine VALUES (?)", [(n,) for n in self._numbers])
            rows = connection.execute(
                "SELECT low, high, matches FROM mine JOIN pairs ON low = mine.number "
                "WHERE high IN (SELECT number FROM mine)"
            ).fetchall()
        return {
            self._key(self._places[low], self._places[high]): count for low, high, count in rows
        }

    def write(self, counts: Iterable[tuple[tuple[int, int], int]]) -> None:
        """Keep these counts."""
        rows = [(*sorted((self._numbers[i], self._numbers[j])), n) for (i, j), n in counts]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)", rows)

    @staticmethod
    def _key(left: int, right: int) -> tuple[int, int]:
        return (left, right) if left < right else (right, left)
