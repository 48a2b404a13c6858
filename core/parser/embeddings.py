"""The word vectors that a run starts from: random ones, those of a file, or published ones.

A file is read once: what it has of a vocabulary is kept in the home's folder `vectors`, under the
digest of its text and of the vocabulary.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.config import RANDOM_VECTORS, RunConfig
from core.data.base import Task
from core.data.io import vector_files
from core.options import ConfigError
from core.parser import fasttext, vector_cache
from core.parser.packed_text import exists
from core.parser.vector_text import FileVectors, Progress, Vector, read_vectors

RANDOM_SPREAD = 0.3  # standard deviation of the numbers of random vectors
_FEW = 3  # letters that are left of a word without its ending, at least


@dataclass(frozen=True)
class Vectors:
    """The vectors of those words of a vocabulary that a file has."""

    source: str  # as people write it
    size: int  # numbers of a vector
    vectors: dict[str, Vector]  # word → (size,) float32
    n_words: int  # of the vocabulary
    digest: str  # SHA-256 of the file's text
    n_of_subwords: int = 0  # words whose vector is the mean of their subwords

    @property
    def coverage(self) -> str:
        """How many of the training words have a vector, and of which file, in two sentences."""
        n, share = len(self.vectors), len(self.vectors) / max(self.n_words, 1)
        by = f", for {self.n_of_subwords:,} by their subwords" if self.n_of_subwords else ""
        rest = "" if n == self.n_words else "; the others start from random vectors"
        return (
            f"{self.source} has vectors of {self.size} numbers for {n:,} of the {self.n_words:,} "
            f"training words ({share:.1%}){by}{rest}. Its SHA-256 is {self.digest[:16]}…."
        )


def training_words(tasks: Iterable[Task]) -> list[str]:
    """The distinct words of the training rows, in order of first appearance."""
    return list(dict.fromkeys(word for task in tasks for row in task.train for word in row.words))


def vectors_of(
    config: RunConfig, words: Sequence[str], progress: Progress = lambda share: None
) -> Vectors | None:
    """What the run's source has of the training words; None where all vectors are random.

    ConfigError where there is no such source, or it has none of the words; DataError names a file's
    line and column.
    """
    if config.embeddings == RANDOM_VECTORS:
        return None
    path = _path(config.embeddings)
    lemmas = config.embeddings_lookup == "lemma"
    wanted = dict.fromkeys(words)
    wanted |= dict.fromkeys(form for word in words if lemmas for form in base_forms(word))
    table = _table(path, tuple(wanted), config, progress)
    vectors = _looked_up(table, words, lemmas)
    if not vectors:
        raise ConfigError(
            f"embeddings = '{config.embeddings}': it has a vector for none of the {len(words):,} "
            "training words; expected vectors of their language, in lower case."
        )
    if config.embeddings_scale == "normalised":
        vectors = normalised(vectors)
    by_subwords = len(table.others) if config.embeddings_lookup == "subword" else 0
    return Vectors(config.embeddings, table.size, vectors, len(words), table.digest, by_subwords)


def _table(
    path: Path, wanted: tuple[str, ...], config: RunConfig, progress: Progress
) -> FileVectors:
    """What the file has of these words; ConfigError where it has none of the subwords asked for."""
    lookup = config.embeddings_lookup
    any_case, subwords = lookup in ("any case", "lemma"), lookup == "subword"
    is_model = fasttext.is_model(path)
    if subwords and not is_model:
        raise ConfigError(
            f"embeddings_lookup = 'subword': {config.embeddings} has whole words alone; expected a "
            "fastText model, as its .bin, or another way of looking words up."
        )

    def read() -> FileVectors:
        if is_model:
            return fasttext.read_model(
                path, wanted, any_case=any_case, subwords=subwords, progress=progress
            )
        return read_vectors(path, wanted, any_case=any_case, progress=progress)

    return vector_cache.get(path, wanted, lookup, read)


def _path(source: str) -> Path:
    """The file of a source; ConfigError where it is none."""
    if source in vector_files.TABLES:
        place = vector_files.location(source)
        if place is None:
            raise ConfigError(vector_files.missing(source))
        return place[0] / place[1] if place[1] else place[0]
    path = Path(source)
    try:
        is_file = exists(path)
    except (OSError, ValueError):  # too long a name
        is_file = False
    if not is_file:
        raise ConfigError(
            f"embeddings = '{source[:200]}': there is no such file; expected {RANDOM_VECTORS}, "
            f"{', '.join(vector_files.TABLES)} or the path of a file of vectors."
        )
    return path


def _looked_up(table: FileVectors, words: Sequence[str], lemmas: bool) -> dict[str, Vector]:
    """Word → vector: its own, else what stands for it in the file, else of its base form."""
    vectors = {}
    for word in words:
        for form in (word, *(base_forms(word) if lemmas else ())):
            vector = table.vectors.get(form, table.others.get(form))
            if vector is not None:
                vectors[word] = vector
                break
    return vectors


def normalised(vectors: dict[str, Vector]) -> dict[str, Vector]:
    """All vectors times one factor, so that their numbers spread as random ones do."""
    spread = float(np.stack(list(vectors.values())).std())
    factor = np.float32(RANDOM_SPREAD / spread) if spread else np.float32(1)
    return {word: vector * factor for word, vector in vectors.items()}


def base_forms(word: str) -> Iterator[str]:
    """What the word may be an inflected form of, likeliest first: `cities` → city, citie.

    English endings, taken off by rule; a form that is no word has no vector anywhere.
    """
    for ending, instead in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _FEW:
            yield stem + instead
            if ending in ("ing", "ed") and not instead and stem[-1] == stem[-2]:
                yield stem[:-1]  # planned → plan


_ENDINGS = (
    ("'s", ""),
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ied", "y"),
    ("ed", ""),
    ("d", ""),
    ("er", ""),
    ("est", ""),
)
