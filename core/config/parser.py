"""The settings of the parser and its encoder."""

from dataclasses import dataclass
from importlib.util import find_spec

from core.options import option

RANDOM_VECTORS = "random"  # of words; earlier versions wrote an empty text


def encoders() -> tuple[str, ...]:
    """The values of `encoder` that can be had on this machine; imports nothing."""
    return ("lstm", "transformer") if find_spec("transformers") else ("lstm",)


@dataclass(frozen=True)
class ParserSettings:
    """Word vectors, sizes, decoding."""

    embeddings: str = option(
        RANDOM_VECTORS,
        "where word vectors start: random; glove-6b-50, -100, -200 (the paper) or -300; or the "
        "path of a text file of vectors (GloVe, word2vec, fastText's .vec), also packed as .gz or "
        "as a member of a .zip: vectors.zip/member.txt; or of a fastText model (.bin)",
        group="Parser",
        label="Word vectors",
        suggested=(RANDOM_VECTORS, *(f"glove-6b-{size}" for size in (50, 100, 200, 300))),
    )
    embeddings_trained: bool = option(
        True,
        "word vectors are trained along; off: they stay as they start",
        group="Parser",
        label="Word vectors are trained",
    )
    embeddings_scale: str = option(
        "as they are",
        "a file's vectors as they are, or normalised: all times one factor, so that their numbers "
        "spread as random ones do",
        choices=("as they are", "normalised"),
        group="Parser",
        label="A file's vectors",
    )
    embeddings_lookup: str = option(
        "exact",
        "words that a file has not. exact: they start random; any case: Paris counts for paris; "
        "lemma: also city for cities, by English endings; subword: the mean of their n-grams of "
        "characters, which only a fastText model (.bin) has",
        choices=("exact", "any case", "lemma", "subword"),
        group="Parser",
        label="Words looked up",
    )
    word_size: int = option(
        200, "size of random word vectors (paper: 200)", low=1, high=4096, group="Parser"
    )
    hidden_size: int = option(
        256,
        "LSTM units, per direction in the encoder (paper: 256)",
        low=1,
        high=4096,
        group="Parser",
    )
    action_size: int = option(
        128, "size of an action embedding (paper: 128)", low=1, high=4096, group="Parser"
    )
    action_init: str = option(
        "0.3",
        "standard deviation that action embeddings are drawn with: this, or Glorot's (as in the "
        "paper's release; 0.08 to 0.09 on Overnight)",
        choices=("0.3", "glorot"),
        group="Parser",
        label="Action embeddings start at",
    )
    input_feeding: bool = option(
        False, "the decoder also reads the last s_t (the release: on; slower)", group="Parser"
    )
    beam_size: int = option(
        1, "hypotheses kept in decoding; 1 is greedy", low=1, high=64, group="Parser"
    )


@dataclass(frozen=True)
class EncoderSettings:
    """What the encoder's LSTM reads."""

    encoder: str = option(
        "lstm",
        "what the encoder's LSTM reads. lstm: word vectors; transformer: the states of a "
        "pretrained one, as with BERT in the paper (takes the package transformers)",
        choices=("lstm", "transformer"),
        offered=encoders,
        group="Encoder",
        label="Encoder reads",
    )
    encoder_model: str = option(
        "",
        "the pretrained transformer: a folder with its weights as safetensors and its tokenizer, "
        "or its name on Hugging Face, such as google-bert/bert-base-uncased",
        group="Encoder",
        label="Transformer",
    )
    encoder_trained: str = option(
        "no",
        "no: it stays as it is, and its states are computed once an utterance (the paper's BERT "
        "fixed); yes: all of it is trained along (BERT fine-tuned); last layers: so many as "
        "encoder_layers says",
        choices=("no", "yes", "last layers"),
        group="Encoder",
        label="Transformer is trained",
    )
    encoder_layers: int = option(
        2,
        "layers that are trained with encoder_trained = last layers",
        low=1,
        high=1000,
        group="Encoder",
        label="Layers trained",
    )
    encoder_pooling: str = option(
        "first",
        "a word's state where the transformer cuts it into pieces: that of the first, or the mean",
        choices=("first", "mean"),
        group="Encoder",
        label="A word's state",
    )
    encoder_rate: float = option(
        5e-5,
        "Adam's step size for the transformer",
        low=1e-8,
        high=1.0,
        group="Encoder",
        label="Learning rate of the transformer",
    )
    encoder_warmup: int = option(
        50,
        "steps at a stage's start over which the transformer's step size rises from 0",
        low=0,
        high=1_000_000,
        group="Encoder",
        label="Warm-up steps",
    )
