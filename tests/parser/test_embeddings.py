"""Word vectors: files read or refused with line and column, looked up, scaled, kept, trained."""

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from core.config import RunConfig
from core.data.base import DataError
from core.options import ConfigError
from core.parser import vector_cache, vector_text
from core.parser.embeddings import base_forms, training_words, vectors_of
from core.parser.vector_text import read_vectors
from core.training.assembly import Learner
from core.training.checks import validate
from core.training.sequence import train
from tests.conftest import make_toy_tasks

TEXT = "the 0.5 -1 2e-1\nof 1 2 3\n, 4 5 6\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "v.txt"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def packed(path: Path, how: str, text: str = TEXT) -> Path:
    """The text as a file, packed in one of the ways that are read."""
    if how == "gzip":
        with gzip.open(path, "wb") as stream:
            stream.write(text.encode())
        return path
    if how in ("zip", "member"):
        archive = path.with_suffix(".zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.writestr("a/one.txt", text)
            bundle.writestr("__MACOSX/a/._one.txt", "junk")
            if how == "member":
                bundle.writestr("two.txt", "the 9\n")
        return archive / "a/one.txt" if how == "member" else archive
    return write(
        path, {"header": f"3 3\n{text}", "fasttext": text.replace("\n", " \n")}.get(how, text)
    )


@pytest.mark.parametrize("how", ["plain", "header", "fasttext", "gzip", "zip", "member"])
def test_reads_the_wanted_words_however_the_text_is_packed(path: Path, how: str) -> None:
    table = read_vectors(packed(path, how), ["the", ",", "absent"])
    assert (table.size, table.rows) == (3, 3)
    assert set(table.vectors) == {"the", ","}
    assert np.allclose(table.vectors["the"], [0.5, -1, 0.2])
    assert table.vectors["the"].dtype == np.float32


def test_the_digest_is_that_of_the_text_however_it_is_packed(path: Path) -> None:
    digests = {read_vectors(packed(path, how), []).digest for how in ("plain", "gzip", "member")}
    assert len(digests) == 1


def test_words_that_hold_blanks_are_passed_over(path: Path) -> None:
    write(path, "the 0.5 -1 2\n. . . 1 2 3\nat a@b.org 4 5 6\nof 1 2 3\n")  # as in GloVe 840B
    table = read_vectors(path, ["the", ".", "at", "of"])
    assert table.size == 3
    assert set(table.vectors) == {"the", "of"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("the 1 2 3\nof 1 2 3 4\n", "line 2, column 10: expected a word and 3 numbers"),
        ("the 1 2 3\nof 1 2\n", "line 2, column 7: expected a word and 3 numbers"),
        ("the 1 2 3\nof 1 x 3\n", "line 2, column 6: expected a finite number, found 'x'"),
        ("the 1 2 nan\n", "line 1, column 9: expected a finite number, found 'nan'"),
        ("the 1 1e99 2\n", "line 1, column 7: expected a finite number, found '1e99'"),
        ("the 1 2\nof 3 4\nthe 5 6\n", "line 3, column 1: 'the' has a vector in line 1 already"),
        ("", "holds no vectors"),
        ("5 3\n", "holds no vectors"),
        ("word\n", "line 1, column 1: expected a word and its numbers"),
        ("1 3\n\0\x01 \0\n", "line 2, column 1: expected a word and its numbers"),
        ("the " + "1 " * 40_000 + "\n", "line 1, column 1: expected a line of at most 65536"),
    ],
)
def test_a_wrong_file_is_refused_with_line_and_column(path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        read_vectors(write(path, text), ["the", "of"])


def test_other_faults_of_files_are_sentences(tmp_path: Path, monkeypatch) -> None:
    archive = packed(tmp_path / "v.txt", "member").parents[1]
    with pytest.raises(DataError, match=r"expected the name of one of its members.*two\.txt"):
        read_vectors(archive, ["the"])
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(TEXT.encode() * 999)[:-20])
    with pytest.raises(DataError, match="can't be unpacked"):
        read_vectors(cut, ["nothing"])
    monkeypatch.setattr(vector_text, "MAX_BYTES", 20)
    with pytest.raises(DataError, match=r"big\.txt has .* GB: expected at most .* head -n"):
        read_vectors(write(tmp_path / "big.txt", TEXT), ["the"])
    (tmp_path / "big.gz").write_bytes(gzip.compress(TEXT.encode()))  # how large is not known before
    with pytest.raises(DataError, match="line 2, column 1: expected at most"):
        read_vectors(tmp_path / "big.gz", ["the"])


def test_base_forms_are_tried_in_order() -> None:
    assert next(base_forms("cities")) == "city"
    assert "plan" in base_forms("planned")
    assert "score" in base_forms("scoring")
    assert "article" in base_forms("articles")
    assert not list(base_forms("is"))


