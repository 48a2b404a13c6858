"""Parameters of parsers that earlier versions saved, under the names that they have now."""

from typing import Any

from torch import nn

_EARLIER_NAMES = {"to_first": "init_decoder"}  # of parts, in parsers that earlier versions saved


def with_current_names(state: dict[str, Any]) -> dict[str, Any]:
    """A saved parser's parameters under the names that they have now."""
    current = {}
    for name, tensor in state.items():
        part, dot, rest = name.partition(".")
        current[_EARLIER_NAMES.get(part, part) + dot + rest] = tensor
    return current


def take_earlier_names(_parser: nn.Module, state: dict[str, Any], *_: Any) -> None:
    current = with_current_names(state)
    state.clear()
    state.update(current)
