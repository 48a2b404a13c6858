"""Checkpoints in an object store: `TOTAL_RECALL_HOME=s3://bucket/prefix`, by pyarrow.fs.

What atomic means there. An object is there whole or not at all: an upload that was cut short leaves
nothing under its key, and who reads while another writes gets all of the earlier object or all of
the later one. Nothing can be renamed, and two who write one key are not told of each other. So a
checkpoint is uploaded under a key of its writer's own and copied to the key that counts by the
server, in one request, while the run's row is locked for its owner (`publish`): who has lost the
run can't replace the checkpoint of who has it now. A process that is killed in between leaves its
own key behind, which is removed when the run goes on or ends.

The address takes what pyarrow.fs.FileSystem.from_uri does (`?region=…&endpoint_override=…`); keys
come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or the machine's role.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

Publish = Callable[[Callable[[], None]], None]  # calls what makes the new object count, or raises


@dataclass(frozen=True)
class Bucket:
    """All below a prefix of an object store."""

    files: Any  # pyarrow.fs.FileSystem
    prefix: str

    @classmethod
    def at(cls, address: str) -> Self:
        """OSError where the address is none that can be opened."""
        return cls(*_opened(address, os.getpid()))

    def __truediv__(self, name: str) -> "StoredObject":
        return StoredObject(self, name)

    def below(self, name: str) -> "Bucket":
        """The part of it under another level of the prefix."""
        return Bucket(self.files, f"{self.prefix}/{name}")

    def sizes(self, older: float = 0.0) -> dict[str, int]:
        """The bytes of each object by its name, of those written so many seconds ago."""
        from pyarrow.fs import FileSelector, FileType

        chosen = FileSelector(self.prefix, allow_not_found=True, recursive=True)
        before = time.time() - older
        return {
            info.path.removeprefix(f"{self.prefix}/"): info.size
            for info in self.files.get_file_info(chosen)
            if info.type == FileType.File and (not older or info.mtime.timestamp() <= before)
        }

    def remove(self, names: Iterable[str]) -> None:
        """Those that are there."""
        for name in names:
            (self / name).remove()


@dataclass(frozen=True)
class StoredObject:
    """An object by its name; it may not be there."""

    bucket: Bucket
    name: str

    def __str__(self) -> str:
        return f"s3://{self._key}"

    @property
    def _key(self) -> str:
        return f"{self.bucket.prefix}/{self.name}"

    def get(self) -> bytes | None:
        """Its content; None where it isn't there. OSError where the store can't be asked."""
        try:
            with self.bucket.files.open_input_stream(self._key) as stream:
                return bytes(stream.read())
        except FileNotFoundError:
            return None

    def put(self, content: memoryview | bytes, publish: Publish) -> None:
        """Make it this within `publish`, whole or not at all. OSError where that can't be."""
        files, part = self.bucket.files, f"{self._key}.{os.getpid()}-{threading.get_ident()}.part"
        try:
            with files.open_output_stream(part) as stream:
                stream.write(content)
            publish(lambda: files.copy_file(part, self._key))
        finally:
            self._forget(part)

    def remove(self) -> None:
        self._forget(self._key)

    def _forget(self, key: str) -> None:
        from pyarrow.fs import FileType

        if self.bucket.files.get_file_info(key).type != FileType.NotFound:
            self.bucket.files.delete_file(key)


@lru_cache(maxsize=4)
def _opened(address: str, process: int) -> tuple[Any, str]:
    """The file system and the prefix, once a process: a child must not use its parent's."""
    from pyarrow.fs import FileSystem

    try:
        files, prefix = FileSystem.from_uri(address)
    except (ValueError, TypeError) as error:
        raise OSError(f"{address}: {error}") from error
    if not prefix.strip("/"):
        raise OSError(f"{address} names no bucket; expected s3://bucket/prefix")
    return files, prefix.rstrip("/")
