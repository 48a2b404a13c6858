"""The base parser of Total Recall (appendix C, eq. 4-6): BiLSTM encoder, LSTM decoder, Luong
attention, and a softmax over the applicable actions A_t alone.

Without input feeding a batch takes one call of the encoder, one of the decoder, one attention
product and one output layer, whatever its length.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.config import RunConfig
from core.generators import Generators
from core.language.grammar import Grammar
from core.parser import by_task
from core.parser.applicable import MASKED, ApplicableActions
from core.parser.batch import UNKNOWN, Batch, Vocabulary
from core.parser.dropout import kept
from core.parser.embeddings import RANDOM_SPREAD, Vectors
from core.parser.output import Rows, Steps, dense_scores, gold_log_probs, scored_gold
from core.parser.picking import picked
from core.parser.recurrent import bidirectional, running
from core.parser.transformer import Transformer

Adapter = Callable[[Tensor, Tensor], Tensor]  # h (n, T, hidden), tasks (n,) → ĥ (n, T, hidden)


_EARLIER_NAMES = {"to_first": "init_decoder"}  # of parts, in parsers that earlier versions saved


def with_current_names(state: dict[str, Any]) -> dict[str, Any]:
    """A saved parser's parameters under the names that they have now."""
    current = {}
    for name, tensor in state.items():
        part, dot, rest = name.partition(".")
        current[_EARLIER_NAMES.get(part, part) + dot + rest] = tensor
    return current


def _take_earlier_names(_parser: nn.Module, state: dict[str, Any], *_: Any) -> None:
    current = with_current_names(state)
    state.clear()
    state.update(current)


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


