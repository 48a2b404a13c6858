"""GloVe files: read, refused with file and line, and where their vectors end up."""

import numpy as np
import pytest
import torch

from core.options import ConfigError
from core.parser.embeddings import EmbeddingsError, read_glove
from core.training.assembly import Learner


def test_reads_the_wanted_words_of_any_dimension(tmp_path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("the 0.5 -1 2e-1\nof 1 2 3\n, 4 5 6\n", encoding="utf-8")
    size, vectors = read_glove(path, ["the", ",", "absent"])
    assert size == 3
    assert set(vectors) == {"the", ","}
    assert np.allclose(vectors["the"], [0.5, -1, 0.2])


def test_a_word2vec_header_is_passed_over(tmp_path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("2 3\nthe 0.5 -1 2\nof 1 2 3\n", encoding="utf-8")
    assert read_glove(path, ["of"])[1]["of"].tolist() == [1, 2, 3]


def test_words_that_hold_blanks_are_passed_over(tmp_path) -> None:
    path = tmp_path / "v.txt"  # as in the file of 840 billion words
    path.write_text("the 0.5 -1 2\n. . . 1 2 3\nat a@b.org 4 5 6\nof 1 2 3\n", encoding="utf-8")
    size, vectors = read_glove(path, ["the", ".", "at", "of"])
    assert size == 3
    assert set(vectors) == {"the", "of"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("the 1 2 3\nof 1 2 3 4\n", "line 2: expected a word and 3 numbers"),
        ("the 1 2 3\nof 1 2\n", "line 2: expected a word and 3 numbers"),
        ("the 1 2 3\nof 1 x 3\n", "line 2: the vector of 'of'"),
        ("the 1 2 nan\n", "line 1: the vector of 'the' is not finite"),
        ("", "holds no vectors"),
        ("word\n", "line 1: expected a word and some numbers"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, says) -> None:
    path = tmp_path / "v.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EmbeddingsError, match=says):
        read_glove(path, ["the", "of"])


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(EmbeddingsError, match=r"gone\.txt can't be read"):
        read_glove(tmp_path / "gone.txt", [])


def test_vectors_become_the_parsers_word_embeddings(tmp_path, toy_config) -> None:
    path = tmp_path / "v.txt"
    path.write_text("animals 9 8 7 6\nships 1 2 3 4\n", encoding="utf-8")
    parser = Learner(toy_config.with_(embeddings=str(path))).parser
    assert parser.word_embedding.shape[1] == 4
    row = parser.word_embedding[parser.vocabulary.encode(["animals"])[0]]
    assert torch.equal(row, torch.tensor([9.0, 8, 7, 6]))


def test_a_run_with_a_bad_file_is_refused_as_configuration(tmp_path, toy_config) -> None:
    path = tmp_path / "v.txt"
    path.write_text("a 1\nb\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 2"):
        Learner(toy_config.with_(embeddings=str(path)))
