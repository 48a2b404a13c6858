"""A fastText model's vectors are those that fastText itself gives; what is none is refused."""

import struct
from pathlib import Path

import numpy as np
import pytest

from core.data.base import DataError
from core.options import ConfigError
from core.parser import contents
from core.parser.embeddings import vectors_of
from core.parser.fasttext import is_model, read_model
from core.training.checks import validate
from tests.parser.tiny_fasttext import HAS, HAS_NOT, VECTORS, write_tiny_fasttext

COLUMNS, BUCKET = 8, 40  # where these numbers stand in the file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_tiny_fasttext(tmp_path / "tiny.bin")


def changed(path: Path, at: int, number: int) -> Path:
    data = bytearray(path.read_bytes())
    struct.pack_into("<i", data, at, number)
    path.write_bytes(data)
    return path


def test_vectors_are_those_that_fasttext_gives(path: Path) -> None:
    assert is_model(path)
    table = read_model(path, [*HAS, *HAS_NOT], subwords=True)
    assert (table.size, table.rows) == (3, 15)
    assert (tuple(table.vectors), tuple(table.others)) == (HAS, HAS_NOT)
    for word, vector in {**table.vectors, **table.others}.items():
        assert vector.dtype == np.float32
        assert vector.tolist() == pytest.approx(VECTORS[word], rel=1e-5)


def test_without_subwords_only_words_of_the_model_have_vectors(path: Path) -> None:
    table = read_model(path, [*HAS, *HAS_NOT])
    assert (tuple(table.vectors), dict(table.others)) == (HAS, {})
    assert len(read_model(path, ["Ships", "SHOW"], any_case=True).others) == 0


def test_another_case_is_looked_up(path: Path) -> None:
    data = path.read_bytes().replace(b"ships\0", b"Ships\0")
    path.write_bytes(data)
    assert not read_model(path, ["ships"]).vectors
    assert set(read_model(path, ["ships"], any_case=True).others) == {"ships"}


def test_a_run_reads_subwords_and_says_so(path, toy_config, tmp_path, monkeypatch) -> None:
    config = toy_config.with_(embeddings=str(path), embeddings_lookup="subword")
    words = [*HAS, *HAS_NOT]
    vectors = vectors_of(config, words)
    assert set(vectors.vectors) == set(words)
    assert (
        "3 numbers for 6 of the 6 training words (100.0%), for 4 by their subwords. Its SHA-256"
        in (vectors.coverage)
    )
    monkeypatch.setattr("core.parser.fasttext.read_model", lambda *a, **k: pytest.fail("again"))
    again = vectors_of(config, words)  # kept
    assert again.coverage == vectors.coverage
    assert contents.of_vectors(str(path)) == f"sha256:{vectors.digest}"
    text = tmp_path / "v.txt"
    text.write_text("ships 1 2 3\n")
    with pytest.raises(ConfigError, match=r"embeddings_lookup = 'subword'.* whole words alone"):
        validate(config.with_(embeddings=str(text)))


def test_a_model_without_n_grams_has_no_subwords(path: Path) -> None:
    changed(path, BUCKET + 8, 0)  # the longest n-gram
    table = read_model(path, [*HAS, *HAS_NOT], subwords=True)
    assert (tuple(table.vectors), dict(table.others)) == (HAS, {})


@pytest.mark.parametrize(
    ("at", "number"),
    [
        (4, 11),
        (COLUMNS, 0),
        (COLUMNS, 2),
        (BUCKET, 12),
        (BUCKET, -1),
        (64, 10**6),
        (68, 14),
        (88, 0),
    ],
    ids=str,
)
def test_what_is_no_whole_model_is_refused(path: Path, at: int, number: int) -> None:
    with pytest.raises(DataError, match=r"tiny\.bin: expected a whole fastText model of version"):
        read_model(changed(path, at, number), HAS)


@pytest.mark.parametrize("n_bytes", [5, 91, 100, 330, 500])
def test_a_model_that_is_cut_off_is_refused(path: Path, n_bytes: int) -> None:
    path.write_bytes(path.read_bytes()[:n_bytes])
    with pytest.raises(DataError, match="expected a whole fastText model"):
        read_model(path, HAS)


def test_numbers_that_are_not_finite_are_refused(path: Path) -> None:
    data, size = path.read_bytes(), 4 * 3 * (15 + 11)
    start = len(data) - (17 + 4 * 3 * 15) - size  # behind it lies the matrix of the output
    broken = struct.pack("<f", float("nan")) * (size // 4)
    path.write_bytes(data[:start] + broken + data[start + size :])
    with pytest.raises(DataError, match="with finite numbers"):
        read_model(path, HAS)


def test_other_files_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("ships 1 2 3\n")
    assert not is_model(tmp_path / "v.txt")
    assert not is_model(tmp_path / "nowhere")
    assert not is_model(tmp_path)
