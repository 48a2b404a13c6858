"""Word vectors from a GloVe text file (Pennington et al., 2014): a word and its numbers a line."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np


class EmbeddingsError(ValueError):
    """A vector file that can't be used: the message names file, line and what was expected."""


def read_glove(path: Path, wanted: Iterable[str]) -> tuple[int, dict[str, np.ndarray]]:
    """The dimension of the file's vectors, and the vectors of the wanted words that it has.

    Every line is checked for the same number of columns; the numbers of wanted words are read.
    A first line of two whole numbers (word2vec's header) is passed over, and so are words that hold
    blanks, which GloVe's largest file has: no utterance has such words.
    """
    missing = set(wanted)
    found: dict[str, np.ndarray] = {}
    columns = 0
    number = 0
    try:
        with path.open("rb") as lines:
            for number, raw in enumerate(lines, 1):
                line = raw.rstrip(b"\r\n").rstrip(b" ")
                count = line.count(b" ")
                if number == 1 and count == 1 and line.replace(b" ", b"").isdigit():
                    continue
                columns = columns or count
                if count > columns and _holds_blanks(line.split(b" ")[1 : count - columns + 1]):
                    continue
                if count != columns or not columns:
                    raise EmbeddingsError(
                        f"{path}, line {number}: expected a word and {columns or 'some'} numbers "
                        f"with single blanks between them, found {count} numbers."
                    )
                word, _, numbers = line.partition(b" ")
                text = word.decode("utf-8", errors="replace")
                if text in missing:
                    found[text] = _vector(numbers, path, number, text)
                    missing.discard(text)
    except OSError as error:
        raise EmbeddingsError(
            f"embeddings: {path} can't be read ({error.strerror}); expected a GloVe text file."
        ) from error
    if not columns:
        raise EmbeddingsError(f"{path} holds no vectors; expected a word and its numbers a line.")
    return columns, found


def _holds_blanks(parts: list[bytes]) -> bool:
    """Whether what stands where a word's further parts would is no number: a word, not a column."""
    for part in parts:
        try:
            float(part)
        except ValueError:
            continue
        return False
    return True


def _vector(numbers: bytes, path: Path, line: int, word: str) -> np.ndarray:
    try:
        vector = np.array([float(value) for value in numbers.split(b" ")], dtype=np.float32)
    except ValueError as error:
        raise EmbeddingsError(
            f"{path}, line {line}: the vector of '{word}' holds something that is no number "
            f"({error})."
        ) from error
    if not np.isfinite(vector).all():
        raise EmbeddingsError(f"{path}, line {line}: the vector of '{word}' is not finite.")
    return vector
