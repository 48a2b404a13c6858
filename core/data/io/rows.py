"""Rows of a table of text, read strictly: a file is either read whole or refused with reasons.

Lines are read as bytes, one at a time and each up to a limit, so a file that is no table at all is
refused before it fills the memory. Only a line feed ends a line, and a row is one line. A carriage
return before the line feed, empty last lines and byte order marks where a line begins (files that
were joined have some) are allowed.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

from core.data.base import DataError, Example, FormReader
from core.language.tree import LogicalFormError

MAX_LINE = 100_000  # bytes; the longest line of the benchmarks has about 600
MAX_BYTES = 200_000_000
MAX_ROWS = 1_000_000

_BOM = "\ufeff"
_SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
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
    """One line of a file, cut into its columns."""

    source: str  # the file's name, for messages
    line: int  # from 1
    text: str
    columns: tuple[str, ...]

    def error(self, index: int, message: str, offset: int = 1) -> DataError:
        """A fault at character `offset` (from 1) of column number `index`."""
        before = sum(len(column) + 1 for column in self.columns[:index])
        start = self.text.find(self.columns[index], before)  # behind a quote, in a CSV file
        return fault(self.source, self.line, max(before, start) + offset, message)


def fault(source: str, line: int, column: int, message: str) -> DataError:
    """A fault in a file; line and column count from 1, columns in characters."""
    error = DataError(f"{source}, line {line}, column {column}: {message}.")
    error.line = line
    return error


def refuse(error: DataError) -> NoReturn:
    """What is done about a faulty row where nothing else is asked for: the file is refused."""
    raise error


OnFault = Callable[[DataError], None]


def _text(line: bytes, source: str, number: int, limits: Limits) -> str:
    """The line without its end; DataError where it is no line of text."""
    if len(line) > limits.line:
        raise fault(
            source, number, limits.line + 1, f"expected a line of at most {limits.line:,} bytes"
        )
    line = line.removesuffix(b"\n").removesuffix(b"\r")
    try:
        text = line.decode("utf-8").lstrip(_BOM)
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode("utf-8")) + 1
        seen = f"0x{line[error.start]:02x}"
        raise fault(source, number, column, f"expected UTF-8 text, found byte {seen}") from None
    for wrong, what in (("\0", "a NUL byte"), ("\r", "a carriage return inside the line")):
        if wrong in text:
            raise fault(source, number, text.index(wrong) + 1, f"expected text, found {what}")
    return text


def _split(text: str, separator: str) -> tuple[str, ...]:
    """The columns of a line; csv.Error where a quote of a CSV file is never closed."""
    if separator == "\t":
        return tuple(text.split("\t"))
    return tuple(next(csv.reader([text], delimiter=separator, strict=True)))


def separator_of(stream: BinaryIO, columns: int) -> str:
    """What parts the columns, by the first lines: a tab, or a comma or semicolon of a CSV file.

    The stream is left at its start.
    """
    lines = [
        line.decode("utf-8", "replace").strip("\r\n") for line in stream.readlines(20_000)[:20]
    ]
    stream.seek(0)
    for separator in _SEPARATORS:
        for line in lines:
            try:
                if len(_split(line, separator)) >= columns:
                    return separator
            except (csv.Error, StopIteration):
                continue
    return "\t"


def _cut(text: str, source: str, number: int, names: Sequence[str], separator: str) -> Row:
    expected = f"expected {len(names)} columns separated by {_SEPARATORS[separator]}"
    expected += f" ({', '.join(names)})"
    try:
        row = Row(source, number, text, _split(text, separator))
    except csv.Error:
        raise fault(
            source, number, text.index('"') + 1, "expected a double quote to be closed in its line"
        ) from None
    seen = len(row.columns)
    if seen < len(names):
        raise fault(source, number, len(text) + 1, f"{expected}, found {seen}")
    if seen > len(names):
        quote = "" if separator == "\t" else "; a cell that holds one stands between double quotes"
        raise row.error(len(names), f"{expected}, found {seen}{quote}", 0)  # at the one too many
    for index, name in enumerate(names):
        if not row.columns[index].strip():
            raise row.error(index, f"expected the {name}, found nothing")
    return row


def read_rows(
    stream: BinaryIO,
    source: str,
    names: Sequence[str],
    limits: Limits | None = None,
    *,
    separator: str = "\t",
    on_fault: OnFault = refuse,
) -> Iterator[Row]:
    """The rows of a stream, each with a column for each name and no column empty.

    A faulty row goes to `on_fault` as a DataError that names the source, line, column and what was
    expected; what is no table at all, or too large, raises one.
    """
    limits = limits or Limits()
    number = size = 0
    empty: list[int] = []  # lines that may be the last
    while line := stream.readline(limits.line + 1):
        number += 1
        size += len(line)
        if number == 1:
            for signature, what in _SIGNATURES:
                if line.startswith(signature):
                    raise fault(source, 1, 1, f"expected a table of UTF-8 text, found {what}")
        if len(line) > limits.line and not line.endswith(b"\n"):
            _text(line, source, number, limits)
        if size > limits.bytes:
            raise fault(source, number, 1, f"expected a file of at most {limits.bytes:,} bytes")
        if number > limits.rows:
            raise fault(source, number, 1, f"expected at most {limits.rows:,} rows")
        try:
            text = _text(line, source, number, limits)
            if not text.strip():
                empty.append(number)
                continue
            while empty:
                on_fault(fault(source, empty.pop(0), 1, "expected a row, found an empty line"))
            row = _cut(text, source, number, names, separator)
        except DataError as error:
            on_fault(error)
        else:
            yield row
    if number == len(empty):
        raise fault(source, 1, 1, f"expected rows of {', '.join(names)}, found an empty file")


def read_example(row: Row, utterance: int, form: int, reader: FormReader) -> Example:
    """The example in these columns; DataError names the column of the fault inside the form."""
    try:
        return reader.example(row.columns[utterance], row.columns[form])
    except LogicalFormError as error:
        raise row.error(form, str(error), error.column) from None


def read_pairs(path: Path, reader: FormReader) -> tuple[Example, ...]:
    """The examples of a file of rows `utterance <TAB> logical form`; DataError as `read_rows`."""
    try:
        with path.open("rb") as stream:
            rows = read_rows(stream, str(path), ("utterance", "logical form"))
            return tuple(read_example(row, 0, 1, reader) for row in rows)
    except OSError as error:
        raise DataError(f"{path}: can't be read: {error.strerror or error}.") from error
