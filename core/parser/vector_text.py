"""Word vectors as text: a word and its numbers a line, as GloVe, word2vec and fastText write them.

Plain, compressed by gzip, or as a member of a ZIP archive (`archive.zip/member.txt`, or the archive
alone where it has one member). A file is read line by line: every line is checked for the same
number of columns, the numbers of wanted words are read, nothing else is held.
"""

import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from core.data.base import DataError
from core.data.io.rows import fault
from core.parser.packed_text import opened

MAX_BYTES = 4_000_000_000  # of text, unpacked: GloVe 6B with 300 numbers has 1.04
MAX_LINE = 1 << 16  # bytes; 4096 numbers of 12 characters are fewer
Progress = Callable[[float], None]  # the share that is read

Vector = NDArray[np.float32]

_EVERY = 5000  # lines between two reports
_AT_MOST = (
    f"expected at most {MAX_BYTES / 1e9:.0f} GB of text; its first lines alone, which have the "
    "most frequent words, are enough: head -n 1000000"
)


@dataclass(frozen=True)
class FileVectors:
    """What a file has of the wanted words, and the SHA-256 of its text."""

    size: int  # numbers of a vector
    rows: int  # words of the file
    vectors: Mapping[str, Vector]  # wanted word → (size,) float32
    others: Mapping[str, Vector]  # wanted word → what stands for its own: see `read_vectors`
    digest: str


def read_vectors(
    path: Path,
    wanted: Collection[str],
    *,
    any_case: bool = False,
    progress: Progress = lambda share: None,
) -> FileVectors:
    """The vectors of the wanted words that the file has; with `any_case` as `others` the
    first of those whose lower case is a wanted word.

    A first line of two whole numbers (word2vec's header) is passed over, and so are words that hold
    blanks, which GloVe's largest file has: no utterance has such words. DataError names file, line
    and column.
    """
    with opened(path) as (stream, total):
        if total > MAX_BYTES:
            raise DataError(f"{path} has {total / 1e9:.1f} GB: {_AT_MOST}.")
        reader = _Reader(str(path), {word.encode(): word for word in wanted}, any_case)
        try:
            reader.read(stream, total, progress)
        except OSError as error:
            raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
    if not reader.columns:
        raise DataError(f"{path} holds no vectors; expected a word and its numbers a line.")
    return FileVectors(
        reader.columns, reader.rows, reader.vectors, reader.cased, reader.digest.hexdigest()
    )


class _Reader:
    """Reads line by line."""

    def __init__(self, source: str, wanted: Mapping[bytes, str], any_case: bool) -> None:
        self.source, self.wanted, self.any_case = source, wanted, any_case
        self.columns = self.rows = 0
        self.vectors: dict[str, Vector] = {}
        self.cased: dict[str, Vector] = {}
        self.lines: dict[bytes, int] = {}  # where the wanted words stand
        self.digest = hashlib.sha256()

    def read(self, stream: IO[bytes], total: int, progress: Progress) -> None:
        done = number = 0
        while raw := stream.readline(MAX_LINE + 1):
            number += 1
            done += len(raw)
            self.digest.update(raw)
            if len(raw) > MAX_LINE:
                raise fault(self.source, number, 1, f"expected a line of at most {MAX_LINE} bytes")
            if done > MAX_BYTES:
                raise fault(self.source, number, 1, _AT_MOST)
            if number % _EVERY == 0 and total:
                progress(done / total)
            self._line(raw.rstrip(b"\r\n").rstrip(b" "), number)
        progress(1.0)

    def _line(self, line: bytes, number: int) -> None:
        count = line.count(b" ")
        if number == 1 and count == 1 and line.replace(b" ", b"").isdigit():
            return
        if not self.columns:
            if b"\0" in line or not count:
                raise fault(
                    self.source,
                    number,
                    1,
                    "expected a word and its numbers, with single blanks "
                    "between them, as text (word2vec's .bin is none)",
                )
            self.columns = count
        self.rows += 1
        if count != self.columns:
            further = line.split(b" ")[1 : count - self.columns + 1]
            if count > self.columns and not any(map(_is_number, further)):
                return  # a word that holds blanks
            raise self._wrong_count(line, number, count)
        self._take(line, number)

    def _take(self, line: bytes, number: int) -> None:
        """Read the line's numbers where its word is a wanted one."""
        word = line[: line.index(b" ")]
        text = self.wanted.get(word)
        if text is not None:
            if word in self.lines:
                before = f"'{text}' has a vector in line {self.lines[word]} already"
                raise fault(self.source, number, 1, before)
            self.lines[word] = number
            self.vectors[text] = self._vector(line, number)
        elif self.any_case:
            text = self.wanted.get(word.decode("utf-8", "replace").lower().encode())
            if text is not None and text not in self.cased:
                self.cased[text] = self._vector(line, number)

    def _wrong_count(self, line: bytes, number: int, count: int) -> DataError:
        """At the first number too many, or at the end where some are missing."""
        kept = line.split(b" ")[: self.columns + 1]
        column = len(b" ".join(kept).decode("utf-8", "replace")) + 2
        column -= count < self.columns
        return fault(
            self.source,
            number,
            column,
            f"expected a word and {self.columns} numbers, as in the lines before, found {count} "
            "numbers",
        )

    def _vector(self, line: bytes, number: int) -> Vector:
        parts = line.split(b" ")
        with np.errstate(over="ignore"):
            try:
                vector = np.array([float(part) for part in parts[1:]], dtype=np.float32)
            except ValueError:
                vector = np.full(1, np.nan, dtype=np.float32)
        if np.isfinite(vector).all():
            return vector
        at = next(at for at, part in enumerate(parts) if at and not _is_finite(part))
        column = len(b" ".join(parts[:at]).decode("utf-8", "replace")) + 2
        text = parts[at].decode("utf-8", "replace")
        raise fault(self.source, number, column, f"expected a finite number, found '{text[:40]}'")


def _is_finite(part: bytes) -> bool:
    with np.errstate(over="ignore"):
        return _is_number(part) and bool(np.isfinite(np.float32(float(part))))


def _is_number(part: bytes) -> bool:
    try:
        float(part)
    except ValueError:
        return False
    return True
