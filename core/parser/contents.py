"""What a path in a configuration holds: the SHA-256 of a vectors file's text, of a model's files.

Noted in the home's folder `contents`, a note a path, under the path's stamp: size and time. So a
file is read once for it, and of one that is gone it is known what it held.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from core.config import RANDOM_VECTORS
from core.data.base import DataError
from core.data.io import vector_files
from core.parser.packed_text import archive_of, exists, opened
from core.parser.vector_text import MAX_BYTES
from core.paths import home

_CHUNK = 1 << 20
_OF_MODEL = ("*.safetensors", "*.safetensors.index.json", "*.json")
_FAULTS = (OSError, ValueError, DataError)  # too long a name; no file; no archive


def folder() -> Path:
    """Where the notes lie."""
    return home() / "contents"


def of_vectors(source: str) -> str:
    """What decides the vectors of `embeddings`: a name, or the digest of the file's text.

    The source itself where it is no file that is or was here.
    """
    if source in (RANDOM_VECTORS, *vector_files.TABLES):
        return source
    path = Path(source)
    digest = _known(path, lambda: vectors_stamp(path), lambda: _text_digest(path))
    return _PUBLISHED.get(digest, f"sha256:{digest}") if digest else source


def of_model(source: str) -> str:
    """What decides a transformer's states: a name on Hugging Face, or its folder's digest."""
    if not source.strip():
        return source
    path = Path(source).expanduser()
    digest = _known(path, lambda: model_stamp(path), lambda: model_digest(path))
    return f"sha256:{digest}" if digest else source


def vectors_stamp(path: Path) -> list[object]:
    """What changes where a vectors file does; OSError where there is none."""
    state = archive_of(path).stat()
    return [str(path.resolve()), state.st_size, state.st_mtime_ns, state.st_ino]


def model_stamp(path: Path) -> list[object]:
    """What changes where a model's files do."""
    files = model_files(path)
    return [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]


def model_files(path: Path) -> list[Path]:
    """The files of a model's folder that decide its states."""
    return sorted(f for pattern in _OF_MODEL for f in path.glob(pattern) if f.is_file())


def model_digest(path: Path) -> str:
    """SHA-256 of a model's files and their names."""
    whole = hashlib.sha256()
    for file in model_files(path):
        with file.open("rb") as stream:
            whole.update(file.name.encode() + hashlib.file_digest(stream, "sha256").digest())
    return whole.hexdigest()


def noted(path: Path, stamp: list[object] | None = None) -> str:
    """The digest noted of this path; with a stamp only if it is that of the note. Else empty."""
    try:
        note = json.loads(_note(path).read_text(encoding="utf-8"))
        digest, known = str(note["digest"]), note["stamp"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return digest if stamp is None or stamp == known else ""


def note(path: Path, stamp: list[object], digest: str) -> None:
    """Written beside and renamed; where that fails, nothing is noted."""
    target = _note(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(f".{hashlib.sha256(digest.encode()).hexdigest()[:8]}.part")
        part.write_text(json.dumps({"stamp": stamp, "digest": digest}), encoding="utf-8")
        part.replace(target)
    except OSError:
        return


def _note(path: Path) -> Path:
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    return folder() / f"{name[:32]}.json"


def _known(path: Path, stamp_of: Callable[[], list[object]], make: Callable[[], str]) -> str:
    """The digest of what lies there, or lay there last; empty where it can't be read."""
    try:
        if not (exists(path) or model_files(path)):
            return noted(path)
        stamp = stamp_of()
        digest = noted(path, stamp)
        if not digest:
            digest = make()
            note(path, stamp, digest)
        return digest
    except _FAULTS:
        return ""


def _text_digest(path: Path) -> str:
    """SHA-256 of the text, however it is packed."""
    whole, done = hashlib.sha256(), 0
    most = max(MAX_BYTES, archive_of(path).stat().st_size)  # a model may be larger than any text
    with opened(path) as (stream, _):
        while chunk := stream.read(_CHUNK):
            done += len(chunk)
            if done > most:
                raise DataError(f"{path} is larger than vectors may be.")
            whole.update(chunk)
    return whole.hexdigest()


_PUBLISHED = {
    table.alone.digest: name for name, table in vector_files.TABLES.items() if table.alone
}
