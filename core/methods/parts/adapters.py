"""Dynamic action representations (Li et al., 2021, appendix "Dynamic Action Representation", DAR).

Each task i has an adapter φ_i(h) = tanh(W_φ h) and a gate g_i(h) = sigmoid(W_g [φ_i(h); h]); the
decoder's state h becomes ĥ = g_i φ_i(h) + (1 − g_i) h in attention and s_t, while the recurrence
keeps h. `without_cross` is the ablation's row "- cross", ĥ = φ_i(h); its row "- specific" is h
itself, no adapters at all. The paper gives no biases and no initial values: Glorot's here.

The paper's release has the gate the other way round, biases, and a further tanh:
φ_i(h) = tanh(W_φ h + b_φ), g_i(h) = sigmoid(W_g [φ_i(h); h] + b_g), and
ĥ = tanh(g_i h + (1 − g_i) φ_i).
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from core.methods.base import Method
from core.options import option
from core.parser.moving import moved


def adapters_option() -> Any:
    """The option by which a method offers dynamic action representations."""
    return option(
        "none",
        "dynamic action representations (DAR): each task's own adapter φ and gate g change the "
        "decoder's h. full: g φ(h) + (1 − g) h, as in the paper's Total Recall; without_cross: "
        "φ(h) alone (the row '- cross' of the paper's DAR table); none: h (its row '- specific')",
        choices=("none", "full", "without_cross"),
        label="Adapters of tasks (DAR)",
    )


def formula_option() -> Any:
    """The option by which a method offers both formulas of ĥ."""
    return option(
        "appendix",
        "ĥ of adapters = full. appendix: g φ(h) + (1 − g) h, as the paper has it; release: "
        "tanh(g h + (1 − g) φ(h)), with biases, as its code has it",
        choices=("appendix", "release"),
        when=("adapters", "full"),
        label="Formula of the adapters",
    )


class Adapters(nn.Module):
    """φ_i and g_i of every task, allocated from the start; the parser calls it with h."""

    def __init__(
        self, tasks: int, size: int, gated: bool, rng: torch.Generator, released: bool = False
    ) -> None:
        """`gated`: with g; `released`: by the release's formula."""
        super().__init__()
        self.gated, self.rng, self.released = gated, rng, released
        square, wide = (size, size), (size, 2 * size)
        self.change = nn.ParameterList([torch.empty(square) for _ in range(tasks)])  # W_φ
        self.gate = nn.ParameterList([torch.empty(wide) for _ in range(tasks if gated else 0)])
        biased = tasks if released else 0
        self.change_bias = nn.ParameterList([torch.empty(size) for _ in range(biased)])
        self.gate_bias = nn.ParameterList([torch.empty(size) for _ in range(biased)])
        self.initialise()

    @torch.no_grad()
    def initialise(self) -> None:
        """Draw all parameters anew."""
        for task in range(len(self.change)):
            for parameter in self.parameters_of(task):
                fresh = torch.zeros(parameter.shape)
                if parameter.dim() > 1:
                    nn.init.xavier_uniform_(fresh, generator=self.rng)
                parameter.copy_(fresh)

    def parameters_of(self, task: int) -> list[nn.Parameter]:
        """The parameters of one task."""
        biases = [self.change_bias[task], self.gate_bias[task]] if self.released else []
        return [self.change[task], *([self.gate[task]] if self.gated else []), *biases]

    @property
    def n_per_task(self) -> int:
        """Numbers in the parameters of a task: 3 hidden² (and biases), hidden² without the gate."""
        return sum(parameter.numel() for parameter in self.parameters_of(0))

    def forward(self, h: Tensor, tasks: Tensor) -> Tensor:
        """ĥ of (n, T, hidden) decoder states, examples of any tasks (n,), on the CPU."""
        present, counts = (values.tolist() for values in tasks.unique(return_counts=True))
        if len(present) == 1:
            return self._adapt(h, present[0])
        order = tasks.argsort()  # one product a task
        groups = zip(h[moved(order, h.device)].split(counts), present, strict=True)
        adapted = torch.cat([self._adapt(group, task) for group, task in groups])
        return adapted[moved(order.argsort(), h.device)]

    def _adapt(self, h: Tensor, task: int) -> Tensor:
        if self.released:
            return self._adapt_as_released(h, task)
        changed = torch.tanh(h @ self.change[task].t())  # φ_i(h)
        if not self.gated:
            return changed
        gate = torch.sigmoid(torch.cat([changed, h], dim=-1) @ self.gate[task].t())  # g_i(h)
        return torch.lerp(h, changed, gate)

    def _adapt_as_released(self, h: Tensor, task: int) -> Tensor:
        changed = torch.tanh(F.linear(h, self.change[task], self.change_bias[task]))
        both = torch.cat([changed, h], dim=-1)
        gate = torch.sigmoid(F.linear(both, self.gate[task], self.gate_bias[task]))
        return torch.tanh(torch.lerp(changed, h, gate))  # tanh(g h + (1 − g) φ)


def attach(method: Method) -> Adapters | None:
    """The adapters of all tasks in the method's parser, as its option `adapters` says.

    None for "none". Their values come from a stream of their own: the rest of the parser starts
    as it does without them.
    """
    choice, parser = method.options.adapters, method.parser
    if choice == "none":
        return None
    rng = method.generators.for_tensors("adapters")
    hidden = parser.init_decoder.out_features
    released = choice == "full" and method.options.adapter_formula == "release"
    adapters = Adapters(len(method.data), hidden, choice == "full", rng, released)
    parser.adapter = adapters.to(parser.device)
    return adapters
