"""The base parser's network (appendix C, eq. 4-6): BiLSTM encoder, LSTM decoder, Luong attention.

Without input feeding a batch takes one call of the encoder, one of the decoder and one attention
product, whatever its length.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.config import RunConfig
from core.generators import Generators
from core.parser.applicable import MASKED
from core.parser.batch import UNKNOWN, Batch, Vocabulary
from core.parser.dropout import kept
from core.parser.embeddings import RANDOM_SPREAD, Vectors
from core.parser.moving import moved
from core.parser.picking import picked
from core.parser.recurrent import bidirectional, running
from core.parser.transformer import Transformer

EncoderLayer = Callable[[nn.LSTM, Tensor, Tensor], tuple[Tensor, Tensor]]  # see `bidirectional`
Adapter = Callable[[Tensor, Tensor], Tensor]  # h (n, T, hidden), tasks (n,) → ĥ (n, T, hidden)


@dataclass(frozen=True)
class Encoding:
    """What the encoder says of n utterances of up to L words."""

    states: Tensor  # E (n, L, 2 hidden)
    keys: Tensor  # E for the attention's product (n, L, hidden)
    bias: Tensor  # 0 at words, MASKED at padding (n, 1, L)
    decoder_start: Tensor  # h_0 (n, hidden)

    def take(self, rows: Tensor) -> "Encoding":
        return Encoding(
            self.states[rows], self.keys[rows], self.bias[rows], self.decoder_start[rows]
        )


class Network(nn.Module):
    """Utterances and gold derivations → s_t of every step."""

    word_embedding: Tensor  # a buffer where it is not trained; none with a transformer
    rng: torch.Generator  # of dropout, on the device

    def __init__(
        self,
        config: RunConfig,
        vocabulary: Vocabulary,
        n_actions: int,
        generators: Generators,
        vectors: Vectors | None = None,
        transformer: Transformer | None = None,  # read in place of word vectors
    ) -> None:
        super().__init__()
        self.vocabulary, self.input_feeding = vocabulary, config.input_feeding
        self.dropout, self.word_dropout = config.dropout, config.word_dropout
        self.action_init = config.action_init
        self.by_bfloat16 = config.precision == "bfloat16"
        read = transformer or vectors
        word_size = read.size if read else config.word_size
        hidden, size = config.hidden_size, config.action_size
        fed = size if config.input_feeding else 0
        with torch.device("meta"):  # PyTorch's own initialisation would draw globally
            words = torch.empty(len(vocabulary), word_size)
            if transformer is None and config.embeddings_trained:
                self.word_embedding = nn.Parameter(words)
            elif transformer is None:
                self.register_buffer("word_embedding", words)
            self.action_embedding = nn.Parameter(torch.empty(n_actions, size))  # c_a
            self.start = nn.Parameter(torch.empty(size))  # c of the action before the first
            self.encoder = nn.LSTM(word_size, hidden, batch_first=True, bidirectional=True)
            self.decoder = nn.LSTM(size + fed, hidden, batch_first=True)
            self.init_decoder = nn.Linear(2 * hidden, hidden)
            self.to_keys = nn.Linear(2 * hidden, hidden, bias=False)
            self.combine = nn.Linear(3 * hidden, size, bias=False)  # W_c, eq. 4
        self.to_empty(device="cpu")
        self._draw_parameters = generators.for_tensors("parameters")
        self._vectors = vectors.vectors if vectors else {}
        parameters = [name for name, _ in self.named_parameters()]  # not what is attached
        self._drawn = tuple(dict.fromkeys(([] if transformer else ["word_embedding"]) + parameters))
        self.transformer = transformer
        self.adapter: Adapter | None = None
        self.initialise()

    @torch.no_grad()
    def initialise(self) -> None:
        """Draw all parameters anew, not those of what a method has attached.

        Words of the vector file take its vectors.
        """
        for name in self._drawn:
            parameter = attrgetter(name)(self)
            fresh = torch.empty(parameter.shape)
            if "embedding" in name or name == "start":
                std = self._embedding_std(name)
                nn.init.normal_(fresh, std=std, generator=self._draw_parameters)
            elif parameter.dim() == 1:
                nn.init.zeros_(fresh)
            else:
                nn.init.xavier_uniform_(fresh, generator=self._draw_parameters)
            parameter.copy_(fresh)
        if self.transformer is not None:
            self.transformer.initialise()
        for number, word in enumerate(self.vocabulary.words if self._vectors else ()):
            if word in self._vectors:
                self.word_embedding[number] = torch.from_numpy(self._vectors[word])

    def _embedding_std(self, name: str) -> float:
        """Of what an embedding is drawn with; Glorot's is √(2 / (actions + action size))."""
        if self.action_init == "glorot" and name in ("action_embedding", "start"):
            return math.sqrt(2 / sum(self.action_embedding.shape))
        return RANDOM_SPREAD

    def _drop(self, x: Tensor) -> Tensor:
        if not self.training or not self.dropout:
            return x
        return x * kept(x, self.dropout, self.rng)

    def encode(self, words: Tensor, lengths: Tensor, layer: EncoderLayer | None = None) -> Encoding:
        """What the encoder says of (n, L) word numbers; `lengths` (n,) on the CPU.

        By `bidirectional`, or a layer that does the same.
        """
        if self.training and self.word_dropout:
            gone = torch.empty(words.shape, device=self.device).bernoulli_(
                self.word_dropout, generator=self.rng
            )
            words = words.masked_fill(gone.bool().to(words.device), UNKNOWN)
        x = self._drop(self._read(words, lengths))  # (n, L, word)
        states, cells = (layer or bidirectional)(self.encoder, x, lengths)
        padding = torch.arange(words.shape[1]) >= lengths[:, None]  # (n, L)
        bias = moved(torch.zeros(padding.shape).masked_fill_(padding, MASKED), x.device)
        first = torch.tanh(self.init_decoder(cells))
        return Encoding(states, self.to_keys(states), bias[:, None, :], first)

    @property
    def device(self) -> torch.device:
        """Where the parameters lie."""
        return self.action_embedding.device

    def placed(self, batch: Batch) -> Batch:
        """The batch on the device of this parser, but for words that a transformer reads."""
        return batch.to(self.device, with_words=self.transformer is None)

    def _read(self, words: Tensor, lengths: Tensor) -> Tensor:
        """What the encoder reads of each word: (n, L, word)."""
        if self.transformer is not None:
            states: Tensor = self.transformer(words, lengths, self.vocabulary)
            return states
        return F.embedding(words, self.word_embedding)

    def attend(self, h: Tensor, encoding: Encoding, tasks: Tensor) -> tuple[Tensor, Tensor]:
        """[ĥ; o] (n, T, 3 hidden) and the attention (n, T, L) for decoder states (n, T, hidden).

        `tasks` (n,) on the CPU.
        """
        if self.adapter is not None:
            h = self.adapter(h, tasks)
        scores = torch.baddbmm(encoding.bias, h, encoding.keys.transpose(1, 2))
        weights = torch.softmax(scores, dim=2)
        return torch.cat([h, torch.bmm(weights, encoding.states)], dim=2), weights  # eq. 5

    def attentional_state(self, attended: Tensor) -> Tensor:
        """s_t (eq. 4) of [h; o]: (..., 3 hidden) → (..., action size)."""
        return self._drop(torch.tanh(self.combine(attended)))

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The teacher-forced pass over gold derivations, with the weights as they are.

        s_t of every real step, example after example (steps in all, action size), and the
        attention over the words at each step (n, T, L). In training by bfloat16 where that is asked
        for; both are float32.
        """
        if not (self.training and self.by_bfloat16):
            return self._forward(batch)
        with torch.autocast(batch.device.type, torch.bfloat16):
            states, attention = self._forward(batch)
        return states.float(), attention.float()

    def _forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        encoding = self.encode(batch.words, batch.lengths)
        before = F.embedding(batch.actions[:, :-1], self.action_embedding)
        start = self.start.expand(len(batch), 1, -1)
        inputs = torch.cat([start, before], dim=1)  # c of a_{t-1}, (n, T, action size)
        first = encoding.decoder_start[None]
        state = (first, torch.zeros_like(first))
        if not self.input_feeding:
            h = running(self.decoder, inputs, batch.steps, first[0])
            attended, weights = self.attend(h, encoding, batch.tasks)
            real = picked(attended.flatten(0, 1), batch.real)
            return self.attentional_state(real), weights
        summary, summaries, attention = inputs.new_zeros(len(batch), 1, inputs.shape[2]), [], []
        for t in range(inputs.shape[1]):  # each step needs the one before: no fused call
            h, state = self.decoder(torch.cat([inputs[:, t : t + 1], summary], dim=2), state)
            attended, weights = self.attend(h, encoding, batch.tasks)
            summary = self.attentional_state(attended)
            summaries.append(summary)
            attention.append(weights)
        return picked(torch.cat(summaries, dim=1).flatten(0, 1), batch.real), torch.cat(
            attention, dim=1
        )
