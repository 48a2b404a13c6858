"""A text file as it is, compressed by gzip, or as a member of a ZIP archive."""

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import IO

from core.data.base import DataError
from core.data.io.regular import open_regular


@contextmanager
def opened(path: Path) -> Iterator[tuple[IO[bytes], int]]:
    """The text, and how many bytes of it there are (0: not known); DataError where it is none."""
    archive, member = _in_archive(path)
    with open_regular(archive) as stream:
        magic = stream.read(4)
        stream.seek(0)
        if magic.startswith(b"PK\x03\x04"):
            with _zip(archive) as bundle:
                info = _member(bundle, archive, member)
                with _unpacking(path), bundle.open(info) as text:
                    yield text, info.file_size
        elif magic.startswith(b"\x1f\x8b"):
            with _unpacking(path), gzip.GzipFile(fileobj=stream) as text:
                yield BufferedReader(text), 0
        else:
            yield stream, path.stat().st_size


def _in_archive(path: Path) -> tuple[Path, str]:
    """`a.zip/b.txt` as the archive and its member; any other path as it is."""
    for parent in path.parents:
        if parent.suffix.lower() == ".zip" and parent.is_file():
            return parent, path.relative_to(parent).as_posix()
    return path, ""


def exists(path: Path) -> bool:
    """Whether the file, or the archive of the member, is there."""
    return _in_archive(path)[0].is_file()


def archive_of(path: Path) -> Path:
    """The file itself, or the archive of the member."""
    return _in_archive(path)[0]


@contextmanager
def _unpacking(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError, RuntimeError) as error:
        raise DataError(f"{path}: can't be unpacked: {error}.") from error


def _zip(archive: Path) -> zipfile.ZipFile:
    with _unpacking(archive):
        return zipfile.ZipFile(archive)


def _member(bundle: zipfile.ZipFile, archive: Path, member: str) -> zipfile.ZipInfo:
    infos = {
        info.filename: info
        for info in bundle.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    }
    if not member and len(infos) == 1:
        return next(iter(infos.values()))
    if member in infos:
        return infos[member]
    names = ", ".join(list(infos)[:6]) or "nothing"
    example = f"{archive}/{next(iter(infos), 'vectors.txt')}"
    raise DataError(
        f"{archive}: expected the name of one of its members, as in {example}; it holds {names}."
    )
