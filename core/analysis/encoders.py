"""What a run's encoder reads: in words, and whether the paper had the like."""

import re
from collections.abc import Iterable

from core.config import RANDOM_VECTORS, RunConfig

_BERT = re.compile(r"(^|[^a-z])bert([^a-z]|$)")  # not DistilBERT, RoBERTa
RANDOM = "random vectors"
_GLOVE = ("glove-6b-200", "glove.6B.200d")
_TRAINED = {"no": "fixed", "yes": "fine-tuned"}


def encoder_input(config: RunConfig) -> str:
    """`random vectors`, `glove-6b-200, not trained along`, `bert-base-uncased, fixed`."""
    if config.encoder == "transformer":
        n = config.encoder_layers
        layers = "last layer trained" if n == 1 else f"last {n} layers trained"
        return f"{_name(config.encoder_model)}, {_TRAINED.get(config.encoder_trained, layers)}"
    random = config.embeddings == RANDOM_VECTORS
    vectors = RANDOM if random else _name(config.embeddings)
    return vectors if config.embeddings_trained else f"{vectors}, not trained along"


def encoder_inputs(configs: Iterable[RunConfig]) -> str:
    """Those of several runs, each once."""
    return "; ".join(dict.fromkeys(map(encoder_input, configs)))


def paper_encoder(config: RunConfig) -> str | None:
    """How the paper notes a run's encoder: empty for word vectors, `BERT fixed`; None: had none."""
    if config.encoder != "transformer":
        return ""
    how = _TRAINED.get(config.encoder_trained)
    is_bert = bool(_BERT.search(_name(config.encoder_model).lower()))
    return f"BERT {how}" if is_bert and how else None


def has_papers_vectors(config: RunConfig) -> bool:
    """Whether the run reads GloVe vectors of 200 numbers, or the BERT that is asked for."""
    return config.encoder == "transformer" or _name(config.embeddings) in _GLOVE


def _name(source: str) -> str:
    """A file, folder or name without what it lies in."""
    return source.rstrip("/").rpartition("/")[2].removesuffix(".gz").removesuffix(".txt")
