"""Uploads: a good file is kept under its digest, a bad one leaves nothing behind."""

import csv
import hashlib
import io
import json
import os
import re
import unicodedata
from pathlib import Path

import pytest

from core.config import RunConfig
from core.data.base import DataError, DataMissing, load_tasks
from core.data.io.import_table import LIMITS, SPLITS, read_tasks
from core.data.upload import UploadOptions, store_upload, upload, upload_of, uploads
from core.language.grammar import NEVER, Grammar
from tests.data.at_size import invented

ROWS = [
    "zoo\ttrain\tshow animals\t( list animal )",
    "zoo\ttrain\tbig animals\t( list ( big animal ) )",
    "zoo\tdev\tanimals\t( list animal )",
    "zoo\ttest\tall animals\t( list animal )",
    "map\ttrain\twhere is a bar\t( query ( nwr ( keyval amenity bar ) ) )",
    "map\tvalid\ta bar\t( query ( nwr ( keyval amenity bar ) ) )",
    "map\ttest\tan unheard-of word\t( query ( nwr ( keyval name 'Bar (old)' ) ) )",
]
HEADER = "task\tsplit\tutterance\tlogical form"


def text(rows: list[str], end: str = "\n") -> bytes:
    return (end.join(rows) + end).encode()


def folder(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "uploads").glob("*"))


def test_a_file_is_kept_under_its_digest_and_read_back(home: Path) -> None:
    data = text(ROWS)
    kept = store_upload(data, "mine.tsv")
    assert kept.digest == hashlib.sha256(data).hexdigest()
    assert (home / "uploads" / f"{kept.digest}.tsv").read_bytes() == data
    assert folder(home) == [f"{kept.digest}.json", f"{kept.digest}.tsv"]
    zoo, town = upload(UploadOptions(file=kept.digest))
    assert (zoo.name, len(zoo.train), len(zoo.valid), len(zoo.test)) == ("zoo", 2, 1, 1)
    assert (town.name, len(town.train), len(town.valid), len(town.test)) == ("map", 1, 1, 1)
    assert zoo.train[1].utterance == "big animals"
    assert town.test[0].logical_form == "( query ( nwr ( keyval name 'Bar (old)' ) ) )"


def test_a_run_learns_an_upload(home: Path) -> None:
    kept = store_upload(text(ROWS))
    config = RunConfig(dataset="upload", dataset_options={"file": kept.digest})
    assert [task.name for task in load_tasks(config)] == ["zoo", "map"]


def test_the_summary_says_what_is_in_it(home: Path) -> None:
    kept = store_upload(text(ROWS), "C:\\data\\mine.tsv")
    assert kept.tasks == ("zoo", "map")
    assert kept.rows == ((2, 1, 1), (1, 1, 1))
    assert kept.forms == 4
    assert "2 tasks, 3 training, 2 validation and 2 test rows" in kept.summary
    assert uploads() == (kept,)


def test_the_same_content_is_kept_once(home: Path) -> None:
    store_upload(text(ROWS), "one.tsv")
    store_upload(text(ROWS), "two.tsv")
    assert [kept.name for kept in uploads()] == ["two.tsv"]


