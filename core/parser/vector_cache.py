"""Reduced tables of word vectors: what a file has of a vocabulary, so that it is read once.

In the home's folder `vectors`: one file a table, under the digest of the text and of the wanted
words. Whatever is wrong with one, the vectors are read again.
"""

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from core.parser import contents
from core.parser.vector_text import FileVectors
from core.paths import home

MOST = 40  # tables kept, those used last
_VERSION = 2


def folder() -> Path:
    """Where the tables lie."""
    return home() / "vectors"


def get(
    path: Path, wanted: Sequence[str], lookup: str, read: Callable[[], FileVectors]
) -> FileVectors:
    """What was kept of this file for these words, else what `read` gives, which is kept.

    `lookup` says how words are looked up.
    """
    words = _digest([_VERSION, lookup, *wanted])
    stamp: list[object] = []
    try:
        stamp = contents.vectors_stamp(path)
        digest = contents.noted(path, stamp)
        table = _load(folder() / f"{digest[:24]}-{words}.npz", digest)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        table = read()
        _keep(words, table)
        contents.note(path, stamp, table.digest)
    return table


def _digest(values: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:24]


def _load(path: Path, digest: str) -> FileVectors:
    with np.load(path, allow_pickle=False) as arrays:
        facts = json.loads(str(arrays["facts"]))
        vectors = arrays["vectors"]
    if facts["digest"] != digest or vectors.shape != (len(facts["words"]), facts["size"]):
        raise ValueError
    os.utime(path)
    split = facts["exact"]
    rows = list(zip(facts["words"], vectors, strict=True))
    return FileVectors(facts["size"], facts["rows"], dict(rows[:split]), dict(rows[split:]), digest)


def _keep(words: str, table: FileVectors) -> None:
    """Written beside and renamed; where that fails, nothing is kept."""
    facts = {
        "digest": table.digest,
        "size": table.size,
        "rows": table.rows,
        "words": [*table.vectors, *table.others],
        "exact": len(table.vectors),
    }
    rows = [*table.vectors.values(), *table.others.values()]
    vectors = np.stack(rows) if rows else np.empty((0, table.size), dtype=np.float32)
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder(), suffix=".part", delete=False) as stream:
            np.savez(stream, facts=np.array(json.dumps(facts)), vectors=vectors)
        Path(stream.name).replace(folder() / f"{table.digest[:24]}-{words}.npz")
        for old in sorted(folder().glob("*.npz"), key=lambda p: -p.stat().st_mtime)[MOST:]:
            old.unlink(missing_ok=True)
    except OSError:
        return
