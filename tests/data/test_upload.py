"""Uploads: a good file is kept under its digest, a bad one leaves nothing behind."""

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from core.config import RunConfig
from core.data.base import DataError, DataMissing, load_tasks
from core.data.upload import LIMITS, UploadOptions, read_tasks, store_upload, upload, uploads
from core.language.grammar import NEVER, Grammar

ROWS = [
    "zoo\ttrain\tshow animals\t( list animal )",
    "zoo\ttrain\tbig animals\t( list ( big animal ) )",
    "zoo\tdev\tanimals\t( list animal )",
    "zoo\ttest\tall animals\t( list animal )",
    "map\ttrain\twhere is a bar\tquery ( nwr ( keyval ( 'amenity' , 'bar' ) ) )",
    "map\tvalid\ta bar\tquery ( nwr ( keyval ( 'amenity' , 'bar' ) ) )",
    "map\ttest\tan unheard-of word\tquery ( nwr ( keyval ( 'name' , 'Bar ( old )' ) ) )",
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
    assert town.test[0].logical_form == "query ( nwr ( keyval ( 'name' , 'Bar ( old )' ) ) )"


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
    "unknown split": (text(["zoo\teval\tx\t( y )"]), "line 1, column 5: expected one of train"),
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
    monkeypatch.setattr("core.data.upload.MAX_TABLE", 5 * 12 - 1)
    rows = [
        f"{task}\t{split}\tx\t( f{n}" + " ( g )" * 3 + " )"
        for n in range(4)
        for task in "ab"
        for split in ("train", "test")
    ]
    with pytest.raises(DataError, match="5 actions and 12 slots, too many"):
        read_tasks(text(rows), "x")
    monkeypatch.setattr("core.data.upload.MAX_TABLE", 5 * 12)
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
    path = home / "uploads" / f"{kept.digest}.json"
    path.write_text(json.dumps({"name": "mine"}))
    with pytest.raises(DataError, match=kept.digest):
        uploads()


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
