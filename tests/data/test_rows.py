"""Rows: a good file is read as it stands, a bad one is refused by file, line and column."""

import io
import pickle
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.base import DataError, FormReader
from core.data.io.rows import Limits, read_example, read_pairs, read_rows

PAIR = ("utterance", "logical form")
GOOD = b"show all\t( f x )\n"


def rows_of(data: bytes, limits: Limits | None = None) -> list[tuple[str, ...]]:
    return [row.columns for row in read_rows(io.BytesIO(data), "x.tsv", PAIR, limits)]


@given(
    st.lists(
        st.tuples(
            *[
                st.text(min_size=1, max_size=8).filter(
                    lambda text: text.strip() and not set(text) & set("\t\n\r\0")
                )
            ]
            * 2
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_what_is_written_is_read(
    rows: list[tuple[str, str]], end: str, ends_in_newline: bool, has_mark: bool
) -> None:
    text = end.join("\t".join(row) for row in rows) + (end if ends_in_newline else "")
    mark = b"\xef\xbb\xbf" if has_mark else b""
    if not has_mark and text.startswith("\ufeff"):
        return  # the text's own first character reads as the mark
    assert rows_of(mark + text.encode()) == rows


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u0085c\x0bd\x1ce\t( f\u2029x )"
    assert rows_of(f"{text}\nnext\tx".encode()) == [tuple(text.split("\t")), ("next", "x")]


BAD = [
    (b"show all ( f x )\n", 2, 17, "expected 2 columns", "found 1"),
    (b"show\t( f x )\tmore\n", 2, 13, "expected 2 columns", "found 3"),
    (b"\n", 2, 1, "expected a row", "empty line"),
    (b"\t( f x )\n", 2, 1, "expected the utterance", "nothing"),
    (b" \t( f x )\n", 2, 1, "expected the utterance", "nothing"),
    (b"show\t\n", 2, 6, "expected the logical form", "nothing"),
    (b"show\t  \r\n", 2, 6, "expected the logical form", "nothing"),
    ("sch\u00f6n ".encode() + b"\xff\t( f x )\n", 2, 7, "expected UTF-8", "0xff"),
    (b"show\t( f \0x )\n", 2, 10, "expected text", "NUL"),
    (b"show\tx\rnext\tx\n", 2, 7, "expected text", "carriage return"),
    (b"show\t( f ( g x )\n", 2, 6, "'(' that is never closed", ""),
    ("sch\u00f6n\t( f x ) )\n".encode(), 2, 15, "text after the end", "')'"),
    (b"show\tf ( x , )\n", 2, 14, "')' after a comma", ""),
]


@pytest.mark.parametrize(("bad", "line", "column", "expected", "found"), BAD)
def test_a_bad_row_is_named_by_file_line_and_column(
    tmp_path: Path, bad: bytes, line: int, column: int, expected: str, found: str
) -> None:
    path = tmp_path / "rows.tsv"
    path.write_bytes(GOOD + bad + GOOD)
    notation = "functional" if b"\tf (" in bad else "s_expression"
    if notation == "functional":
        path.write_bytes(b"show\tf ( x )\n" + bad)
    with pytest.raises(DataError) as got:
        read_pairs(path, FormReader(notation))
    said = str(got.value)
    assert said.startswith(f"{path}, line {line}, column {column}: ")
    assert expected in said
    assert found in said


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (pickle.dumps([("show", "( f x )")]), "a Python pickle"),
        (pickle.dumps({"rows": 1}, protocol=2), "a Python pickle"),
        (b"PK\x03\x04rest\tof", "a ZIP or Excel file"),
        (b"\x1f\x8b\x08\t", "a gzip file"),
        ("show\t( f x )\n".encode("utf-16"), "text in UTF-16"),
    ],
)
def test_other_kinds_of_file_are_called_what_they_are(data: bytes, found: str) -> None:
    with pytest.raises(DataError, match=rf"x.tsv, line 1, column 1: expected .*{found}"):
        rows_of(data)


def test_the_oldest_pickles_are_no_table_either() -> None:
    with pytest.raises(DataError, match="line 1, column 5: expected 2 columns"):
        rows_of(pickle.dumps([("show", "( f x )")], protocol=0))


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(DataError, match="expected rows of utterance, logical form"):
        rows_of(b"")


def test_a_line_without_end_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    with path.open("wb") as file:
        file.write(GOOD)
        file.truncate(100_000_000)
    tracemalloc.start()
    with pytest.raises(DataError, match=r"line 2, column 100001: expected a line of at most"):
        read_pairs(path, FormReader())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (Limits(line=10), "line 1, column 11: expected a line of at most 10 bytes"),
        (Limits(bytes=40), "line 3, column 1: expected a file of at most 40 bytes"),
        (Limits(rows=2), "line 3, column 1: expected at most 2 rows"),
    ],
)
def test_limits_are_named(limits: Limits, expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        rows_of(GOOD * 4, limits)


def test_limits_are_inclusive() -> None:
    limits = Limits(line=len(GOOD), bytes=3 * len(GOOD), rows=3)
    assert len(rows_of(GOOD * 3, limits)) == 3


def test_columns_are_counted_behind_the_byte_order_mark() -> None:
    with pytest.raises(DataError, match="line 1, column 3: expected 2 columns"):
        rows_of(b"\xef\xbb\xbfab\n")


@pytest.mark.parametrize("name", ["missing.tsv", "."])
def test_what_can_not_be_opened_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match="can't be read"):
        read_pairs(tmp_path / name, FormReader())


def test_an_example_keeps_the_text_of_its_row() -> None:
    (row,) = read_rows(io.BytesIO(b"Show  ALL\t( f  x )"), "x.tsv", PAIR)
    example = read_example(row, 0, 1, FormReader(canonical=False))
    assert (example.utterance, example.logical_form) == ("Show  ALL", "( f  x )")
    assert example.words == ["show", "all"]
