"""Words by the lemma of their noun, and the sentence where the package is missing."""

import importlib.util

import pytest

from core import validation
from core.language.lemmas import normaliser, noun_lemma
from core.options import ConfigError
from core.parser.batch import Vocabulary
from core.training.assembly import Learner
from tests.conftest import missing


@pytest.fixture
def package() -> None:
    if importlib.util.find_spec("lemminflect") is None:
        missing("lemminflect is an optional package")


needs_package = pytest.mark.usefixtures("package")


@needs_package
@pytest.mark.parametrize(
    ("word", "lemma"),
    [
        ("meetings", "meeting"), ("cities", "city"), ("wives", "wife"), ("men", "man"),
        ("housing", "housing"), ("is", "is"), ("was", "was"), ("bigger", "bigger"), ("bus", "bus"),
        ("xqzs", "xqzs"), ("'", "'"), ("2004", "2004"), ("", ""),
    ],
)  # fmt: skip
def test_a_plural_reads_as_its_singular_and_nothing_else_changes(word, lemma) -> None:
    assert noun_lemma(word) == lemma


@needs_package
def test_the_vocabulary_knows_lemmas_and_encodes_any_form() -> None:
    words = [["show", "meetings"], ["a", "meeting"]]
    vocabulary = Vocabulary(words, normaliser("noun"))
    assert vocabulary.words == ["<pad>", "<unk>", "show", "meeting", "a"]
    assert vocabulary.encode(["meetings", "meeting", "parties"]) == [3, 3, 1]
    assert "meetings" in vocabulary
    assert Vocabulary(words).words == ["<pad>", "<unk>", "show", "meetings", "a", "meeting"]


@needs_package
def test_a_run_learns_from_lemmas(toy_config) -> None:
    plain = Learner(toy_config).parser.vocabulary.words
    lemmas = Learner(toy_config.with_(lemmas="noun")).parser.vocabulary.words
    assert lemmas == list(dict.fromkeys(map(noun_lemma, plain)))
    assert len(lemmas) < len(plain)


def test_without_the_package_it_is_refused_in_a_sentence(toy_config, monkeypatch) -> None:
    monkeypatch.setattr("core.config.learning.find_spec", lambda name: None)
    validation.check(toy_config)
    with pytest.raises(ConfigError, match=r"needs the package lemminflect.*pip install"):
        validation.check(toy_config.with_(lemmas="noun"))
