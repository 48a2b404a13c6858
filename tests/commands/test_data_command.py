"""`python -m core data`: what it prints and the exit codes."""

import io
import sys
from pathlib import Path

import pytest

from core.commands.entry import BAD_USAGE, FAILED, main
from core.data.upload import uploads
from core.registry import datasets
from tests.data.mirror import NAMES, contents, mirror, write_digests, write_files


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, and made-up files as the published ones."""
    table = write_digests(tmp_path / "digests.txt", contents())
    monkeypatch.setattr("core.data.io.inventory.DIGESTS", table)
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A mirror in a folder."""
    return write_files(tmp_path / "mirror")


def test_list_says_what_is_missing_and_where(data: Path, capsys) -> None:
    assert main(["data", "list"]) == 0
    out = capsys.readouterr().out
    assert str(data) in out
    for name in ("overnight", "nlmap_qt", "nlmap_city"):
        assert datasets[name].label in out
    assert "0 of 4 files" in out
    assert datasets["demo"].summary in out


def test_get_then_list_then_check(data: Path, folder: Path, capsys) -> None:
    assert main(["data", "get", "overnight", "--from", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "4 of 4 files" in out
    assert f"Overnight is complete in {data}" in out
    assert main(["data", "list"]) == 0
    assert "complete" in capsys.readouterr().out
    assert main(["data", "check"]) == 0
    assert "overnight: 4 of 4 files are as published" in capsys.readouterr().out


def test_get_from_a_mirror_on_the_web(data: Path, capsys) -> None:
    with mirror(contents()) as server:
        assert main(["data", "get", "overnight", "--from", server.url]) == 0
        server.files = {}
        (data / NAMES[0]).unlink()
        assert main(["data", "get", "overnight", "--from", server.url]) == FAILED
    said = capsys.readouterr().err
    assert "no such file (404" in said
    assert said.count("\n") == 1


def test_a_terminal_gets_a_bar(data: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    out.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["data", "get", "overnight", "--from", str(folder)]) == 0
    assert "\r" in out.getvalue()
    assert "100%" in out.getvalue()


def test_check_fails_and_names_what_is_wrong(data: Path, folder: Path, capsys) -> None:
    main(["data", "get", "overnight", "--from", str(folder)])
    content = (data / NAMES[0]).read_bytes()
    (data / NAMES[0]).write_bytes(content[:-1] + b"!")
    (data / NAMES[2]).unlink()
    capsys.readouterr()
    assert main(["data", "check", "overnight"]) == FAILED
    out = capsys.readouterr().out
    assert "2 of 4" in out
    assert f"{NAMES[0]}: wrong" in out
    assert f"{NAMES[2]}: missing" in out


def test_check_with_nothing_there_says_so(data: Path, capsys) -> None:
    assert main(["data", "check"]) == 0
    assert "None of overnight" in capsys.readouterr().out


def test_import_keeps_a_file_and_says_how_to_learn_it(data: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "mine.tsv"
    rows = [f"{t}\t{s}\tshow {t}\t( list {t} )\n" for t in "ab" for s in ("train", "test")]
    path.write_text("".join(rows), encoding="utf-8")
    assert main(["data", "import", str(path)]) == 0
    (kept,) = uploads()
    out = capsys.readouterr().out
    assert kept.summary in out
    assert f"--dataset upload --dataset.file {kept.digest}" in out
    assert main(["data", "list"]) == 0
    assert kept.digest in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["get", "moon"], FAILED, "'moon' is no data set with files"),
        (["get", "overnight", "--from", "/nowhere"], FAILED, "expected a folder that is there"),
        (["check", "demo"], FAILED, "'demo' is no data set with files"),
        (["import", "/nowhere.tsv"], FAILED, "/nowhere.tsv: can't be read"),
        (["get"], BAD_USAGE, "required: NAME"),
        ([], BAD_USAGE, "required: COMMAND"),
    ],
)
def test_errors_are_one_sentence(
    data: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    assert outcome(["data", *words]) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def outcome(words: list[str]) -> int:
    """The exit code, whoever gives it."""
    try:
        return main(words)
    except SystemExit as end:
        return int(end.code or 0)


def test_a_bad_row_of_an_import_is_named(data: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("a\ttrain\tx\t( f ( y )\n", encoding="utf-8")
    assert main(["data", "import", str(path)]) == FAILED
    assert "mine.tsv, line 1, column 11: a '(' that is never closed" in capsys.readouterr().err
    with path.open("wb") as file:
        file.truncate(60_000_000)
    assert main(["data", "import", str(path)]) == FAILED
    assert "at most 50,000,000 bytes" in capsys.readouterr().err


def test_each_fault_of_an_import_is_on_a_line(data: Path, tmp_path: Path, capsys) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("a\ttrain\tx\t( f ( y )\n" * 30, encoding="utf-8")
    assert main(["data", "import", str(path)]) == FAILED
    head, *faults = capsys.readouterr().err.splitlines()
    assert head == "mine.tsv: 30 faults; the first 20:"
    assert [fault.split(",")[0] for fault in faults] == [f"line {n}" for n in range(1, 21)]
