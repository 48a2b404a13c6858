"""A small random BERT with a tokenizer of its own, as a folder."""

from pathlib import Path
from typing import Any

import pytest

PIECES = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "show", "all", "animal", "##s", "that", "are",
    "big", "small", "how", "many", "there", "keep", "##er", "of", "please", "ship", "fast",
    "captain", "field", "the", "long", "##est", "wide", "##st",
]  # fmt: skip
SIZE = 16


def write_tiny_bert(folder: Path, **changes: Any) -> Path:
    """The folder, with config.json, model.safetensors and a tokenizer of words and endings."""
    transformers = pytest.importorskip("transformers", reason="the package transformers")
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    settings = {
        "vocab_size": len(PIECES),
        "hidden_size": SIZE,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "max_position_embeddings": 32,
    }
    config = transformers.BertConfig(**settings | changes)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = transformers.BertModel(config)
    model.save_pretrained(folder)
    vocabulary = {piece: number for number, piece in enumerate(PIECES)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=marks
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=32,
    ).save_pretrained(folder)
    return folder
