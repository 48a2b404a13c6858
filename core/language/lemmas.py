"""Words by the lemma of the noun that they may be: a plural reads as its singular.

By lemminflect's dictionary, as the paper's release takes WordNet's: a word that may be a noun is
read as one (`wants` → `want`), any other stays.
"""

from collections.abc import Callable
from functools import cache


def normaliser(lemmas: str) -> Callable[[str], str]:
    """What gives the form under which the parser knows a word; ImportError without the package."""
    return str if lemmas == "none" else noun_lemma


@cache
def noun_lemma(word: str) -> str:
    """The dictionary's lemma of the word as a noun; the word itself where it has none."""
    import lemminflect

    lemmas: tuple[str, ...] = lemminflect.getLemma(word, upos="NOUN", lemmatize_oov=False)
    return lemmas[0] if lemmas else word
