"""The parser: a network's states, scored over the applicable actions A_t alone (eq. 6)."""

import torch
from torch import Tensor, nn

from core.config import RunConfig
from core.generators import Generators
from core.language.grammar import Grammar
from core.parser import by_task
from core.parser.applicable import ApplicableActions
from core.parser.batch import Batch, Vocabulary
from core.parser.earlier_names import take_earlier_names
from core.parser.embeddings import Vectors
from core.parser.network import Network
from core.parser.output import Rows, Steps, dense_scores, gold_log_probs, scored_gold
from core.parser.transformer import Transformer


class Parser(Network):
    """Maps utterances to derivations; knows the grammar of the tasks learned so far."""

    arity: Tensor  # (actions,)
    opened: Tensor  # (actions, widest) the slots of an action's children, rightmost first

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
        super().__init__(config, vocabulary, len(grammar.actions), generators, vectors, transformer)
        self.grammar, self.task_masking = grammar, config.task_masking
        self.beam_size, self.label_smoothing = config.beam_size, config.label_smoothing
        self._add_grammar_tables()
        self.readout: nn.Module | None = None  # c_a (actions, size) → Rows, for evaluation
        self.masks: by_task.Masks | None = None  # other weights for each task
        self.to(device)
        self.rng = generators.for_tensors("dropout@device", device)
        self.set_known_tasks(0)
        self.register_load_state_dict_pre_hook(take_earlier_names)  # type: ignore[no-untyped-call]

    def _add_grammar_tables(self) -> None:
        grammar = self.grammar
        arity = [len(action.slots) for action in grammar.actions]
        opened = torch.zeros(len(arity), max(*arity, 1), dtype=torch.int64)
        for number, action in enumerate(grammar.actions):
            for at, slot in enumerate(reversed(action.slots)):
                opened[number, at] = grammar.slot_ids[slot]
        self.max_steps = 2 * grammar.longest  # a derivation that is longer has gone astray
        self.register_buffer("arity", torch.tensor(arity), persistent=False)
        self.register_buffer("opened", opened, persistent=False)  # child slots, rightmost first

    def set_known_tasks(self, k: int) -> None:
        """Make tasks 0 … k known: A_t is what their training data show."""
        self.known_tasks = k
        self.applicable = ApplicableActions.of(self.grammar, k, self.task_masking, self.device)

    def teacher_forced(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """`forward`, each example with the weights of its own task where a method has masks."""
        if self.masks is not None:
            return by_task.teacher_forced(self, self.masks, batch)
        return self.forward(batch)

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