class Parser(nn.Module):
    """Maps utterances to derivations; knows the grammar of the tasks learned so far."""

    def __init__(
        self,
        config: RunConfig,
        vocabulary: Vocabulary,
        grammar: Grammar,
        generators: Generators,
        vectors: Vectors | None = None,
        device: torch.device | str = "cpu",
        transformer: Transformer | None = None,  # read in place of word vectors
    ) -> None:
        super().__init__()
        self.vocabulary, self.grammar = vocabulary, grammar
        self.task_masking, self.input_feeding = config.task_masking, config.input_feeding
        self.beam_size = config.beam_size
        self.dropout, self.word_dropout = config.dropout, config.word_dropout
        self.label_smoothing, self.action_init = config.label_smoothing, config.action_init
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
            self.action_embedding = nn.Parameter(torch.empty(len(grammar.actions), size))  # c_a
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
        self.initialise()
        self._add_grammar_tables()
        self.adapter: Adapter | None = None
        self.readout: nn.Module | None = None  # c_a (actions, size) → Rows, for evaluation
        self.masks: by_task.Masks | None = None  # other weights for each task
        self.to(device)
        self.rng = generators.for_tensors("dropout@device", device)
        self.set_known_tasks(0)
        self.register_load_state_dict_pre_hook(_take_earlier_names)

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

    def _add_grammar_tables(self) -> None:
        grammar = self.grammar
        arity = [len(action.slots) for action in grammar.actions]
        opened = torch.zeros(len(arity), max(*arity, 1), dtype=torch.int64)
        for number, action in enumerate(grammar.actions):
            for place, slot in enumerate(reversed(action.slots)):
                opened[number, place] = grammar.slot_ids[slot]
        self.max_steps = 2 * grammar.longest  # a derivation that is longer has gone astray
        self.register_buffer("arity", torch.tensor(arity), persistent=False)
        self.register_buffer("opened", opened, persistent=False)  # child slots, rightmost first

    def set_known_tasks(self, k: int) -> None:
        """Make tasks 0 … k known: A_t is what their training data show."""
        self.known_tasks = k
        device = self.action_embedding.device
        self.applicable = ApplicableActions.of(self.grammar, k, self.task_masking, device)

    def _drop(self, x: Tensor) -> Tensor:
        if not self.training or not self.dropout:
            return x
        return x * kept(x, self.dropout, self.rng)

    def encode(self, words: Tensor, lengths: Tensor) -> Encoding:
        """What the encoder says of (n, L) word numbers; `lengths` (n,) on the CPU."""
        if self.training and self.word_dropout:
            gone = torch.empty(words.shape, device=words.device).bernoulli_(
                self.word_dropout, generator=self.rng
            )
            words = words.masked_fill(gone.bool(), UNKNOWN)
        read, table = self.transformer, getattr(self, "word_embedding", None)
        x = F.embedding(words, table) if read is None else read(words, lengths, self.vocabulary)
        x = self._drop(x)  # (n, L, word)
        states, cells = bidirectional(self.encoder, x, lengths)
        padding = torch.arange(words.shape[1]) >= lengths[:, None]  # (n, L)
        bias = torch.zeros(padding.shape).masked_fill_(padding, MASKED).to(words.device)
        first = torch.tanh(self.init_decoder(cells))
        return Encoding(states, self.to_keys(states), bias[:, None, :], first)

    def attend(self, h: Tensor, encoding: Encoding, tasks: Tensor) -> tuple[Tensor, Tensor]:
        """[ĥ; o] (n, T, 3 hidden) and the attention (n, T, L) for decoder states (n, T, hidden)."""
        if self.adapter is not None:
            h = self.adapter(h, tasks)
        scores = torch.baddbmm(encoding.bias, h, encoding.keys.transpose(1, 2))
        weights = torch.softmax(scores, dim=2)
        return torch.cat([h, torch.bmm(weights, encoding.states)], dim=2), weights  # eq. 5

    def attentional_state(self, attended: Tensor) -> Tensor:
        """s_t (eq. 4) of [h; o]: (..., 3 hidden) → (..., action size)."""
        return self._drop(torch.tanh(self.combine(attended)))

    def teacher_forced(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """`forward`, each example with the weights of its own task where a method has masks."""
        if self.masks is not None:
            return by_task.teacher_forced(self, batch)
        return self(batch)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The teacher-forced pass over gold derivations, with the weights as they are.

        s_t of every real step, example after example (steps in all, action size), and the
        attention over the words at each step (n, T, L).
        """
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

    def rows(self) -> Rows:
        """What actions are scored by: c_a, or what `readout` makes of it in evaluation."""
        if self.readout is not None and not self.training:
            rows: Rows = self.readout(self.action_embedding)
            return rows
        return Rows(self.action_embedding)

    def steps(self, batch: Batch) -> Steps:
        """The real steps, example after example."""
        return Steps(batch.slots.flatten()[batch.real], batch.task_of_step, batch.gold)

    def step_bias(self, batch: Batch) -> Tensor:
        """0 for the actions of A_t of every real step, MASKED for others: (steps, actions)."""
        steps = self.steps(batch)
        return self.applicable.bias(steps.slots, steps.tasks)

    def step_scores(self, batch: Batch) -> Tensor:
        """c_a · s_t over A_t of every real step, MASKED elsewhere: (steps in all, actions)."""
        return dense_scores(self.teacher_forced(batch)[0], self.step_bias(batch), self.rows())

    def gold_log_probs(
        self, batch: Batch, states: Tensor | None = None, rows: Rows | None = None
    ) -> Tensor:
        """log P(a_t | a_<t, x) of the gold actions (eq. 6) at every real step: (steps in all,).

        By states s_t and rows other than the parser's own where they are given. In training with
        label smoothing, that share of the mean of log P over A_t in its place.
        """
        states = self.teacher_forced(batch)[0] if states is None else states
        steps = self.steps(batch)
        return gold_log_probs(states, rows or self.rows(), steps, self.applicable, self.smoothing)

    @property
    def smoothing(self) -> float:
        """The share of smoothed labels in training, none in evaluation."""
        return self.label_smoothing if self.training else 0.0

    def scored_gold(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """`gold_log_probs`, and whether the gold action has the highest score: for looking only."""
        states = self.teacher_forced(batch)[0]
        return scored_gold(states, self.rows(), self.steps(batch), self.applicable)

    def row_losses(self, batch: Batch, log_probs: Tensor | None = None) -> Tensor:
        """Negative log-likelihood of each example, summed over its steps: (n,).

        By these log P of its real steps; without them by `gold_log_probs`.
        """
        log_probs = self.gold_log_probs(batch) if log_probs is None else log_probs
        return log_probs.new_zeros(len(batch)).index_add(0, batch.row_of_step, log_probs, alpha=-1)

    def loss(self, batch: Batch) -> Tensor:
        """Mean over the examples of `row_losses`."""
        return self.row_losses(batch).mean()
