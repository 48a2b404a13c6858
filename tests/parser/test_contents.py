"""What a configuration's files hold decides its digest, not where they lie."""

import gzip
import shutil
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from core.config import RunConfig
from core.data.io import vector_files
from core.parser import contents
from core.parser.embeddings import vectors_of
from core.runs.digest import digest

TEXT = b"show 1 2\nships 3 4\n"


def with_vectors(path: Path | str) -> str:
    return digest(RunConfig(embeddings=str(path)))


def with_model(path: Path | str) -> str:
    return digest(RunConfig(encoder="transformer", encoder_model=str(path)))


def model(folder: Path, weights: bytes = b"weights") -> Path:
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_the_same_vectors_elsewhere_and_packed_are_the_same_configuration(tmp_path: Path) -> None:
    plain, copy = tmp_path / "a.txt", tmp_path / "b.txt"
    plain.write_bytes(TEXT)
    copy.write_bytes(TEXT)
    packed, archive = tmp_path / "c.txt.gz", tmp_path / "d.zip"
    packed.write_bytes(gzip.compress(TEXT))
    with zipfile.ZipFile(archive, "w") as bundle:
        bundle.writestr("one.txt", TEXT)
        bundle.writestr("two.txt", b"show 5 6\n")
    same = {with_vectors(path) for path in (plain, copy, packed, archive / "one.txt")}
    assert len(same) == 1
    assert with_vectors(archive / "two.txt") not in same
    assert digest(RunConfig()) not in same


def test_other_vectors_at_the_same_path_are_another_configuration(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    first = with_vectors(path)
    path.write_bytes(TEXT + b"more 5 6\n")
    assert with_vectors(path) != first
    path.write_bytes(TEXT)
    assert with_vectors(path) == first


def test_a_file_that_is_gone_counts_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    folder = model(tmp_path / "model")
    before = with_vectors(path), with_model(folder)
    path.unlink()
    shutil.rmtree(folder)
    assert (with_vectors(path), with_model(folder)) == before
    shutil.rmtree(contents.folder())
    assert with_vectors(path) == with_vectors(path)
    assert with_vectors(path) != before[0]  # nobody knows what it held


def test_a_file_that_was_read_is_not_read_for_its_digest(tmp_path, toy_config, monkeypatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(TEXT)
    vectors = vectors_of(toy_config.with_(embeddings=str(path)), ["show"])
    monkeypatch.setattr(contents, "_text_digest", lambda path: pytest.fail("it was read again"))
    assert contents.of_vectors(str(path)) == f"sha256:{vectors.digest}"
    assert vectors.digest == sha256(TEXT).hexdigest()


def test_a_published_table_at_any_path_is_that_table(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "glove.txt"
    path.write_bytes(TEXT)
    monkeypatch.setitem(contents._PUBLISHED, sha256(TEXT).hexdigest(), "glove-6b-50")
    assert with_vectors(path) == with_vectors("glove-6b-50")
    assert {*contents._PUBLISHED.values()} < {*vector_files.TABLES}


@pytest.mark.parametrize("source", ["random", "glove-6b-200", "nowhere.txt", "x" * 5000, "a\0b"])
def test_what_is_no_file_counts_as_it_is_written(source: str) -> None:
    assert contents.of_vectors(source) == source
    assert contents.of_model(source) == source


def test_what_can_not_be_read_counts_as_it_is_written(tmp_path: Path, monkeypatch) -> None:
    broken = tmp_path / "a.gz"
    broken.write_bytes(gzip.compress(TEXT)[:-9])
    assert contents.of_vectors(str(broken)) == str(broken)
    monkeypatch.setattr(contents, "MAX_BYTES", 5)
    huge = tmp_path / "b.txt.gz"
    huge.write_bytes(gzip.compress(TEXT * 99))
    assert contents.of_vectors(str(huge)) == str(huge)
    assert contents.of_vectors(str(tmp_path)) == str(tmp_path)


def test_a_model_counts_by_its_files(tmp_path: Path) -> None:
    first, same = model(tmp_path / "one"), model(tmp_path / "same")
    changed = model(tmp_path / "other", b"others")
    assert with_model(first) == with_model(same) == with_model(f"{first}/")
    assert with_model(changed) != with_model(first)
    (same / "config.json").write_text("{} ")
    assert with_model(same) != with_model(first)
    assert with_model("google-bert/bert-base-uncased") != with_model(first)
