"""Dynamic action representations (paper, appendix "Dynamic Action Representation", DAR).

Each task i has an adapter φ_i(h) = tanh(W_φ h) and a gate g_i(h) = sigmoid(W_g [φ_i(h); h]); the
decoder's state h becomes ĥ = g_i φ_i(h) + (1 − g_i) h in attention and s_t, while the recurrence
keeps h. `without_cross` is the ablation's row "- cross", ĥ = φ_i(h); its row "- specific" is h
itself, no adapters at all. The paper gives no biases and no initial values: Glorot's here.
"""

import torch
from torch import Tensor, nn

from core.generators import Generators
from core.options import option
from core.parser.model import Parser


def adapters_option() -> str:
    """The option by which a method offers dynamic action representations."""
    return option(
        "none",
        "dynamic action representations (DAR): each task's own adapter φ and gate g change the "
        "decoder's h. full: g φ(h) + (1 − g) h, as in the paper's Total Recall; without_cross: "
        "φ(h) alone (the row '- cross' of the paper's DAR table); none: h (its row '- specific')",
        choices=("none", "full", "without_cross"),
    )


class Adapters(nn.Module):
    """φ_i and g_i of every task, allocated from the start; the parser calls it with h."""

    def __init__(self, tasks: int, size: int, gated: bool, rng: torch.Generator) -> None:
        super().__init__()
        self.gated, self.rng = gated, rng
        square, wide = (size, size), (size, 2 * size)
        self.change = nn.ParameterList([torch.empty(square) for _ in range(tasks)])  # W_φ
        self.gate = nn.ParameterList([torch.empty(wide) for _ in range(tasks if gated else 0)])
        self.initialise()

    @torch.no_grad()
    def initialise(self) -> None:
        """Draw all parameters anew."""
        for task in range(len(self.change)):
            for parameter in self.of(task):
                fresh = torch.empty(parameter.shape)
                parameter.copy_(nn.init.xavier_uniform_(fresh, generator=self.rng))

    def of(self, task: int) -> list[nn.Parameter]:
        """The parameters of one task."""
        return [self.change[task], *([self.gate[task]] if self.gated else [])]

    @property
    def a_task(self) -> int:
        """How many parameters a task has: 3 hidden², or hidden² without the gate."""
        return sum(parameter.numel() for parameter in self.of(0))

    def forward(self, h: Tensor, tasks: Tensor) -> Tensor:
        """ĥ of (n, T, hidden) decoder states, rows of any tasks (n,): one product a task."""
        present, counts = (found.tolist() for found in tasks.unique(return_counts=True))
        if len(present) == 1:
            return self._adapt(h, present[0])
        order = tasks.argsort()
        groups = zip(h[order].split(counts), present, strict=True)
        adapted = torch.cat([self._adapt(rows, task) for rows, task in groups])
        return adapted[order.argsort()]

    def _adapt(self, h: Tensor, task: int) -> Tensor:
        changed = torch.tanh(h @ self.change[task].t())  # φ_i(h)
        if not self.gated:
            return changed
        gate = torch.sigmoid(torch.cat([changed, h], dim=-1) @ self.gate[task].t())  # g_i(h)
        return torch.lerp(h, changed, gate)


def attach(parser: Parser, choice: str, tasks: int, generators: Generators) -> Adapters | None:
    """The adapters of so many tasks in the parser, which counts them among its parameters.

    None for "none". Their values come from a stream of their own: the rest of the parser starts
    as it does without them.
    """
    if choice == "none":
        return None
    rng = generators.for_tensors("adapters")
    hidden = parser.init_decoder.out_features
    adapters = Adapters(tasks, hidden, choice == "full", rng)
    parser.adapter = adapters.to(parser.action_embedding.device)
    return adapters
