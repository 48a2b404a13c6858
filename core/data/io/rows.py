"""Rows of tab-separated text, read strictly: a file is either read whole or refused with a reason.

Lines are read as bytes, one at a time and each up to a limit, so a file that is no table at all is
refused before it fills the memory. Only a line feed ends a line; a carriage return before it and a
byte order mark at the start are allowed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.data.base import DataError, Example, FormReader
from core.language.tree import LogicalFormError, Notation

MAX_LINE = 100_000  # bytes; the longest line of the benchmarks has about 600
MAX_BYTES = 200_000_000
MAX_ROWS = 1_000_000

_BOM = b"\xef\xbb\xbf"
_SIGNATURES = (
    (b"\x80", "a Python pickle"),
    (b"PK\x03\x04", "a ZIP or Excel file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)


@dataclass(frozen=True)
class Limits:
    """How much a file may hold."""

    line: int = MAX_LINE  # bytes
    bytes: int = MAX_BYTES
    rows: int = MAX_ROWS


@dataclass(frozen=True)
class Row:
    """One line of a file, cut at its tabs."""

    source: str  # the file's name, for messages
    line: int  # from 1
    columns: tuple[str, ...]

    def error(self, index: int, message: str, offset: int = 1) -> DataError:
        """A fault at character `offset` (from 1) of column number `index`."""
        before = sum(len(column) + 1 for column in self.columns[:index])
        return fault(self.source, self.line, before + offset, message)


def fault(source: str, line: int, column: int, message: str) -> DataError:
    """A fault in a file; line and column count from 1, columns in characters."""
    return DataError(f"{source}, line {line}, column {column}: {message}.")


def _text(line: bytes, source: str, number: int, limits: Limits) -> str:
    """The line without its end; DataError where it is no line of text."""
    if len(line) > limits.line:
        raise fault(
            source, number, limits.line + 1, f"expected a line of at most {limits.line:,} bytes"
        )
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        found = f"0x{line[error.start]:02x}"
        raise fault(source, number, column, f"expected UTF-8 text, found byte {found}") from None
    for wrong, what in (("\0", "a NUL byte"), ("\r", "a carriage return inside the line")):
        if wrong in text:
            raise fault(source, number, text.index(wrong) + 1, f"expected text, found {what}")
    return text


def _cut(text: str, source: str, number: int, names: Sequence[str]) -> Row:
    row = Row(source, number, tuple(text.split("\t")))
    expected = f"expected {len(names)} columns separated by tabs ({', '.join(names)})"
    found = len(row.columns)
    if not text:
        raise fault(source, number, 1, f"{expected}, found an empty line")
    if found < len(names):
        raise fault(source, number, len(text) + 1, f"{expected}, found {found}")
    if found > len(names):
        raise row.error(len(names), f"{expected}, found {found}", 0)  # at the tab too many
    for index, name in enumerate(names):
        if not row.columns[index].strip():
            raise row.error(index, f"expected the {name}, found nothing")
    return row


def read_rows(
    stream: BinaryIO, source: str, names: Sequence[str], limits: Limits | None = None
) -> Iterator[Row]:
    """The rows of a stream, each with a column for each name and no column empty.

    DataError names the source, line, column and what was expected.
    """
    limits = limits or Limits()
    number = size = 0
    while line := stream.readline(limits.line + 1):
        number += 1
        size += len(line)
        if number == 1:
            for signature, what in _SIGNATURES:
                if line.startswith(signature):
                    raise fault(source, 1, 1, f"expected tab-separated UTF-8 text, found {what}")
            line = line.removeprefix(_BOM)
        if size > limits.bytes:
            raise fault(source, number, 1, f"expected a file of at most {limits.bytes:,} bytes")
        if number > limits.rows:
            raise fault(source, number, 1, f"expected at most {limits.rows:,} rows")
        yield _cut(_text(line, source, number, limits), source, number, names)
    if not number:
        raise fault(source, 1, 1, f"expected rows of {', '.join(names)}, found an empty file")


def read_example(
    row: Row, utterance: int, form: int, reader: FormReader, notation: Notation | None = None
) -> Example:
    """The example in columns number `utterance` and `form`; the notation is detected where None.

    DataError names the column of the fault inside the form.
    """
    try:
        return reader.example(row.columns[utterance], row.columns[form], notation)
    except LogicalFormError as error:
        raise row.error(form, str(error), error.column) from None


def read_pairs(path: Path, notation: Notation, reader: FormReader) -> tuple[Example, ...]:
    """The examples of a file of rows `utterance <TAB> logical form`; DataError as `read_rows`."""
    try:
        with path.open("rb") as stream:
            rows = read_rows(stream, str(path), ("utterance", "logical form"))
            return tuple(read_example(row, 0, 1, reader, notation) for row in rows)
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
