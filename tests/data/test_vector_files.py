"""Published word vectors: fetched as data sets are, from the archive or as a table alone."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from core.commands.entry import FAILED, main
from core.config import RunConfig
from core.data.base import DataError
from core.data.io import sources, vector_files
from core.data.io.download import get
from core.data.io.inventory import BenchmarkFile, State
from core.options import ConfigError
from core.parser.embeddings import vectors_of
from tests.data.mirror import mirror

TEXT = b"show 1 2\nships 3 4\n"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made-up archive in a folder `elsewhere`, which counts as the published one."""
    monkeypatch.setenv("TOTAL_RECALL_DATA", str(tmp_path / "data"))
    path = tmp_path / "elsewhere" / "glove.6B.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as bundle:
        for table in vector_files.TABLES.values():
            bundle.writestr(table.member, TEXT)
    monkeypatch.setattr(vector_files, "ARCHIVE", published("glove/glove.6B.zip", path.read_bytes()))
    tables = {
        name: replace(table, alone=table.alone and published(table.alone.name, TEXT))
        for name, table in vector_files.TABLES.items()
    }
    monkeypatch.setattr(vector_files, "TABLES", tables)
    return path


def published(name: str, content: bytes) -> BenchmarkFile:
    return BenchmarkFile(name, len(content), hashlib.sha256(content).hexdigest())


def test_the_digests_are_whole_and_all_tables_are_in_the_archive() -> None:
    files = [vector_files.ARCHIVE, *(t.alone for t in vector_files.TABLES.values() if t.alone)]
    assert len(files) == 4
    assert len({file.digest for file in files}) == 4
    for file in files:
        assert len(bytes.fromhex(file.digest)) == 32
        assert file.size > 100_000_000


@pytest.mark.parametrize("how", ["folder", "file", "laid out as data"])
def test_the_archive_serves_every_table(archive: Path, how: str) -> None:
    source = archive if how == "file" else archive.parent
    if how == "laid out as data":
        (archive.parent / "glove").mkdir()
        archive.rename(archive.parent / "glove" / archive.name)
    with pytest.raises(ConfigError, match="data get glove-6b-200"):
        vectors_of(RunConfig(embeddings="glove-6b-200"), ["show"])
    get("glove-6b-200", source)
    for name in vector_files.TABLES:
        assert vector_files.availability(name).state is State.COMPLETE
        vectors = vectors_of(RunConfig(embeddings=name), ["show", "moon"])
        assert vectors.vectors["show"].tolist() == [1, 2]
    get("glove-6b-50", source)  # there already


def test_a_table_alone_is_taken_where_its_digest_is_published(archive: Path) -> None:
    archive.unlink()
    (archive.parent / "glove.6B.50d.txt").write_bytes(TEXT)
    (archive.parent / "glove.6B.200d.txt").write_bytes(TEXT)
    get("glove-6b-50", archive.parent)
    assert vectors_of(RunConfig(embeddings="glove-6b-50"), ["ships"]).size == 2
    assert vector_files.availability("glove-6b-100").state is State.MISSING
    with pytest.raises(DataError, match=r"glove\.6B\.zip"):
        get("glove-6b-200", archive.parent)


def test_another_file_is_thrown_away(archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-1] + b"!")
    with pytest.raises(DataError, match="not the published file"):
        get("glove-6b-100", archive)
    assert vector_files.location("glove-6b-100") is None


@pytest.mark.parametrize("of", ["mirror", "publisher", "file"])
def test_the_archive_comes_over_the_web_and_goes_on_where_it_was_cut(
    archive: Path, monkeypatch, of: str
) -> None:
    with mirror({"glove/glove.6B.zip": archive.read_bytes()}) as server:
        address = f"{server.url}/glove/glove.6B.zip"
        monkeypatch.setattr(vector_files, "ORIGIN", address)
        server.faults = ["cut"]
        shares: list[int] = []
        source = {"mirror": server.url, "publisher": None, "file": address}[of]
        get("glove-6b-300", source, progress=lambda p: shares.append(p.bytes_done))
        assert server.requests[1][1] == f"bytes={len(archive.read_bytes()) // 2}-"
    assert shares == sorted(shares)
    assert shares[-1] == len(archive.read_bytes())


def test_the_publisher_has_one_address() -> None:
    assert vector_files.ORIGIN.startswith("https://downloads.cs.stanford.edu/")
    assert sources._origin(vector_files.ARCHIVE) == vector_files.ORIGIN


def test_the_command_line_lists_gets_and_checks(archive: Path, capsys) -> None:
    assert main(["data", "list"]) == 0
    assert "glove-6b-200 missing" in capsys.readouterr().out
    assert main(["data", "get", "glove-6b-200", "--from", str(archive)]) == 0
    assert "GloVe 6B, 200 dimensions is complete" in capsys.readouterr().out
    assert main(["data", "list"]) == 0
    assert "glove-6b-50  complete" in capsys.readouterr().out
    assert main(["data", "check", "glove-6b-50"]) == 0
    assert "1 of 1 files are as published" in capsys.readouterr().out
    path = vector_files.ARCHIVE.path
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    assert main(["data", "check", "glove-6b-50"]) == FAILED
