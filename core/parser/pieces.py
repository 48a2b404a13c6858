"""Words as a pretrained transformer reads them: cut into pieces, and pieces pooled to words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.parser.batch import UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from core.parser.pretrained import Pretrained

Words = tuple[str, ...]


@dataclass(frozen=True)
class Pieces:
    """An utterance's pieces, the model's own marks included, and how words come from them."""

    ids: tuple[int, ...]
    pooling: NDArray[np.float32]  # (words, pieces) float32; a row of 0 for a word that has none
    n_cut: int  # words whose pieces are behind the model's limit


class OpenVocabulary(Vocabulary):
    """Words of any utterance: those that training doesn't show are numbered when they come."""

    def __init__(self, utterances: Sequence[Sequence[str]], cutter: Cutter) -> None:
        super().__init__(utterances)
        self._cutter = cutter

    def __contains__(self, word: str) -> bool:
        """Whether the model has pieces for it."""
        return self._cutter.reads(word)

    def encode(self, words: Sequence[str]) -> list[int]:
        """Word numbers; an utterance without words is one unknown word."""
        for word in words:
            if word not in self._ids:
                self._ids[word] = len(self.words)
                self.words.append(word)
        return super().encode(words)


class Cutter:
    """Cuts utterances into a model's pieces, each distinct one once."""

    def __init__(self, model: Pretrained, pooling: str) -> None:
        self.model, self.pooling = model, pooling
        self._known: dict[Words, Pieces] = {}

    def reads(self, word: str) -> bool:
        """Whether the word's pieces are known to the model."""
        ids = self.model.tokenizer([word], is_split_into_words=True, add_special_tokens=False)
        unknown = self.model.tokenizer.unk_token_id
        return bool(ids["input_ids"]) and unknown not in ids["input_ids"]

    def cut(self, words: Words) -> Pieces:
        """The utterance's pieces."""
        if words not in self._known:
            self._known[words] = self._cut(words)
        return self._known[words]

    def _cut(self, words: Words) -> Pieces:
        whole = self.model.tokenizer(list(words), is_split_into_words=True, verbose=False)
        most = self.model.most_pieces
        coded = (
            whole
            if len(whole["input_ids"]) <= most
            else self.model.tokenizer(
                list(words), is_split_into_words=True, truncation=True, max_length=most
            )
        )
        of_word = coded.word_ids()
        pooling = np.zeros((len(words), len(of_word)), dtype=np.float32)
        for at, word in enumerate(of_word):
            if word is not None and (self.pooling == "mean" or not pooling[word].any()):
                pooling[word, at] = 1
        pooling /= np.maximum(pooling.sum(axis=1, keepdims=True), 1)
        cut = set(whole.word_ids()) - set(of_word)
        return Pieces(tuple(coded["input_ids"]), pooling, len(cut))

    def truncation(self, utterances: Iterable[Words]) -> str:
        """How many utterances are longer than the model reads, in a sentence; empty: none."""
        cut = [utterance for utterance in set(utterances) if self.cut(utterance).n_cut]
        if not cut:
            return ""
        return (
            f"{len(cut):,} utterances are longer than the {self.model.most_pieces} pieces that "
            f"{self.model.name} reads: of their last words nothing is known."
        )


def as_words(words: Sequence[str], numbers: Sequence[int], cutter: Cutter) -> Words:
    """The words of these numbers; the number of an empty utterance is the model's unknown piece."""
    unknown = cutter.model.tokenizer.unk_token or ""
    return tuple(unknown if number == UNKNOWN else words[number] for number in numbers)