@pytest.mark.parametrize("header", [HEADER, HEADER.upper(), "Task\tSplit\tQuestion\tLF"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_header_line_ends_and_byte_order_mark_change_nothing(
    header: str, end: str, mark: bytes
) -> None:
    plain = read_tasks(text(ROWS), "x")
    assert read_tasks(mark + text([header, *ROWS], end), "x") == plain
    assert read_tasks(mark + text(ROWS, end), "x") == plain
    assert read_tasks(text(ROWS).removesuffix(b"\n"), "x") == plain


def test_a_form_written_with_other_blanks_is_the_same_form() -> None:
    loose = [row.replace("( list animal )", "(list   animal)") for row in ROWS]
    assert read_tasks(text(loose), "x") == read_tasks(text(ROWS), "x")


def test_unknown_words_and_actions_in_the_test_rows_load(home: Path) -> None:
    tasks = read_tasks(text(ROWS), "x")
    grammar = Grammar([[row.derivation for row in task.train] for task in tasks])
    assert grammar.encode(tasks[1].test[0].derivation) is None
    assert grammar.first_writable_task(tasks[1].test[0].derivation) == NEVER
    assert grammar.encode(tasks[0].test[0].derivation) is not None


BAD = {
    "nothing": (b"", "line 1, column 1: expected rows"),
    "header only": (text([HEADER]), "expected rows behind the header, found none"),
    "one task": (text(ROWS[:4]), "expected at least two tasks .* only 'zoo'"),
    "no training rows": (text(ROWS[2:]), "task 'zoo' has no train rows"),
    "no test rows": (text(ROWS[:-1]), "task 'map' has no test rows"),
    "missing tab": (text([*ROWS, "zoo\ttrain\tx ( f y )"]), "line 8, column 20: expected 4"),
    "another tab": (text([*ROWS, "zoo\ttrain\tx\t( f\ty )"]), "line 8, column 16: expected 4"),
    "unknown split": (text(["zoo\tgen\tx\t( y )"]), "line 1, column 5: expected one of train"),
    "empty task": (text(["\ttrain\tx\t( y )"]), "line 1, column 1: expected the task"),
    "empty utterance": (text(["a\ttrain\t \t( y )"]), "line 1, column 9: expected the utterance"),
    "empty form": (text(["a\ttrain\tx\t"]), "line 1, column 11: expected the logical form"),
    "brackets": (text(["a\ttrain\tx\t( f ( y )"]), "line 1, column 11: a '\\(' that is never"),
    "functional": (text(["a\ttrain\tx\tf ( y"]), "line 1, column 13: a '\\(' that is never"),
    "too deep": (text(["a\ttrain\tx\t" + "( " * 300]), "nested more than 200 deep"),
    "not UTF-8": (b"a\ttrain\tx\xc3(\t( y )\n", "line 1, column 10: expected UTF-8"),
    "NUL": (b"a\ttrain\tx\0\t( y )\n", "line 1, column 10: expected text, found a NUL"),
    "pickle": (b"\x80\x04\x95rest", "found a Python pickle"),
    "long line": (b"a" * (LIMITS.line + 1), "expected a line of at most 20,000 bytes"),
    "many words": (text(["a\ttrain\t" + "x " * 501 + "\t( y )"]), "at most 500 words"),
    "many actions": (text(["a\ttrain\tx\t( f" + " ( g )" * 600 + " )"]), "at most 500 actions"),
    "many tasks": (text([f"t{n}\ttrain\tx\t( y )" for n in range(201)]), "line 201.*200 tasks"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_whole(home: Path, name: str) -> None:
    data, expected = BAD[name]
    with pytest.raises(DataError, match=expected) as got:
        store_upload(data, "mine.tsv")
    assert str(got.value).startswith("mine.tsv")
    assert folder(home) == []


def test_size_is_limited() -> None:
    with pytest.raises(DataError, match="at most 50,000,000 bytes"):
        store_upload(b"x" * (LIMITS.bytes + 1))


def test_forms_that_need_too_large_a_table_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.data.io.import_table.MAX_TABLE", 5 * 12 - 1)
    rows = [
        f"{task}\t{split}\tx\t( f{n}" + " ( g )" * 3 + " )"
        for n in range(4)
        for task in "ab"
        for split in ("train", "test")
    ]
    with pytest.raises(DataError, match="5 actions and 12 slots, too many"):
        read_tasks(text(rows), "x")
    monkeypatch.setattr("core.data.io.import_table.MAX_TABLE", 5 * 12)
    assert len(read_tasks(text(rows), "x")) == 2


@pytest.mark.parametrize(
    "file", ["../../etc/passwd", "x" * 64, "A" * 64, "0" * 63, "0" * 64 + "\n", "/tmp/x"]
)
def test_only_a_digest_names_a_file(file: str) -> None:
    with pytest.raises(DataError, match=re.escape("expected the 64 hexadecimal digits")):
        upload(UploadOptions(file=file))


def test_no_file_or_one_that_is_gone_says_what_to_do() -> None:
    with pytest.raises(DataMissing, match="data import FILE"):
        upload(UploadOptions())
    with pytest.raises(DataMissing, match="import the file again"):
        upload(UploadOptions(file="0" * 64))


def test_a_file_changed_behind_our_back_is_not_learned(home: Path) -> None:
    kept = store_upload(text(ROWS))
    path = home / "uploads" / f"{kept.digest}.tsv"
    path.write_bytes(text([*ROWS, ROWS[0]]))
    with pytest.raises(DataError, match="changed since it was imported"):
        upload(UploadOptions(file=kept.digest))


def test_what_is_no_upload_is_not_listed(home: Path) -> None:
    kept = store_upload(text(ROWS))
    (home / "uploads" / "notes.json").write_text("{}")
    (home / "uploads" / f"{'0' * 64}.json").write_text("{}")  # its rows are gone
    assert uploads() == (kept,)


JUNK = [b"", b"{}", b'{"name": "mine"}', b"[1, 2]", b"\xff\x00", b"[" * 100_000, b"null", b"3"]


@pytest.mark.parametrize("junk", JUNK)
def test_a_damaged_summary_flags_its_file_alone(home: Path, junk: bytes) -> None:
    undamaged = store_upload(text([*ROWS, ROWS[0]]), "other.tsv")
    kept = store_upload(text(ROWS))
    (home / "uploads" / f"{kept.digest}.json").write_bytes(junk)
    damaged, good = uploads()
    assert good == undamaged
    assert damaged.digest == kept.digest
    assert "can't be read (" in damaged.summary
    assert upload_of(kept.digest) is None
    assert upload(UploadOptions(file=kept.digest))  # its rows are as they were


def test_a_folder_that_can_not_be_written_is_named(home: Path) -> None:
    home.mkdir()
    (home / "uploads").write_text("a file where the folder should be")
    with pytest.raises(DataError, match="can't be written"):
        store_upload(text(ROWS))


@pytest.mark.parametrize(
    "name", ["../../x.tsv", "a\nb.tsv", "x" * 500, "", os.sep, "<b>.tsv", "\u202etsv.exe"]
)
def test_the_name_it_came_with_is_for_show_only(home: Path, name: str) -> None:
    kept = store_upload(text(ROWS), name)
    assert len(kept.name) <= 100
    assert kept.name
    assert kept.name.isprintable()
    assert os.sep not in kept.name
    assert folder(home) == [f"{kept.digest}.json", f"{kept.digest}.tsv"]


def faulty(count: int) -> list[str]:
    return [f"zoo\ttrain\tx {n}\t( f ( y )" for n in range(count)]


def test_every_fault_is_counted_and_the_first_are_named(home: Path) -> None:
    rows = [*ROWS, *faulty(1), "zoo\tgen\tx\t( y )", *faulty(365), "zoo\tgen\tx\t( y )"]
    with pytest.raises(DataError) as got:
        store_upload(text(rows), "mine.tsv")
    head, *lines = str(got.value).split("\n")
    assert head == "mine.tsv: 368 faults; the first 20:"
    assert len(lines) == 20
    assert [line.split(",")[0] for line in lines] == [f"line {n}" for n in range(8, 28)]
    assert lines[0] == "line 8, column 15: a '(' that is never closed."
    assert lines[1].startswith("line 9, column 5: expected one of train")
    with pytest.raises(DataError, match=r"mine\.tsv: 2 faults:"):
        store_upload(text([*ROWS, *faulty(2)]), "mine.tsv")


@pytest.mark.parametrize("split", SPLITS)
def test_the_usual_names_of_splits_are_accepted(split: str) -> None:
    rows = [row.replace("\tdev\t", f"\t{split.upper()}\t") for row in ROWS]
    zoo = read_tasks(text(rows), "x")[0]
    before = read_tasks(text([row for row in ROWS if "\tdev\t" not in row]), "x")[0]
    assert len(getattr(zoo, SPLITS[split])) == len(getattr(before, SPLITS[split])) + 1


@pytest.mark.parametrize("end", [b"\n", b"\n\n\r\n", b"  \n", b"\t\t\t\n"])
def test_empty_last_lines_change_nothing(end: bytes) -> None:
    assert read_tasks(text(ROWS) + end, "x") == read_tasks(text(ROWS), "x")


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize("header", [[], [HEADER]])
def test_csv_is_read_as_tabs_are(separator: str, header: list[str]) -> None:
    table = io.StringIO()
    rows = [row.split("\t") for row in [*header, *PROLOG]]
    csv.writer(table, delimiter=separator).writerows(rows)
    assert read_tasks(table.getvalue().encode(), "x") == read_tasks(text(PROLOG), "x")


PROLOG = [
    f'{task}\t{split}\tisles in "Ghent", {n}\tanswer(A,(isle(A),in(A,"Ghent, {n}")))'
    for n in range(2)
    for task in ("isles", "ports")
    for split in ("train", "test")
]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("a,train,x,f(a,b)", r"line 9, column 14: expected 4 columns separated by commas.*quotes"),
        ('a,train,"x,f(a)', r"line 9, column 9: expected a double quote to be closed in its line"),
        ('a,train,"x, y","f(a"', r"line 9, column 18: a '\(' that is never closed"),
    ],
)
def test_faults_of_csv_name_their_column(row: str, expected: str) -> None:
    table = io.StringIO()
    csv.writer(table).writerows(line.split("\t") for line in PROLOG)
    with pytest.raises(DataError, match=expected):
        read_tasks((table.getvalue() + row).encode(), "x")


def test_a_file_has_one_notation(home: Path) -> None:
    with pytest.raises(DataError) as got:
        store_upload(text([*ROWS, "map\ttrain\tx\tquery ( nwr ( x ) , y )"]), "mine.tsv")
    assert str(got.value) == (
        "mine.tsv: expected one notation in all rows: 4 forms are s-expressions, 1 are functional "
        "terms (the first in line 8)."
    )
    assert "read as Prolog terms" in store_upload(text(PROLOG)).summary


def test_the_summary_says_what_can_be_written_and_warns(home: Path) -> None:
    kept = store_upload(text(ROWS), "mine.tsv")
    zoo, town = read_tasks(text(ROWS), "x")
    grammar = Grammar([[row.derivation for row in task.train] for task in (zoo, town)])
    test = [*zoo.test, *town.test]
    assert kept.writable == sum(grammar.encode(row.derivation) is not None for row in test) == 1
    assert (kept.unknown_words, kept.words) == (4, 5)  # all, an, unheard-of, word
    assert "1 of 2 test rows can be written" in kept.summary
    assert kept.warning == ""
    few = store_upload(text([*ROWS, "map\ttest\tno\t( other ( x ) )"]), "mine.tsv")
    assert few.warning.startswith("Only 1 of 3 test rows can be written with the actions")


def test_a_summary_of_an_earlier_version_is_read(home: Path) -> None:
    kept = store_upload(text(ROWS), "mine.tsv")
    path = home / "uploads" / f"{kept.digest}.json"
    names = ("digest", "name", "tasks", "rows", "forms")
    path.write_text(json.dumps({name: getattr(kept, name) for name in names}))
    (old,) = uploads()
    assert old.summary == kept.summary.split(", read as")[0]
    assert old.warning == ""


@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff\ufeff"])
def test_files_that_were_joined_have_no_invisible_tasks(mark: str) -> None:
    joined = "".join(f"{mark}{HEADER}\n{row}\n" for row in ROWS)
    assert read_tasks(joined.encode(), "x") == read_tasks(text(ROWS), "x")


@pytest.mark.parametrize("name", ["z\u200boo", "\u202ezoo", " zoo\u00a0", "zo\u00ado", "\x1bzoo"])
def test_what_cannot_be_seen_is_no_part_of_a_tasks_name(name: str) -> None:
    rows = [row.replace("zoo", name, 1) for row in ROWS[:1]] + ROWS[1:]
    assert read_tasks(text(rows), "x") == read_tasks(text(ROWS), "x")
    with pytest.raises(DataError, match="a task's name of 1 to 100 characters"):
        read_tasks(text([*ROWS, f"{'z' * 101}\ttrain\tx\t( y )"]), "x")
    with pytest.raises(DataError, match="a task's name of 1 to 100 characters"):
        read_tasks(text([*ROWS, "\u200b\ttrain\tx\t( y )"]), "x")


def test_unicode_is_composed() -> None:
    plain = [row.replace("animals", "tiere für") for row in ROWS]
    decomposed = [unicodedata.normalize("NFD", row) for row in plain]
    assert decomposed != plain
    assert read_tasks(text(decomposed), "x") == read_tasks(text(plain), "x")


def test_progress_ends_at_the_whole(home: Path) -> None:
    shares: list[float] = []
    rows = [
        f"{row}".replace("\t( ", f" {n}\t( n{n} ( ", 1) + " )" for n in range(900) for row in ROWS
    ]
    store_upload(text(rows), "mine.tsv", shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(set(shares)) > 5


def test_all_rows_of_a_large_file_are_read(home: Path) -> None:
    """How fast is measured by `python -m tests.data.at_size 60000`."""
    data = invented(12_000)
    kept = store_upload(data, "large.tsv")
    forms = {line.split("\t")[3] for line in data.decode().splitlines()}
    assert sum(map(sum, kept.rows)) == 12_000
    assert kept.forms == len(forms) > 6_000
