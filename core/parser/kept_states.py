"""States of a fixed transformer, computed once an utterance and kept for all runs of this home.

In the home's folder `encoders`, a folder a model: `states` holds the numbers one utterance after
the other and is mapped into memory; `index` has a line for each: the utterance's digest, where its
numbers begin, how many words, a checksum. Several processes may append at once. Lines that were
cut off and numbers that do not fit their checksum count as not there.
"""

from __future__ import annotations

import fcntl
import hashlib
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.paths import home

States = NDArray[np.float32]  # (words, size)


def folder(key: str) -> Path:
    """Where the states of a model lie."""
    return home() / "encoders" / key


class KeptStates:
    """The states of one model with one way of pooling."""

    def __init__(self, key: str, size: int) -> None:
        self.size, self.folder = size, folder(key)
        self._at: dict[str, tuple[int, int, int]] = {}  # digest → first row, words, checksum
        self._verified: set[str] = set()
        self._read = 0  # bytes of the index
        self._table: np.memmap[Any, Any] | None = None

    def get(self, words: Sequence[str], make: Callable[[], States]) -> States:
        """The states of the utterance's words, made and kept where there are none."""
        digest = hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]
        if digest not in self._at:
            self._refresh()
        states = self._stored(digest)
        return self._append(digest, make()) if states is None else states

    def _stored(self, digest: str) -> States | None:
        if digest not in self._at:
            return None
        first, count, checksum = self._at[digest]
        if self._table is None or len(self._table) < first + count:
            self._map()
        if self._table is None or len(self._table) < first + count:
            return None
        states = np.asarray(self._table[first : first + count])
        if digest not in self._verified:
            if zlib.crc32(states.tobytes()) != checksum:
                return None
            self._verified.add(digest)
        return states

    def _map(self) -> None:
        path = self.folder / "states"
        rows = path.stat().st_size // (4 * self.size) if path.exists() else 0
        shape = (rows, self.size)
        self._table = np.memmap(path, np.float32, "r", shape=shape) if rows else None

    def _refresh(self) -> None:
        """Read the lines that were added to the index since."""
        try:
            with (self.folder / "index").open("rb") as stream:
                stream.seek(self._read)
                for line in stream:
                    if not line.endswith(b"\n"):
                        break
                    self._read += len(line)
                    self._take(line)
        except FileNotFoundError:
            return

    def _take(self, line: bytes) -> None:
        try:
            digest, first, count, checksum = line.split()
            self._at[digest.decode("ascii")] = (int(first), int(count), int(checksum))
        except ValueError:
            return  # damaged: as if it were not there

    def _append(self, digest: str, states: States) -> States:
        """Keep the states; where they can't be written, they are not kept."""
        states = np.ascontiguousarray(states, dtype=np.float32)
        row = 4 * self.size
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with (
                (self.folder / "states").open("ab") as numbers,
                (self.folder / "index").open("ab") as index,
            ):
                fcntl.flock(index, fcntl.LOCK_EX)
                end = numbers.seek(0, 2)
                first = -(-end // row)
                numbers.write(b"\0" * (first * row - end) + states.tobytes())
                numbers.flush()
                line = f"{digest} {first} {len(states)} {zlib.crc32(states.tobytes())}\n"
                index.write((b"" if self._ends_whole(index.name) else b"\n") + line.encode())
        except OSError:
            return states
        self._refresh()
        return states

    def _ends_whole(self, name: str) -> bool:
        """Whether the index ends with a line's end; a process that was killed may leave half."""
        with Path(name).open("rb") as stream:
            if stream.seek(0, 2) == 0:
                return True
            stream.seek(-1, 2)
            return stream.read(1) == b"\n"
