"""Word vectors of a fastText model, its .bin (Bojanowski et al., 2017), of which subwords are part.

A word's vector is the mean of its own row and those of its n-grams of characters, `<` and `>` its
ends; of a word that the model has not, the mean of its n-grams' rows alone. The matrix is mapped
into memory: only the rows that are asked for are read.
"""

import hashlib
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from core.data.base import DataError
from core.data.io.regular import open_regular
from core.parser.vector_text import FileVectors, Progress, Vector

MAGIC = struct.pack("<i", 793712314)
_VERSION = 12
_HEADER = struct.Struct("<14i d 3i 2q")  # magic, version, 12 arguments, t; sizes of the dictionary
_MATRIX = struct.Struct("<? 2q")  # quantised or not, rows, columns
_AFTER_WORD = 9  # bytes: how often it came, and its kind
_CHUNK = 1 << 20
_MOST_COLUMNS = 4096
_LONGEST = 1 << 16  # bytes of a word


@dataclass(frozen=True)
class _Model:
    """The dictionary's size, the n-grams, and where the matrix of vectors lies."""

    n_words: int
    bucket: int  # rows of n-grams; several share one
    min_n: int
    max_n: int
    words: dict[bytes, int]  # of those that were asked for → row
    table: NDArray[np.float32]  # (words + bucket, numbers)


def is_model(path: Path) -> bool:
    """Whether the file begins as a fastText model does."""
    try:
        with open_regular(path) as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except DataError:
        return False


def read_model(
    path: Path,
    wanted: Collection[str],
    *,
    any_case: bool = False,
    subwords: bool = False,
    progress: Progress = lambda share: None,
) -> FileVectors:
    """The vectors of the wanted words that the model has.

    With `subwords` also those of words that it has not, with `any_case` those of words in another
    case. DataError where the file is no whole model.
    """
    asked = {word.encode() for word in wanted}
    with open_regular(path) as stream:
        try:
            model, others = _read(stream, path, asked, any_case)
            if subwords:
                others = {word: word.encode() for word in wanted if _n_grams(model, word.encode())}
            own = {word: word.encode() for word in wanted if word.encode() in model.words}
            vectors = {word: _vector(model, form) for word, form in own.items()}
            more = {word: _vector(model, form) for word, form in others.items() if word not in own}
        except (struct.error, ValueError) as error:
            raise DataError(
                f"{path}: expected a whole fastText model of version {_VERSION}, not quantised, "
                "with finite numbers."
            ) from error
        digest = _digest(stream, path.stat().st_size, progress)
    return FileVectors(model.table.shape[1], model.n_words, vectors, more, digest)


def _read(
    stream: BinaryIO, path: Path, asked: set[bytes], any_case: bool
) -> tuple[_Model, dict[str, bytes]]:
    """The model, and wanted words → how another case of them stands there; ValueError: it isn't
    whole.
    """
    header = _HEADER.unpack(stream.read(_HEADER.size))
    columns, bucket, min_n, max_n = header[2], header[10], header[11], header[12]
    size, n_words, pruned = header[15], header[16], header[19]
    if header[1] != _VERSION or pruned >= 0:
        raise ValueError
    words: dict[bytes, int] = {}
    cased: dict[str, bytes] = {}
    entries = _Entries(stream)
    for row, word in enumerate(entries.words(size)):
        if row >= n_words:
            continue  # a label
        if word in asked:
            words[word] = row
        elif any_case:
            lower = word.decode("utf-8", "replace").lower()
            if lower.encode() in asked and lower not in cased:
                cased[lower] = word
                words[word] = row
    at = _HEADER.size + entries.n_bytes
    stream.seek(at)
    quantised, rows, n_columns = _MATRIX.unpack(stream.read(_MATRIX.size))
    fits = 0 < columns == n_columns <= _MOST_COLUMNS and rows == n_words + bucket
    if quantised or not fits or min(n_words, bucket, min_n, max_n) < 0:
        raise ValueError
    table = np.memmap(path, np.float32, "r", at + _MATRIX.size, shape=(rows, columns))
    return _Model(n_words, bucket, min_n, max_n, words, table), cased


class _Entries:
    """Reads the dictionary's words one after the other."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.n_bytes = 0  # of the entries read

    def words(self, count: int) -> Iterator[bytes]:
        """So many; ValueError where the file ends before."""
        held, at = b"", 0
        for _ in range(count):
            while (end := held.find(b"\0", at)) < 0 or len(held) <= end + _AFTER_WORD - 1:
                chunk = self._stream.read(_CHUNK)
                if not chunk or len(held) - at > _LONGEST:
                    raise ValueError
                held, at = held[at:] + chunk, 0
            yield held[at:end]
            self.n_bytes += end + 1 + _AFTER_WORD - at
            at = end + 1 + _AFTER_WORD


def _vector(model: _Model, word: bytes) -> Vector:
    of_word = [model.words[word]] if word in model.words else []
    rows = [*of_word, *_n_grams(model, word)]
    vector: Vector = np.asarray(model.table[rows], dtype=np.float32).mean(axis=0)
    if not np.isfinite(vector).all():
        raise ValueError
    return vector


def _n_grams(model: _Model, word: bytes) -> list[int]:
    """Rows of the word's n-grams of characters; its end marks alone are none."""
    if not model.bucket or word == b"</s>":  # the mark of a line's end
        return []
    text = b"<" + word + b">"
    starts = [at for at, byte in enumerate(text) if byte & 0xC0 != 0x80] + [len(text)]
    rows = []
    for first in range(len(starts) - 1):
        for n in range(1, model.max_n + 1):
            if first + n >= len(starts):
                break
            at_edge = first == 0 or first + n == len(starts) - 1
            if n >= model.min_n and not (n == 1 and at_edge):
                piece = text[starts[first] : starts[first + n]]
                rows.append(model.n_words + _hash(piece) % model.bucket)
    return rows


def _hash(piece: bytes) -> int:
    """FNV-1a of 32 bits; a byte counts as a signed number, as fastText has it."""
    value = 2166136261
    for byte in piece:
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return value


def _digest(stream: BinaryIO, size: int, progress: Progress) -> str:
    """SHA-256 of the whole file."""
    whole, done = hashlib.sha256(), 0
    stream.seek(0)
    while chunk := stream.read(_CHUNK):
        whole.update(chunk)
        done += len(chunk)
        progress(done / max(size, done))
    return whole.hexdigest()
