"""A pretrained transformer whose states the encoder's LSTM reads in place of word vectors.

As the paper's BERT, "as its embedding layer" (section 4, Table 4): fixed, trained along, or its
last layers. What does not move is no parameter: optimizers, penalties and checkpoints know the
moving part alone. There is no dropout inside, so that all that a run draws comes from its own
generators. A fixed one reads an utterance at a time and its states are kept, whichever batch it
comes in; a moving one reads batches.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from core.config import RunConfig
from core.free_ram import available_bytes
from core.options import ConfigError
from core.parser import pretrained
from core.parser.contents import model_stamp
from core.parser.kept_states import KeptStates, States
from core.parser.moving import moved
from core.parser.pieces import Cutter, OpenVocabulary, Pieces, Words, as_words

if TYPE_CHECKING:
    from core.data.base import Task

_COPIES = 4  # weights, gradients, and Adam's two means
_BASE_BYTES = 500_000_000  # states of a batch, and all else


def transformer_of(config: RunConfig) -> Transformer | None:
    """The run's transformer; None where its encoder reads word vectors."""
    if config.encoder != "transformer":
        return None
    return Transformer(config, pretrained.find(config.encoder_model))


class Transformer(nn.Module):
    """(n, L) word numbers → (n, L, size) states of words, 0 at padding."""

    def __init__(self, config: RunConfig, model: pretrained.Pretrained) -> None:
        super().__init__()
        self.config, self.model = config, model
        self.cutter = Cutter(model, config.encoder_pooling)
        self.size, self.moves = model.size, config.encoder_trained != "no"
        self.digest = model.digest()
        self.module: nn.Module = pretrained.load(model)
        moving = _moving(self.module, config)
        _hold_all_but(self.module, moving)
        self._kept = KeptStates(f"{self.digest[:24]}-{config.encoder_pooling}", self.size)
        self._states: dict[tuple[int, ...], States] = {}

    def train(self, mode: bool = True) -> Transformer:
        """Always as in evaluation: without dropout."""
        return super().train(False)

    @property
    def device(self) -> torch.device:
        """Where its weights lie."""
        return next(itertools.chain(self.module.parameters(), self.module.buffers())).device

    @torch.no_grad()
    def initialise(self) -> None:
        """The pretrained weights again."""
        if self.moves:
            fresh = dict(pretrained.load(self.model).named_parameters())
            for name, parameter in self.module.named_parameters():
                parameter.copy_(fresh[name])

    def forward(self, words: Tensor, lengths: Tensor, vocabulary: OpenVocabulary) -> Tensor:
        """States of (n, L) word numbers; these and `lengths` (n,) on the CPU."""
        counts, device = lengths.tolist(), self.device
        rows = [tuple(row[:n]) for row, n in zip(words.tolist(), counts, strict=True)]
        if self.moves:
            cut = [self.cutter.cut(as_words(vocabulary.words, row, self.cutter)) for row in rows]
            return self._read(cut, words.shape[1], device)
        table = np.zeros((*words.shape, self.size), dtype=np.float32)
        for states, row in zip(table, rows, strict=True):
            states[: len(row)] = self._fixed(row, vocabulary, device)
        return moved(torch.from_numpy(table), device)

    def _fixed(
        self, row: tuple[int, ...], vocabulary: OpenVocabulary, device: torch.device
    ) -> States:
        """The states of one utterance, computed by itself so that no batch shows in them."""
        if row not in self._states:
            text = as_words(vocabulary.words, row, self.cutter)

            def make() -> States:
                with torch.no_grad():
                    states = self._read([self.cutter.cut(text)], len(text), device)
                return states[0].cpu().numpy()

            self._states[row] = self._kept.get(text, make)
        return self._states[row]

    def _read(self, cut: list[Pieces], n_words: int, device: torch.device) -> Tensor:
        """One call of the transformer over padded utterances, its states pooled to words."""
        width = max(len(pieces.ids) for pieces in cut)
        ids = np.full((len(cut), width), self.model.tokenizer.pad_token_id or 0, dtype=np.int64)
        mask = np.zeros((len(cut), width), dtype=np.int64)
        pooling = np.zeros((len(cut), n_words, width), dtype=np.float32)
        for row, pieces in enumerate(cut):
            ids[row, : len(pieces.ids)] = pieces.ids
            mask[row, : len(pieces.ids)] = 1
            pooling[row, : len(pieces.pooling), : len(pieces.ids)] = pieces.pooling
        ids_, mask_, pooling_ = (moved(torch.from_numpy(a), device) for a in (ids, mask, pooling))
        states = self.module(input_ids=ids_, attention_mask=mask_).last_hidden_state
        return torch.bmm(pooling_, states)


