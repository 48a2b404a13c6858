"""The base parser of Total Recall (appendix C, eq. 4-6): BiLSTM encoder, LSTM decoder, Luong
attention, and a softmax over the applicable actions A_t alone.

Without input feeding a batch takes one packed encoder call, one decoder call, one attention
product and one output product, whatever its length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.config import RunConfig
from core.generators import Generators
from core.language.grammar import Grammar
from core.parser import by_task
from core.parser.batch import UNKNOWN, Batch, Vocabulary
from core.parser.embeddings import RANDOM_SPREAD, Vectors

MASKED = -1e30  # added to the score of an action outside A_t: its probability is exactly 0
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
    ) -> None:
        super().__init__()
        self.vocabulary, self.grammar = vocabulary, grammar
        self.task_masking, self.input_feeding = config.task_masking, config.input_feeding
        self.beam_size = config.beam_size
        self.dropout, self.word_dropout = config.dropout, config.word_dropout
        word_size = vectors.size if vectors else config.word_size
        hidden, size = config.hidden_size, config.action_size
        fed = size if config.input_feeding else 0
        with torch.device("meta"):  # PyTorch's own initialisation would draw globally
            words = torch.empty(len(vocabulary), word_size)
            if config.embeddings_trained:
                self.word_embedding = nn.Parameter(words)
            else:
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
        parameters = (name for name, _ in self.named_parameters())  # not what is attached
        self._drawn = tuple(dict.fromkeys(["word_embedding", *parameters]))
        self.initialise()
        self._add_grammar_tables()
        self.adapter: Adapter | None = None
        self.readout: nn.Module | None = None  # (states, bias, embedding) → scores
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
                nn.init.normal_(fresh, std=RANDOM_SPREAD, generator=self._draw_parameters)
            elif parameter.dim() == 1:
                nn.init.zeros_(fresh)
            else:
                nn.init.xavier_uniform_(fresh, generator=self._draw_parameters)
            parameter.copy_(fresh)
        for number, word in enumerate(self.vocabulary.words if self._vectors else ()):
            if word in self._vectors:
                self.word_embedding[number] = torch.from_numpy(self._vectors[word])

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
        device = self.action_embedding.device
        self.known_tasks = k
        outside = torch.from_numpy(self.grammar.first_task > k)
        self.slot_bias = torch.zeros(outside.shape).masked_fill_(outside, MASKED).to(device)
        specific = torch.from_numpy(self.grammar.specific_to(k))
        foreign = specific.any(dim=0) & ~specific  # task-specific, and to another task
        self.task_bias = torch.zeros(foreign.shape).masked_fill_(foreign, MASKED).to(device)

    def applicable_bias(self, slots: Tensor, tasks: Tensor) -> Tensor:
        """0 for the actions of A_t, MASKED for the others: (n,) and (n,) → (n, actions)."""
        bias = self.slot_bias[slots]
        return (
            torch.maximum(bias + self.task_bias[tasks], bias.new_tensor(MASKED))
            if (self.task_masking)
            else bias
        )

    def _drop(self, x: Tensor) -> Tensor:
        if not self.training or not self.dropout:
            return x
        keep = torch.empty_like(x).bernoulli_(1 - self.dropout, generator=self.rng)
        return x * keep.div_(1 - self.dropout)

    def encode(self, words: Tensor, lengths: Tensor) -> Encoding:
        """One packed encoder call over (n, L) word numbers; `lengths` (n,) on the CPU."""
        if self.training and self.word_dropout:
            gone = torch.empty(words.shape, device=words.device).bernoulli_(
                self.word_dropout, generator=self.rng
            )
            words = words.masked_fill(gone.bool(), UNKNOWN)
        x = self._drop(F.embedding(words, self.word_embedding))  # (n, L, word)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, (_, cells) = self.encoder(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=words.shape[1])
        padding = torch.arange(words.shape[1]) >= lengths[:, None]  # (n, L)
        bias = torch.zeros(padding.shape).masked_fill_(padding, MASKED).to(words.device)
        first = torch.tanh(self.init_decoder(torch.cat([cells[0], cells[1]], dim=1)))
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
            h, _ = self.decoder(inputs, state)
            attended, weights = self.attend(h, encoding, batch.tasks)
            return self.attentional_state(attended.flatten(0, 1)[batch.real]), weights
        summary, summaries, attention = inputs.new_zeros(len(batch), 1, inputs.shape[2]), [], []
        for t in range(inputs.shape[1]):  # each step needs the one before: no fused call
            h, state = self.decoder(torch.cat([inputs[:, t : t + 1], summary], dim=2), state)
            attended, weights = self.attend(h, encoding, batch.tasks)
            summary = self.attentional_state(attended)
            summaries.append(summary)
            attention.append(weights)
        return torch.cat(summaries, dim=1).flatten(0, 1)[batch.real], torch.cat(attention, dim=1)

    def step_bias(self, batch: Batch) -> Tensor:
        """`applicable_bias` at every real step, row after row: (steps in all, actions)."""
        tasks = batch.tasks[:, None].expand_as(batch.actions).flatten()[batch.real]
        return self.applicable_bias(batch.slots.flatten()[batch.real], tasks)

    def step_scores(self, batch: Batch) -> Tensor:
        """c_a · s_t over A_t of every real step, MASKED elsewhere: (steps in all, actions)."""
        return self.score(self.teacher_forced(batch)[0], self.step_bias(batch))

    def score(self, states: Tensor, bias: Tensor) -> Tensor:
        """c_a · s_t plus the bias: (n, action size) and (n, actions) → (n, actions).

        In evaluation as `readout` says, where a method has put one there.
        """
        if self.readout is not None and not self.training:
            return self.readout(states, bias, self.action_embedding)
        return torch.addmm(bias, states, self.action_embedding.t())

    def log_probs(self, batch: Batch, scores: Tensor | None = None) -> Tensor:
        """log P(a_t | a_<t, x) of the gold actions (eq. 6): (n, T), 0 at padding.

        By these scores of the real steps (steps in all, actions); without them by `step_scores`.
        """
        scores = self.step_scores(batch) if scores is None else scores
        losses = F.cross_entropy(scores, batch.gold, reduction="none")
        flat = losses.new_zeros(batch.actions.numel())
        return flat.index_copy(0, batch.real, -losses).view(batch.actions.shape)

    def row_losses(self, batch: Batch, scores: Tensor | None = None) -> Tensor:
        """Negative log-likelihood of each example, summed over its steps: (n,)."""
        return -self.log_probs(batch, scores).sum(dim=1)

    def loss(self, batch: Batch) -> Tensor:
        """Mean over the examples of `row_losses`."""
        return self.row_losses(batch).mean()