@pytest.mark.parametrize(
    ("lookup", "known"),
    [("exact", {"show"}), ("any case", {"show", "ships"}), ("lemma", {"show", "ships", "animals"})],
)
def test_words_are_looked_up_as_asked(path, toy_config, lookup: str, known: set[str]) -> None:
    write(path, "show 1 2\nSHIPS 3 4\nShips 7 7\nanimal 5 6\nship 0 0\n")
    config = toy_config.with_(embeddings=str(path), embeddings_lookup=lookup)
    vectors = vectors_of(config, ["show", "ships", "animals", "fields"])
    assert set(vectors.vectors) == known
    if "ships" in known:
        assert vectors.vectors["ships"].tolist() == [3, 4]


def test_coverage_is_of_the_training_words(path, toy_config) -> None:
    write(path, "show 1 2\nships 3 4\nkobe 1 1\n")
    words = training_words(make_toy_tasks())
    text = validate(toy_config.with_(embeddings=str(path)))
    assert f"2 numbers for 2 of the {len(words)} training words" in text
    assert validate(toy_config) == ""
    write(path, "kobe 1 1\n")
    with pytest.raises(ConfigError, match="a vector for none of the"):
        validate(toy_config.with_(embeddings=str(path)))


def test_vectors_become_the_parsers_word_embeddings(path, toy_config) -> None:
    write(path, "animals 9 8 7 6\nships 1 2 3 4\n")
    parser = Learner(toy_config.with_(embeddings=str(path))).parser
    assert parser.word_embedding.shape[1] == 4
    row = parser.word_embedding[parser.vocabulary.encode(["animals"])[0]]
    assert torch.equal(row, torch.tensor([9.0, 8, 7, 6]))


def test_normalised_vectors_spread_as_random_ones(path, toy_config) -> None:
    write(path, "animals 9 8 7 6\nships 1 2 3 4\nshow -3 -4 -5 -6\n")
    config = toy_config.with_(embeddings=str(path))
    plain = vectors_of(config, ["animals", "ships", "show"]).vectors
    scaled = vectors_of(
        config.with_(embeddings_scale="normalised"), ["animals", "ships", "show"]
    ).vectors
    table = np.stack(list(scaled.values()))
    assert np.isclose(table.std(), 0.3)
    ratio = table / np.stack(list(plain.values()))
    assert np.allclose(ratio, ratio[0, 0])


@pytest.mark.parametrize("method", ["finetune", "total_recall", "hat", "gem"])
def test_vectors_that_are_not_trained_stay_and_are_saved(path, toy_config, method: str) -> None:
    write(path, "animals 9 8 7\nships 1 2 3\n")
    config = toy_config.with_(method=method, embeddings=str(path), embeddings_trained=False)
    before = Learner(config).parser.word_embedding.clone()
    learner = train(config, lambda event: None)
    assert torch.equal(learner.parser.word_embedding, before)
    assert "word_embedding" in learner.parser.state_dict()
    moved = train(config.with_(embeddings_trained=True), lambda event: None)
    assert not torch.equal(moved.parser.word_embedding, before)


def test_a_file_is_read_once_for_a_vocabulary(path, toy_config, monkeypatch, home) -> None:
    write(path, "show 1 2\nships 3 4\n")
    config = toy_config.with_(embeddings=str(path))
    first = vectors_of(config, ["show", "fields"])
    reads = []
    monkeypatch.setattr("core.parser.embeddings.read_vectors", lambda *a, **k: reads.append(a))
    again = vectors_of(config, ["show", "fields"])
    assert again.vectors["show"].tolist() == first.vectors["show"].tolist()
    assert again.coverage == first.coverage
    assert reads == []
    monkeypatch.undo()
    kept = next((home / "vectors").glob("*.npz"))
    kept.write_bytes(b"damaged")
    assert vectors_of(config, ["show", "fields"]).vectors["show"].tolist() == [1, 2]
    write(path, "show 5 6\nships 3 4 \n")  # another file at the same path
    assert vectors_of(config, ["show", "fields"]).vectors["show"].tolist() == [5, 6]


def test_tables_used_last_are_kept(path, toy_config, monkeypatch, home) -> None:
    monkeypatch.setattr(vector_cache, "MOST", 2)
    write(path, "show 1 2\n")
    for number in range(4):
        vectors_of(toy_config.with_(embeddings=str(path)), ["show", f"word{number}"])
    assert len(list((home / "vectors").glob("*.npz"))) == 2
    assert not list((home / "vectors").glob("*.part"))


def test_an_empty_text_of_earlier_versions_is_random() -> None:
    assert RunConfig(embeddings="") == RunConfig()
    assert RunConfig.from_json('{"embeddings": ""}').embeddings == "random"


def test_progress_goes_up_to_the_end(path: Path, monkeypatch) -> None:
    monkeypatch.setattr(vector_text, "_EVERY", 2)
    shares: list[float] = []
    write(path, "".join(f"w{i} 1 2\n" for i in range(9)))
    read_vectors(path, ["w1"], progress=shares.append)
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert shares[-1] == 1