def _moving(module: nn.Module, config: RunConfig) -> set[str]:
    """Names of the parameters that are trained."""
    names = {name for name, _ in module.named_parameters() if "pooler" not in name}
    if config.encoder_trained != "last layers":
        return names if config.encoder_trained == "yes" else set()
    stack, layers = _layers(module)
    if config.encoder_layers > len(layers):
        raise _too_many_layers(config, len(layers))
    last = range(len(layers) - config.encoder_layers, len(layers))
    starts = tuple(f"{stack}.{number}." for number in last)
    return {name for name in names if name.startswith(starts)}


def _layers(module: nn.Module) -> tuple[str, nn.ModuleList]:
    """The transformer's layers: its longest list of modules."""
    lists: Iterator[tuple[str, Any]] = (
        (name, part) for name, part in module.named_modules() if isinstance(part, nn.ModuleList)
    )
    return max(lists, key=lambda item: len(item[1]), default=("", nn.ModuleList()))


def _hold_all_but(module: nn.Module, moving: set[str]) -> None:
    """Make every other parameter a buffer that no checkpoint holds."""
    for prefix, part in list(module.named_modules()):
        for name, parameter in list(part._parameters.items()):
            whole = f"{prefix}.{name}" if prefix else name
            if parameter is not None and whole not in moving:
                del part._parameters[name]
                part.register_buffer(name, parameter.detach(), persistent=False)
    for part in module.modules():
        part._non_persistent_buffers_set |= set(part._buffers)


def check(config: RunConfig, tasks: Iterable[Task]) -> str:
    """What is worth saying of the run's transformer; ConfigError where it can't be used."""
    model = check_model(config)
    rows = [row for task in tasks for row in (*task.train, *task.test)]
    utterances: set[Words] = {tuple(row.words) for row in rows}
    return Cutter(model, config.encoder_pooling).truncation(utterances)


def check_model(config: RunConfig) -> pretrained.Pretrained:
    """The run's model; ConfigError where it, its weights or what is trained of it is wrong."""
    model = pretrained.find(config.encoder_model)
    _check_memory(config, model)
    _try_weights(model.name, json.dumps(model_stamp(model.folder)))
    return model


@lru_cache(maxsize=8)
def _try_weights(name: str, stamp: str) -> None:
    """Load a folder's weights, as they are now, to see that they can be."""
    pretrained.load(pretrained.find(name))


def _check_memory(config: RunConfig, model: pretrained.Pretrained) -> None:
    """Whether the layers asked for are there, and training them fits into memory."""
    if config.encoder_trained == "no":
        return
    n_layers = getattr(model.settings, "num_hidden_layers", 0)
    if config.encoder_trained == "last layers" and config.encoder_layers > n_layers:
        raise _too_many_layers(config, n_layers)
    weights = sum(path.stat().st_size for path in model.folder.glob("*.safetensors"))
    needed = weights * _COPIES + _BASE_BYTES
    free = available_bytes() if config.device in ("auto", "cpu") else None
    if free is not None and needed > free:
        raise ConfigError(
            f"encoder_trained = '{config.encoder_trained}': training {model.name} needs about "
            f"{needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free; expected a smaller "
            "model, fewer layers, or encoder_trained = 'no'."
        )


def _too_many_layers(config: RunConfig, n_layers: int) -> ConfigError:
    return ConfigError(
        f"encoder_layers = {config.encoder_layers}: {config.encoder_model} has {n_layers} layers; "
        "expected at most so many, or encoder_trained = 'yes'."
    )
